// Whether the manager's own account can log in besides the session that is kept: by logging in.
import type { Result } from '../base/result.js'
import { errorNumber, type OpenSession, type SqlTarget } from '../connect/sql/session.js'
import { hourlyLogins, type Rows, type Statement, sessionLimit } from '../dialect/index.js'
import type { FreshLogin } from '../model/server/reading.js'

export interface FreshLoginTry {
  readonly target: SqlTarget
  readonly open: OpenSession
  /** Asks the server on the session that is kept. */
  readonly ask: (statement: Statement) => Promise<Result<readonly Rows[]>>
  readonly now: () => number
  /** Connection ids of the manager's sessions there: that of this one is among them while it is open. */
  readonly own: Set<number>
  /** Rows of `sessionLimit`, of this session: one that is kept has the limit that the account had when it logged in. */
  readonly limited: (rows: Rows) => void
  /** An operation needs it: tried where the account has an hourly limit, too. */
  readonly due: boolean
}

/** Undefined where the server was not reached: that says nothing of the account. */
export async function tryFreshLogin({
  target,
  open,
  ask,
  now,
  own,
  limited,
  due,
}: FreshLoginTry): Promise<FreshLogin | undefined> {
  const hourly = due ? 0 : await askLimit(ask)
  if (hourly > 0)
    return {
      at: now(),
      state: 'limited',
      message: `the account may log in ${hourly} times an hour (MAX_CONNECTIONS_PER_HOUR)`,
    }
  const session = await open(target)
  const seen = { at: now() }
  if (session.ok) {
    const { threadId } = session.value
    own.add(threadId)
    const limit = await session.value.run(sessionLimit.sql, sessionLimit.values, target.connectTimeoutMs)
    if (limit.ok) limited(limit.value[0] ?? [])
    session.value.close()
    own.delete(threadId)
    return { ...seen, state: 'accepted', message: '' }
  }
  const { code, message } = session.failure
  const isAnswer = errorNumber(session.failure) !== 0 || code === 'sql-rejected' || code === 'sql-key-unproven'
  return isAnswer ? { ...seen, state: 'failed', message } : undefined
}

/** 0 where there is none, or the account may not read it. */
async function askLimit(ask: FreshLoginTry['ask']): Promise<number> {
  const answer = await ask(hourlyLogins)
  return answer.ok ? Number(answer.value[0]?.[0]?.hourly ?? 0) : 0
}
