// How far a server's clock is ahead of ours: what gives a statement an expiry by the server's own clock.
import { ok, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'

const clocks = new WeakMap<SqlSession, number>()

/** Milliseconds by which the server is ahead of `now()`, asked once per session. */
export async function clockOf(session: SqlSession, timeoutMs: number): Promise<Result<number>> {
  const known = clocks.get(session)
  if (known !== undefined) return ok(known)
  const answer = await session.run('SELECT UNIX_TIMESTAMP(SYSDATE(6)) AS at', [], Math.max(1, timeoutMs))
  if (!answer.ok) return answer
  const ahead = Number(answer.value[0]?.[0]?.at) * 1_000 - now()
  clocks.set(session, ahead)
  return ok(ahead)
}

/** The server's clock was set: it is asked again. */
export const forgetClock = (session: SqlSession): boolean => clocks.delete(session)
