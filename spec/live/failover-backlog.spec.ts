// Stories of a primary that dies while its replicas still have to apply what they received.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import {
  asReplica,
  comesBack,
  durable,
  end,
  expectWhole,
  load,
  logLines,
  lossless,
  progress,
} from '../support/stories/story.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

/** Acknowledged while the appliers are stopped and the replicas go on receiving. */
const BACKLOG = 500

/** A reader's lock on the table: what comes after it waits. */
async function holdApplier(node: Node): Promise<SqlSession> {
  const session = unwrap(await openSession(node.target()))
  unwrap(await session.run('LOCK TABLES spec.acknowledged READ', [], PATIENCE_MS))
  return session
}

/** Resolves when the replica holds, applied or not, all that the primary has logged. */
const received = (replica: Node, primary: Node): Promise<unknown> =>
  eventually(async () => {
    const [status] = await replica.sql('SHOW SLAVE STATUS')
    return status?.Gtid_IO_Pos === (await primary.value('SELECT @@gtid_binlog_pos'))
  }, `${replica.name} has received everything`)

describe('a primary that dies while its replicas are behind with applying', () => {
  let cluster: ProtectedCluster
  const held: SqlSession[] = []
  afterEach(async () => {
    for (const session of held.splice(0)) session.close()
    await end(cluster)
  })

  for (const semiSync of [true, false])
    it(`loses nothing of ${BACKLOG} writes that ${semiSync ? 'were acknowledged' : 'both received, asynchronously,'} and not applied`, async () => {
      cluster = await startProtectedCluster({ semiSync, options: semiSync ? lossless : durable })
      const old = await cluster.primary()
      const replicas = cluster.nodes.filter((node) => node !== old)
      held.push(...(await Promise.all(replicas.map(holdApplier))))
      const writers = load(cluster, { count: 8, pauseMs: 5 })
      await progress(writers, BACKLOG)
      if (!semiSync) await writers.stop()
      if (!semiSync) for (const replica of replicas) await received(replica, old)
      const seen = await Promise.all(replicas.map((node) => node.value('SELECT COUNT(*) FROM spec.acknowledged')))
      expect(seen, 'nothing is applied').to.deep.equal(['0', '0'])
      await old.kill()
      await eventually(() => logLines(cluster, 'is the most advanced replica').length > 0, 'the candidate is elected')
      for (const session of held.splice(0)) session.close()
      const next = await cluster.movedFrom(old)
      await writers.stop()
      expect(await writers.missingOn(next)).to.deep.equal([])
      await eventually(
        () => /\(\d{3,} transactions/.test(logLines(cluster, 'has applied all it received').join()),
        () => `it had to apply: ${logLines(cluster, 'has applied all it received')}`,
      )
      expect((await comesBack(cluster, old, ...(semiSync ? asReplica : []))).Outcome).to.equal('rejoined')
      await expectWhole(cluster, next)
      expect(logLines(cluster, 'OPENED ERR00117'), 'nothing is missing on the new primary').to.deep.equal([])
    })
})
