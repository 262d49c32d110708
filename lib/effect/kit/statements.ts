// Runs a dialect's statements on a server within a command's time, so that none of them can act after it.
import { type Failure, fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import type { Row, SqlSession } from '../../connect/sql/session.js'
import { withMeaning } from '../../decide/situation/fresh-login.js'
import type { Dialect, Statement } from '../../dialect/index.js'
import type { ServerState } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'
import { clockOf, forgetClock } from './clock.js'
import type { Run } from './context.js'
import type { EffectServer } from './server.js'

export type ResultSets = readonly (readonly Row[])[]

export interface Execution {
  readonly server: ServerId
  readonly statements: readonly Statement[]
  /** Where to run it; the server's action session when absent. */
  readonly session?: SqlSession
  /**
   * Whether a hung server may still execute it when it wakes up, after all have stopped waiting. Wanted of a fence;
   * harmless for reads; of everything else it would undo what was done meanwhile, so the text carries its own expiry.
   */
  readonly late?: boolean
  /** Only shortly after the command began: a text that this process sends late, after it was suspended, is refused. */
  readonly prompt?: boolean
  /** Whether the operation's end may cut it short; its outcome would be unknown then. */
  readonly uninterrupted?: boolean
}

/**
 * So long after it should have arrived a text may begin, however long it then takes: a server that answers reads it in
 * milliseconds. Each time that it arrived too late it gets twice as long, within the command's time.
 */
const START_MS = 500

/** A prompt text begins within so long after its command, and the round trips of a login where its session was lost. */
const PROMPT_MS = 2 * SECOND
const LOGIN_TRIPS = 8

/** Error 1690 (value out of range) is how an expired text ends before its first statement. */
const expiry = 'SET @manager_expiry = EXP(IF(UNIX_TIMESTAMP(SYSDATE(6)) > ?, 1000, 1))'
const isExpired = ({ message }: Failure): boolean => /error 1690:.*exp\(/i.test(message)

/** The member, or the failure `unknown-server`. */
export function memberOf(run: Run, id: ServerId): Result<EffectServer> {
  const server = run.context.server(id)
  return server ? ok(server) : fail('unknown-server', `${id} is no member of ${run.context.cluster}`)
}

/** What people call it; its id when it has left. */
export const nameOf = (run: Run, id: ServerId): string => run.context.server(id)?.spec.name ?? id

/**
 * Whole seconds a statement may wait for a lock in the server, so that the server gives up before we do. A long way to it is no
 * reason to keep clients waiting for longer.
 */
export const lockSeconds = ({ nearbyMs, tripMs, remaining }: Run): number =>
  Math.max(1, Math.ceil(Math.min(nearbyMs, remaining() - tripMs) / SECOND) - 1)

/**
 * Runs the statements as one text: one round trip, stops at the first that is refused. A session that turns out to be
 * lost is reopened once, since commands are safe to repeat; so is one that is denied a statement: it keeps the global
 * privileges that the account had when it logged in, and a GRANT since then counts for the next session.
 */
export async function execute(run: Run, execution: Execution): Promise<Result<ResultSets>> {
  let startMs = START_MS
  for (let lost = 0, denied = 0; ; ) {
    const answer = await attempt(run, execution, startMs)
    if (answer.ok || timeLeft(run, execution) <= 0 || run.signal.aborted) return asSaid(execution, answer)
    if (isExpired(answer.failure)) startMs *= 2
    else if (isDenied(answer.failure) && execution.session === undefined && denied++ === 0)
      await closeAction(run, execution.server)
    else if (answer.failure.code !== 'sql-refused' || execution.session !== undefined || lost++ > 0) return answer
  }
}

/** Privileges for a statement (1227), a schema (1044), a table (1142), a column (1143). */
export const isDenied = ({ message }: Failure): boolean => /error (1227|1044|1142|1143)\b/.test(message)

async function closeAction(run: Run, server: ServerId): Promise<void> {
  const kept = await run.context.sessions.action(server, run.remaining())
  if (kept.ok) kept.value.close()
}

/** A prompt text that expired is not worth many tries: it never becomes young again. */
const timeLeft = (run: Run, { prompt = false }: Execution): number =>
  prompt ? Math.min(run.remaining(), run.startedAt + 2 * PROMPT_MS - run.context.now()) : run.remaining()

/** The user reads what happened, not the text that made it so. */
const asSaid = ({ server }: Execution, answer: Result<ResultSets>): Result<ResultSets> =>
  answer.ok || !isExpired(answer.failure)
    ? answer
    : fail('deadline-passed', `${server} received every statement too late to execute it in time: the network is slow`)

async function attempt(run: Run, execution: Execution, startMs: number): Promise<Result<ResultSets>> {
  const { server, session: given, late = false, prompt = false } = execution
  const opened = given ? ok(given) : await run.context.sessions.action(server, run.remaining())
  if (!opened.ok) return fail(opened.failure.code, withMeaning(opened.failure.message))
  const session = opened.value
  const guards = late ? ok([]) : await guardsOf(run, session, { startMs, prompt })
  if (!guards.ok) return guards
  if (run.remaining() <= 0) return fail('deadline-passed', `${server}: no time left`)
  const answer = await answerOf(run, session, {
    ...execution,
    statements: [...guards.value, ...execution.statements],
  })
  if (answer.ok) return ok(answer.value.slice(guards.value.length))
  if (isExpired(answer.failure)) forgetClock(session)
  if (answer.failure.code === 'sql-silent' && !late) await killThread(run, server, session.threadId)
  return answer
}

/** The text's answer; the end of the operation closes the session, and with it the wait. */
async function answerOf(run: Run, session: SqlSession, execution: Execution): Promise<Result<ResultSets>> {
  const { statements, uninterrupted = false } = execution
  const cut = () => session.close()
  if (run.signal.aborted && !uninterrupted) return fail('deadline-passed', 'the operation was ended')
  if (!uninterrupted) run.signal.addEventListener('abort', cut, { once: true })
  const sql = statements.map((statement) => statement.sql).join(';\n')
  const values = statements.flatMap((statement) => statement.values)
  const answer = await session.run(sql, values, run.remaining())
  run.signal.removeEventListener('abort', cut)
  return answer
}

/**
 * What ends the text before its first statement when the server reads it too late, by its own clock: never after the command's
 * end, since the clock is taken for no further ahead than it is.
 */
async function guardsOf(
  run: Run,
  session: SqlSession,
  { startMs, prompt }: { readonly startMs: number; readonly prompt: boolean },
): Promise<Result<readonly Statement[]>> {
  const clock = await clockOf(session, run.remaining())
  if (!clock.ok) return clock
  const { aheadMs, tripMs } = clock.value
  const latest = run.context.now() + Math.min(run.remaining(), tripMs + startMs)
  const until = prompt ? run.startedAt + PROMPT_MS + LOGIN_TRIPS * tripMs : latest
  return ok([{ sql: expiry, values: [(Math.min(latest, until) + aheadMs) / SECOND] }])
}

/** Longest time to end a statement whose caller has stopped waiting. */
const KILL_MS = 300

/** A statement that waits for a lock goes on in the server when its client has left: it is ended by another session. */
async function killThread(run: Run, server: ServerId, threadId: number): Promise<void> {
  const member = memberOf(run, server)
  const opened = await run.context.sessions.extra(server, KILL_MS)
  if (!member.ok || !opened.ok) return
  const { sql, values } = member.value.dialect.killSession(threadId)
  await opened.value.run(sql, values, KILL_MS)
  opened.value.close()
}

/** What the server says of itself now, on the given session or its action session. */
export async function readServer(run: Run, id: ServerId, session?: SqlSession): Promise<Result<ServerState>> {
  const member = memberOf(run, id)
  if (!member.ok) return member
  const { dialect } = member.value
  const answer = await execute(run, {
    server: id,
    statements: [{ sql: dialect.fastProbe, values: [] }],
    late: true,
    ...(session === undefined ? {} : { session }),
  })
  return answer.ok ? parsed(dialect, answer.value) : answer
}

export function parsed(dialect: Dialect, sets: ResultSets): Result<ServerState> {
  try {
    return ok(dialect.parseFastProbe(sets))
  } catch (error) {
    return fail('sql-failed', error instanceof Error ? error.message : String(error))
  }
}
