// The story of a MariaDB cluster in which each server writes in a gtid_domain_id of its own: they are this cluster's, all of them.
import { expect } from 'chai'
import { caughtUp, type Node, replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { allWriteTo, durable, end, load, progress } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/** What a server would be kept out by, or said to have alone. */
const WRONG =
  /OPENED (?:WARN0091|WARN0186|WARN0255|WARN0256|WARN0264|WARN0265|ERR00032|ERR00117|ERR00128|ERR00190) [^"]*/g

/** Between two writes of a client: what converges must end. */
const PAUSE_MS = 10

/** Before the manager comes: a session goes on in the domain that was the server's when the session began. */
async function arrange(nodes: readonly Node[]): Promise<void> {
  const [primary, ...replicas] = nodes
  if (!primary) throw new Error('a cluster has servers')
  await prepareWrites(primary)
  await replicate(primary, replicas, { heartbeatSeconds: 1 })
  for (const replica of replicas) await caughtUp(primary, replica)
  await Promise.all(nodes.map((node, index) => node.sql(`SET GLOBAL gtid_domain_id=${11 + index}`)))
}

describe('A cluster with a gtid_domain_id for each server', () => {
  let cluster: ProtectedCluster

  before(async () => {
    cluster = await startProtectedCluster({ options: durable, settings: { 'failover-limit': 0 }, arrange })
    await cluster.ready()
  })
  after(() => end(cluster))

  const write = async (node: Node, first: number) => {
    const writers = load(cluster, { count: 2, pauseMs: PAUSE_MS, first })
    await allWriteTo(writers, node)
    await progress(writers, 20)
    await writers.stop()
    return writers
  }
  const expectWell = () => expect(cluster.manager.log().match(WRONG) ?? []).to.deep.equal([])

  it('moves the primary six times, and a write in every domain reaches all', async () => {
    for (let turn = 1; turn <= 6; turn++) {
      const next = await switchOver(cluster, cluster.databases.node(turn % 3))
      await write(next, turn * 10)
      await cluster.convergesOn(next)
    }
    expectWell()
  })

  it('goes on after a domain was deleted from a binary log', async () => {
    const primary = await cluster.primary()
    // Domain 0, of before: no binary log that is left has anything of it. Every server goes on knowing what it applied, and
    // the first primary, which wrote it, what it was given as its position when it became a replica.
    for (const node of cluster.nodes) {
      await node.sql('FLUSH BINARY LOGS')
      const logs = await node.sql('SHOW BINARY LOGS')
      await eventually(async () => {
        await node.sql(`PURGE BINARY LOGS TO '${String(logs.at(-1)?.Log_name)}'`)
        return (await node.sql('SHOW BINARY LOGS')).length === 1
      }, `${node.name} has one binary log`)
      await node.sql('FLUSH BINARY LOGS DELETE_DOMAIN_ID=(0)')
    }
    const other = cluster.nodes.find((node) => node !== primary)
    const next = await switchOver(cluster, other)
    await write(next, 70)
    await cluster.convergesOn(next)
    expectWell()
  })

  it('fails over when the primary is killed, and takes it back', async () => {
    const old = await cluster.primary()
    const before = await write(old, 80)
    await cluster.convergesOn(old)
    await old.kill()
    const next = await cluster.movedFrom(old)
    expect(await before.missingOn(next)).to.deep.equal([])
    await write(next, 90)
    old.start('--read-only=ON')
    await old.waitUp()
    await eventually(
      async () => (await sourceOf(old)) === `${next.port} Yes Yes`,
      () => `it has rejoined\n${cluster.manager.log().slice(-4_000)}`,
    )
    await cluster.convergesOn(next)
    expectWell()
  })
})
