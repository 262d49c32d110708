// The story of commits that waited for a replica when every server died: no client had an answer for them, so a primary that takes
// them back at its start has lost nothing, and takes writes again.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { byHand } from '../support/stories/by-hand.js'
import { asReplica, end, expectWhole, load, lossless, onlyWriter, progress } from '../support/stories/story.js'
import { replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/** However long the story takes, it does not give up. */
const NEVER_ALONE = 'SET GLOBAL rpl_semi_sync_master_timeout=4294967295'

const sequenceOf = async (node: Node): Promise<number> =>
  Number((await node.value('SELECT @@gtid_binlog_pos'))?.split('-').at(-1))

describe('A primary whose commits waited for a replica when all servers died', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: [...lossless, ...asReplica] })
  })
  after(() => end(cluster))

  interface Positions {
    readonly port: string
    readonly gtidBinlogPos: readonly { readonly seqNo: number }[]
  }

  /** The latest transaction that the manager has read of its binary log. */
  const readOf = async ({ port }: Node): Promise<number> => {
    const views = await cluster.manager.get<readonly Positions[]>('/api/clusters/story/topology/servers')
    return views.find((view) => view.port === `${port}`)?.gtidBinlogPos.at(-1)?.seqNo ?? 0
  }

  it('takes writes again, without a finding about history that is missing', async () => {
    const primary = await cluster.primary()
    await primary.sql(NEVER_ALONE)
    const writers = load(cluster, { count: 2 })
    await progress(writers, 50)
    await writers.stop()
    await Promise.all((await replicasOf(cluster)).map((node) => node.kill()))
    const before = await sequenceOf(primary)
    const waits = byHand(primary, 'INSERT INTO spec.acknowledged VALUES (7, 1)').then(
      () => 'acknowledged',
      () => 'not acknowledged',
    )
    await eventually(async () => (await sequenceOf(primary)) > before, 'it is in the binary log')
    await eventually(async () => (await readOf(primary)) > before, 'the manager has read the binary log with it')
    await primary.kill()
    expect(await waits).to.equal('not acknowledged')
    for (const node of cluster.nodes) node.start(...asReplica, '--read-only=ON')
    for (const node of cluster.nodes) await node.waitUp()
    const again = load(cluster, { count: 2, first: 100 })
    await progress(again, 50)
    await again.stop()
    const writer = await onlyWriter(cluster)
    await expectWhole(cluster, writer)
    expect([...(await writers.missingOn(writer)), ...(await again.missingOn(writer))]).to.deep.equal([])
    expect(await cluster.alerts()).to.not.include('ERR00117')
  })
})
