// Clusters ask the manager whose a server is, each over a channel of its own.
import path from 'node:path'
import { expect } from 'chai'
import { type Instances as Asking, openInstances } from '../../../actors/cluster/watch/instances.js'
import { Instances, isListed } from '../../../actors/manager/instances.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { newDirectory } from '../../support/machine/directories.js'

describe('Instances', () => {
  const instance = { hostname: 'db-0', port: 3306, datadir: '/data/', startedAt: now() - 90 * SECOND }
  const sighted = (change: object = {}) => ({ server: 'db1:3306', instance, uptimeSeconds: 90, ...change })
  let directory: string
  let manager: Instances
  let members: Record<string, readonly string[]>
  let logged: object[]
  const clusters: Asking[] = []
  const open = (name: string): Asking => {
    const asking = openInstances({ name, directory: path.join(directory, name) })
    clusters.push(asking)
    return asking
  }

  beforeEach(() => {
    directory = newDirectory('instances')
    members = { shop: ['db1:3306'], lab: ['db1:3306'] }
    logged = []
    manager = new Instances({
      workingDirectory: directory,
      isMember: (cluster, address) => members[cluster]?.includes(address) ?? false,
      log: (_, code, fields) => logged.push({ code, ...fields }),
    })
  })
  afterEach(() => {
    for (const each of clusters.splice(0)) each.close()
    manager.close()
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

  it('answers the next life of a cluster when the earlier one ends late', async () => {
    const before = open('shop')
    const after = open('shop')
    before.close()
    expect(await after.judge(sighted())).to.equal(undefined)
    after.close()
    expect(await after.judge(sighted())).to.match(/ends/)
  })

  it('finds an address in a list however it is spelled there', () => {
    expect(isListed(['db1', '[::1]:3307'], 'db1:3306')).to.equal(true)
    expect(isListed(['db1', '[::1]:3307'], '[::1]:3307')).to.equal(true)
    expect(isListed(['db1:3307'], 'db1:3306')).to.equal(false)
  })
})
