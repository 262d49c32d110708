// A separate session for one piece of work on a server: opened for it, closed after it, never shared.
import type { Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { EffectServer } from './server.js'

/** Longest time until the login is done. */
const LOGIN_MS = 4 * SECOND

export async function withSession<T>(
  { target }: Pick<EffectServer, 'target'>,
  work: (session: SqlSession) => Promise<Result<T>>,
): Promise<Result<T>> {
  const session = await openSession({ ...target, connectTimeoutMs: Math.min(target.connectTimeoutMs, LOGIN_MS) })
  if (!session.ok) return session
  try {
    return await work(session.value)
  } finally {
    session.value.close()
  }
}
