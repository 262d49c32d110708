// ProxySQL's admin interface: SQL in the text protocol on a separate port, one statement at a time.
// https://proxysql.com/documentation/the-admin-schemas/
import { done, fail, ok, type Result } from '../../base/result.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { Row } from '../../connect/sql/session.js'

export interface Administration {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Longest time of a whole conversation, from the connection to its last answer, milliseconds. */
  readonly timeoutMs: number
}

/** Runs one statement within the remaining time of the conversation. */
export type Ask = (sql: string) => Promise<Result<readonly Row[]>>

/**
 * One conversation: `proxy-failed` when the admin interface cannot be reached, refuses the login or a statement, or does
 * not answer in time. Never throws. The admin interface runs SQLite: it accepts one statement per request, has
 * neither session variables nor prepared statements, and quotes by doubling.
 */
export async function converse<T>(
  { host, port, user, password, timeoutMs }: Administration,
  signal: AbortSignal,
  talk: (ask: Ask) => Promise<Result<T>>,
): Promise<Result<T>> {
  const where = `${host}:${port}`
  if (signal.aborted) return fail('proxy-failed', `${where}: given up`)
  const endsAt = performance.now() + timeoutMs
  const opened = await openSession({ host, port, user, password, connectTimeoutMs: timeoutMs, bare: true })
  if (!opened.ok) return fail('proxy-failed', opened.failure.message)
  const session = opened.value
  const abort = () => session.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await talk(async (sql) => {
      const left = endsAt - performance.now()
      if (signal.aborted || left <= 0) return fail('proxy-failed', `${where}: no answer within ${timeoutMs} ms`)
      const answer = await session.run(sql, [], left)
      return answer.ok ? ok(answer.value[0] ?? []) : fail('proxy-failed', answer.failure.message)
    })
  } finally {
    signal.removeEventListener('abort', abort)
    session.close()
  }
}

/** One after the other, up to the first that fails: what was changed but not loaded has no effect. */
export async function execute(ask: Ask, statements: readonly string[]): Promise<Result<void>> {
  for (const statement of statements) {
    const answer = await ask(statement)
    if (!answer.ok) return answer
  }
  return done
}
