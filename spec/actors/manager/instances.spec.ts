// Clusters ask the manager whose a server is.
import path from 'node:path'
import { expect } from 'chai'
import { type InstanceHost, judgeInstance, serveInstances } from '../../../actors/cluster/watch/instances.js'
import { joinLine, MainLine } from '../../../actors/kernel/line.js'
import { Instances, isListed } from '../../../actors/manager/instances.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { newDirectory } from '../../support/machine/directories.js'
import { eventually } from '../../support/wait.js'

describe('Instances', () => {
  const instance = { hostname: 'db-0', port: 3306, datadir: '/data/', startedAt: now() - 90 * SECOND }
  const sighted = (change: object = {}) => ({ server: 'db1:3306', instance, uptimeSeconds: 90, ...change })
  let directory: string
  let manager: Instances
  let members: Record<string, readonly string[]>
  let logged: object[]
  let main: MainLine
  const ends: (() => void)[] = []
  const open = (name: string) => {
    const line = joinLine({ name, directory: path.join(directory, name) })
    ends.push(() => line.close())
    return {
      judge: (sighting: Parameters<typeof judgeInstance>[1]) => judgeInstance(line, sighting),
      serve: (host: InstanceHost) => serveInstances(line, host),
      close: () => line.close(),
    }
  }

  beforeEach(() => {
    directory = newDirectory('instances')
    members = { shop: ['db1:3306'], lab: ['db1:3306'] }
    logged = []
    main = new MainLine(directory)
    manager = new Instances({
      line: main,
      isMember: (cluster, address) => members[cluster]?.includes(address) ?? false,
      log: (_, code, fields) => logged.push({ code, ...fields }),
    })
  })
  afterEach(() => {
    for (const end of ends.splice(0)) end()
    main.close()
  })

  it('gives a server to the first cluster that sees it, and names the holder in the log alone', async () => {
    expect(await open('shop').judge(sighted())).to.equal(undefined)
    const lab = open('lab')
    expect(await lab.judge(sighted()))
      .to.match(/of another cluster/)
      .and.not.match(/shop/)
    await lab.judge(sighted())
    expect(logged).to.have.length(1)
    expect(logged[0]).to.include({ code: 'server-left-alone', holder: 'db1:3306 of cluster shop' })
    expect(manager.holderOf(instance, 'lab')).to.include({ cluster: 'shop' })
    expect(manager.holderOf(instance, 'shop')).to.equal(undefined)
  })

  it('counts no server that a cluster has dropped', async () => {
    expect(await open('shop').judge(sighted())).to.equal(undefined)
    members = { ...members, shop: [] }
    expect(manager.holderOf(instance, 'lab')).to.equal(undefined)
    expect(await open('lab').judge(sighted())).to.equal(undefined)
  })

  it('takes a server back from the cluster that named it first, and notifies that cluster', async () => {
    const lab = open('lab')
    expect(await lab.judge(sighted())).to.equal(undefined)
    const revoked = new Promise<string>((resolve) => lab.serve({ shown: () => [], revoked: resolve }))
    expect(await open('shop').judge(sighted({ since: 1 }))).to.equal(undefined)
    expect(await revoked).to.equal('db1:3306')
    expect(await lab.judge(sighted())).to.match(/of another cluster/)
  })

  it('knows a server of the same names for another one once its cluster shows the one that it has', async () => {
    const shop = open('shop')
    expect(await shop.judge(sighted())).to.equal(undefined)
    const twin = { ...instance, startedAt: now() }
    const lab = open('lab')
    expect(await lab.judge(sighted({ instance: twin, uptimeSeconds: 0 }))).to.match(/may be that one/)
    shop.serve({ shown: () => [{ server: 'db1:3306', instance, at: now() + 10 * SECOND }], revoked: () => undefined })
    expect(await lab.judge(sighted({ instance: twin, uptimeSeconds: 0 }))).to.equal(undefined)
  })

  it('gives one of two clusters that ask at once the server of a third one that is gone', async () => {
    expect(await open('shop').judge(sighted())).to.equal(undefined)
    members = { ...members, shop: [], other: ['db1:3306'] }
    const [lab, other] = [open('lab'), open('other')]
    const answers = await Promise.all([lab.judge(sighted()), other.judge(sighted())])
    expect(answers.filter((refusal) => refusal === undefined)).to.have.length(1)
  })

  it('gives one of two clusters that wait for the same report the server, never both', async () => {
    const shop = open('shop')
    expect(await shop.judge(sighted())).to.equal(undefined)
    members = { ...members, other: ['db1:3306'] }
    // The first question is left open, so that one report answers both.
    let sought = 0
    const report = { server: 'db1:3306', instance, at: now() + 10 * SECOND }
    shop.serve({ shown: () => (++sought % 2 === 1 ? [] : [report]), revoked: () => undefined })
    const twin = sighted({ instance: { ...instance, startedAt: now() }, uptimeSeconds: 0 })
    const waiting = [open('lab'), open('other')]
    const given = await eventually(async () => {
      const answers = await Promise.all(waiting.map((each) => each.judge(twin)))
      return answers.filter((refusal) => refusal === undefined).length
    }, 'one has it')
    expect(given).to.equal(1)
  })

  it('answers the next life of a cluster when the earlier one ends late', async () => {
    const before = open('shop')
    const after = open('shop')
    before.close()
    expect(await after.judge(sighted())).to.equal(undefined)
    after.close()
    expect(await after.judge(sighted())).to.match(/has not said yet/)
  })

  it('finds an address in a list however it is spelled there', () => {
    expect(isListed(['db1', '[::1]:3307'], 'db1:3306')).to.equal(true)
    expect(isListed(['db1', '[::1]:3307'], '[::1]:3307')).to.equal(true)
    expect(isListed(['db1:3307'], 'db1:3306')).to.equal(false)
  })
})
