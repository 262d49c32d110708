// Stories of servers that come back: an old primary with or without transactions of its own, and a whole cluster.
import { expect } from 'chai'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import { caughtUp, eventually } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { freePorts } from '../support/machine/ports.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import {
  comesBack,
  durable,
  end,
  expectKeptOut,
  expectWhole,
  load,
  logLines,
  onlyOn,
  progress,
} from '../support/stories/story.js'

/** A server nobody can reach takes writes: started on another port, it writes so many rows, and stops. */
async function writeAlone(node: Node, rows: number): Promise<void> {
  const [port = 0] = await freePorts(1)
  node.start(`--port=${port}`, '--extra-port=0')
  let session: SqlSession | undefined
  await eventually(async () => {
    const opened = await openSession({ ...node.target(), port })
    session = opened.ok ? opened.value : undefined
    return session !== undefined
  }, `${node.name} answers elsewhere`)
  for (let row = 0; row < rows; row += 1)
    expect(await session?.run('INSERT INTO spec.acknowledged VALUES (1000, ?)', [row], 5_000)).to.have.property(
      'ok',
      true,
    )
  session?.close()
  await node.stop()
}

describe('an old primary that comes back', () => {
  let cluster: ProtectedCluster
  let old: Node
  let next: Node
  before(async () => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 50)
    await writers.stop()
  })
  after(() => end(cluster))

  /** Nothing is under way when it dies, so whatever it has alone was written alone. */
  const die = async () => {
    old = await cluster.primary()
    for (const node of cluster.nodes) if (node !== old) await caughtUp(old, node)
    await old.kill()
    next = await cluster.movedFrom(old)
  }

  it('is a replica again by itself when the new one has all it wrote', async () => {
    await die()
    const writers = load(cluster, { count: 4, first: 4 })
    await progress(writers, 50)
    expect((await comesBack(cluster, old)).Outcome).to.equal('rejoined')
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, next)
  })

  it('stays out, closed, saved and named, when it wrote what nobody else has', async () => {
    await die()
    await writeAlone(old, 7)
    const writers = load(cluster, { count: 4, first: 8 })
    await progress(writers, 50)
    expect((await comesBack(cluster, old)).Outcome).to.equal('diverged')
    await expectKeptOut(cluster, old, next)
    expect(await onlyOn(old, next)).to.have.length(7)
    await writers.stop()
    await cluster.convergesOn(
      next,
      cluster.nodes.filter((node) => node !== old),
    )
  })

  it('is not merged later, when it and the manager were restarted', async () => {
    await cluster.manager.end('SIGTERM')
    await old.stop()
    cluster.manager.start()
    await cluster.manager.alive()
    old.start()
    await old.waitUp()
    await eventually(async () => (await old.value('SELECT @@read_only')) === '1', `${old.name} is closed again`)
    await expectKeptOut(cluster, old, next)
  })
})

describe('a cluster that was down as a whole', () => {
  let cluster: ProtectedCluster
  after(() => end(cluster))

  it('waits for its primary when a replica returns first, and heals when the primary returns', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const writers = load(cluster, { count: 4 })
    await progress(writers, 100)
    const primary = await cluster.primary()
    const replicas = cluster.nodes.filter((node) => node !== primary)
    await Promise.all(replicas.map((node) => node.kill()))
    await primary.kill()
    await writers.stop()
    await eventually(async () => (await cluster.alerts()).includes('ERR00021'), 'the cluster is down')
    for (const node of replicas) {
      node.start()
      await node.waitUp()
      await eventually(async () => (await node.value('SELECT @@read_only')) === '1', `${node.name} is closed`)
      await eventually(async () => (await cluster.alerts()).includes('ERR00026'), 'the finding says why it waits')
      expect((await cluster.explain()).wouldFailOver).to.equal(false)
    }
    primary.start()
    await primary.waitUp()
    await expectWhole(cluster, primary)
    expect(await writers.missingOn(primary)).to.deep.equal([])
    expect(logLines(cluster, 'Failover begins')).to.deep.equal([])
    const later = load(cluster, { count: 4, first: 4 })
    await progress(later, 50)
    await later.stop()
    expect(await cluster.alerts()).to.not.include('ERR00026')
  })
})
