// How a server's clock relates to ours, and how far away it is: what gives a statement an expiry by the server's own clock.
import { ok, type Result } from '../../base/result.js'
import { now } from '../../base/time.js'
import type { SqlSession } from '../../connect/sql/session.js'

export interface ServerClock {
  /** Milliseconds by which the server is ahead of `now()`, at least: it is up to `tripMs` more. */
  readonly aheadMs: number
  /** One round trip: the server read its clock somewhere within it. */
  readonly tripMs: number
}

const clocks = new WeakMap<SqlSession, ServerClock>()

/** Asked once per session. */
export async function clockOf(session: SqlSession, timeoutMs: number): Promise<Result<ServerClock>> {
  const known = clocks.get(session)
  if (known !== undefined) return ok(known)
  const began = now()
  const answer = await session.run('SELECT UNIX_TIMESTAMP(SYSDATE(6)) AS at', [], Math.max(1, timeoutMs))
  if (!answer.ok) return answer
  const ended = now()
  const clock = { aheadMs: Number(answer.value[0]?.[0]?.at) * 1_000 - ended, tripMs: ended - began }
  clocks.set(session, clock)
  return ok(clock)
}

/** The server's clock was set, or the way to it became longer: it is asked again. */
export const forgetClock = (session: SqlSession): boolean => clocks.delete(session)
