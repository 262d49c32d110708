// An old primary that wrote what no other server has, for stories of its return.
import { expect } from 'chai'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import { caughtUp } from '../databases/database.js'
import type { Node } from '../databases/node.js'
import { freePorts } from '../machine/ports.js'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { eventually, PATIENCE_MS } from '../wait.js'
import { load, progress } from './story.js'

/** An unreachable server executes statements: started on another port, out of sight, and stopped again. */
export async function executeAlone(node: Node, statements: readonly string[]): Promise<void> {
  const [port = 0] = await freePorts(1)
  node.start(`--port=${port}`, '--extra-port=0')
  let session: SqlSession | undefined
  await eventually(async () => {
    const opened = await openSession({ ...node.target(), port })
    session = opened.ok ? opened.value : undefined
    return session !== undefined
  }, `${node.name} answers elsewhere`)
  for (const sql of statements) expect(await session?.run(sql, [], PATIENCE_MS), sql).to.have.property('ok', true)
  session?.close()
  await node.stop()
}

/** Its primary dies with nothing under way, another one takes over and writes, and the old one writes alone. */
export async function diverge(
  cluster: ProtectedCluster,
  statements: readonly string[],
  first = 100,
): Promise<{ readonly old: Node; readonly next: Node }> {
  const old = await cluster.primary()
  for (const node of cluster.nodes) if (node !== old) await caughtUp(old, node)
  await old.kill()
  const next = await cluster.movedFrom(old)
  const writers = load(cluster, { count: 2, first })
  await progress(writers, 30)
  await writers.stop()
  await executeAlone(old, statements)
  return { old, next }
}

/** Resolves when a job of this task on the server has ended; answers its result line. */
export async function jobEnded(
  cluster: ProtectedCluster,
  node: Node,
): Promise<{ readonly state: string; readonly result: string }> {
  let found: { readonly state: string; readonly result: string } | undefined
  await eventually(
    async () => {
      found = (await cluster.manager.log()).match(
        new RegExp(`Job \\d+: reseed of [^ ]*${node.port} (done|failed|cancelled): (.*)`),
      )
        ? { state: RegExp.$1, result: RegExp.$2 }
        : undefined
      return found !== undefined
    },
    () => `a job on ${node.name} has ended\n${cluster.manager.log().slice(-4_000)}`,
  )
  if (!found) throw new Error('it was found')
  return found
}
