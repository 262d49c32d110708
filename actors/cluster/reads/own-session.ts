// A session of its own for one piece of work on a server: opened for it, closed after it, shared with nobody.
import type { Result } from '../../../lib/base/result.js'
import { SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import type { ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { ClusterState } from '../state/state.js'
import { targetOf } from '../state/wires.js'

/** Longest time until the login is done. */
const LOGIN_MS = 4 * SECOND

export async function withSession<T>(
  server: ServerSnapshot,
  state: ClusterState,
  work: (session: SqlSession) => Promise<Result<T>>,
): Promise<Result<T>> {
  const target = targetOf(server, state)
  const session = await openSession({ ...target, connectTimeoutMs: Math.min(target.connectTimeoutMs, LOGIN_MS) })
  if (!session.ok) return session
  try {
    return await work(session.value)
  } finally {
    session.value.close()
  }
}
