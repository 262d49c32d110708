// A separate session for one action on request: bounded, unlogged, closed at the end whatever happens.
import { withDeadline } from '../../base/deadline.js'
import { fail, ok, type Result } from '../../base/result.js'
import { now, SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { Dialect, Rows, Statement } from '../../dialect/index.js'
import type { ServerState } from '../../model/server/reading.js'
import type { EffectServer } from '../kit/server.js'
import { parsed, type ResultSets } from '../kit/statements.js'

/** Longest wait for a lock: the caller waits as long. */
const LOCK_SECONDS = 4

export interface ActSession {
  readonly name: string
  readonly server: EffectServer
  readonly dialect: Dialect
  /** Runs the statements as one text, within the time that is left; stops at the first that is refused. */
  run(statements: readonly Statement[]): Promise<Result<ResultSets>>
  /** The rows of one statement. */
  ask(statement: Statement): Promise<Result<Rows>>
  /** What the server says of itself now. */
  read(): Promise<Result<ServerState>>
  /** Milliseconds left, at least 0; 0 when the manager ends. */
  remaining(): number
  /** Aborts when the time is over or the manager ends. */
  readonly signal: AbortSignal
}

/** `work` in a session of the server for at most `limitMs`. Failures: those of the login, and of the work. */
export function withActSession<T>(
  server: EffectServer,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  work: (session: ActSession) => Promise<Result<T>>,
): Promise<Result<T>> {
  const until = now() + limitMs
  return withDeadline(signal, limitMs, async (limit) => {
    const remaining = () => (limit.aborted ? 0 : Math.max(0, until - now()))
    const connectTimeoutMs = Math.max(1, Math.min(server.target.connectTimeoutMs, remaining()))
    const opened = await openSession({ ...server.target, connectTimeoutMs })
    if (!opened.ok) return opened
    const sql = opened.value
    try {
      const session = actSession(server, sql, { remaining, signal: limit })
      const prepared = await session.run([server.dialect.actSession(LOCK_SECONDS)])
      return prepared.ok ? await work(session) : prepared
    } finally {
      sql.close()
    }
  })
}

function actSession(
  server: EffectServer,
  database: SqlSession,
  { remaining, signal }: Pick<ActSession, 'remaining' | 'signal'>,
): ActSession {
  const { dialect, spec } = server
  const run: ActSession['run'] = async (statements) => {
    if (statements.length === 0) return ok([])
    if (remaining() === 0) return fail('deadline-passed', `${spec.name}: no time left`)
    const sql = statements.map((statement) => statement.sql).join(';\n')
    return database.run(
      sql,
      statements.flatMap(({ values }) => values),
      remaining(),
    )
  }
  return {
    ...{ name: spec.name, server, dialect, run, remaining, signal },
    ask: async (statement) => {
      const answer = await run([statement])
      return answer.ok ? ok(answer.value[0] ?? []) : answer
    },
    read: async () => {
      const answer = await run([{ sql: dialect.fastProbe, values: [] }])
      return answer.ok ? parsed(dialect, answer.value) : answer
    },
  }
}

/** Between two checks of what a server is doing. */
export const PAUSE_MS = SECOND / 20
