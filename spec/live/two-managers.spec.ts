// Stories of two managers on one cluster: one acts, the other one gives way and takes over when the first is gone.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { startSecondManager } from '../support/manager/second-manager.js'
import { allWriteTo, asReplica, end, expectWhole, load, lossless, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Alerts {
  readonly errors: readonly { readonly number: string; readonly desc: string }[]
  readonly warnings: readonly { readonly number: string; readonly desc: string }[]
}

describe('Two managers on one cluster', () => {
  let cluster: ProtectedCluster
  let second: ManagerProcess
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless, settings: { 'failover-limit': 0 } })
    second = await startSecondManager(cluster.manager)
  })
  after(async () => {
    await second?.destroy()
    await end(cluster)
  })

  const findingOf = async (manager: ManagerProcess, code: string) => {
    const { errors, warnings } = await manager.get<Alerts>('/api/clusters/story/topology/alerts')
    return [...errors, ...warnings].find(({ number }) => number === code)?.desc
  }
  const masterOf = async (manager: ManagerProcess): Promise<string> => {
    const master = await manager.get<{ port: string } | null>('/api/clusters/story/topology/master')
    return master?.port ?? ''
  }
  const operations = (manager: ManagerProcess) =>
    manager
      .log()
      .split('\n')
      .filter((line) => / begins, |fence at once/.test(line))

  it('the second one gives way, and each names the other one', async () => {
    await eventually(async () => (await findingOf(second, 'ERR00022'))?.includes('127.0.0.1') ?? false, 'it gives way')
    await eventually(
      async () => (await findingOf(cluster.manager, 'WARN0340'))?.includes('127.0.0.1') ?? false,
      'the first one names the second one',
    )
    expect(await findingOf(cluster.manager, 'ERR00022')).to.equal(undefined)
  })

  it('only the first one fails over when the primary dies, and the second one follows', async () => {
    const writers = load(cluster, { count: 4, pauseMs: 20 })
    await progress(writers, 50)
    const old: Node = await cluster.primary()
    await old.kill()
    const next = await cluster.movedFrom(old)
    await eventually(async () => (await masterOf(second)) === `${next.port}`, 'the second manager sees the new primary')
    await allWriteTo(writers, next)
    old.start(...asReplica)
    await old.waitUp()
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, next)
    expect(operations(second)).to.deep.equal([])
  })

  it('the second one acts when the first one is gone', async () => {
    await cluster.ready()
    await cluster.manager.end('SIGKILL')
    await eventually(async () => (await findingOf(second, 'ERR00022')) === undefined, 'it is alone')
    const port = await masterOf(second)
    const primary = cluster.nodes.find((node) => `${node.port}` === port)
    expect(primary, `a node at port ${port}`).to.not.equal(undefined)
    await primary?.kill()
    await eventually(
      async () => ![port, ''].includes(await masterOf(second)),
      () => `it fails over\n${second.log().slice(-4_000)}`,
    )
  })
})
