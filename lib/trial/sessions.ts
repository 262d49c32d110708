// What a named test does over SQL: rows in a schema of its own, and sessions that hold something until they are ended.
import { done, fail, ok, type Result } from '../base/result.js'
import { SECOND, sleep } from '../base/time.js'
import { openSession } from '../connect/sql/mysql2-session.js'
import type { SqlSession } from '../connect/sql/session.js'
import { writeBinlog } from '../dialect/shared/control/benchmark.js'
import { boundLockWaits } from '../dialect/shared/control/locks.js'
import { killSession } from '../dialect/shared/control/sessions.js'
import {
  beginTransaction,
  countTrialRows,
  createTrialTable,
  dropTrialSchema,
  insertSlowly,
  insertTrialRow,
  listTrialTables,
  lockTrialTable,
  pauseFor,
  TRIAL_SCHEMA,
  TRIAL_TABLE,
} from '../dialect/shared/control/trial.js'
import { textIn } from '../dialect/statement/rows.js'
import type { Statement } from '../dialect/statement/statement.js'
import { type ActSession, withActSession } from '../effect/acts/act-session.js'
import type { EffectServer } from '../effect/kit/server.js'
import type { Hold } from './step.js'

/** Longest time of the statements of one step. */
const STATEMENTS_MS = 20 * SECOND
/** How long a statement lasts that is to be found running; the session is ended before. */
const LASTS_SECONDS = 120
/** Between two lists of sessions. */
const LIST_MS = 100
/** Rows that are never committed. */
const HELD_ROW = -1

/** Rows from the number on, each in a transaction of its own. Failures: `wrong-state`: the schema holds something else; those of a session. */
export const writeRows = (
  server: EffectServer,
  { from, rows, signal }: { readonly from: number; readonly rows: number; readonly signal: AbortSignal },
): Promise<Result<unknown>> =>
  withActSession(server, { limitMs: STATEMENTS_MS, signal }, async (session) => {
    const own = await isOwn(session)
    if (!own.ok) return own
    const inserts = Array.from({ length: rows }, (_, index) => insertTrialRow(from + index))
    return session.run([writeBinlog(true), ...createTrialTable, ...inserts])
  })

/** How many rows the server shows. */
export const countRows = (server: EffectServer, signal: AbortSignal): Promise<Result<number>> =>
  withActSession(server, { limitMs: STATEMENTS_MS, signal }, async (session) => {
    const rows = await session.ask(countTrialRows)
    return rows.ok ? ok(Number(rows.value[0]?.entries)) : rows
  })

/** Removes the schema on the primary. Failures as `writeRows`. */
export const removeSchema = (primary: EffectServer, signal: AbortSignal): Promise<Result<unknown>> =>
  withActSession(primary, { limitMs: STATEMENTS_MS, signal }, async (session) => {
    const own = await isOwn(session)
    return own.ok ? session.run([writeBinlog(true), dropTrialSchema]) : own
  })

async function isOwn(session: ActSession): Promise<Result<void>> {
  const listed = await session.ask(listTrialTables)
  if (!listed.ok) return listed
  const others = listed.value.map((row) => textIn(row, 'name')).filter((name) => name !== TRIAL_TABLE)
  if (others.length === 0) return done
  return fail(
    'wrong-state',
    `${session.name}: schema ${TRIAL_SCHEMA} holds ${others.slice(0, 3).join(', ')}, which no test created: move what is there, or drop it`,
  )
}

/** A session that holds something; it ends with the manager, too. */
export interface Held {
  readonly server: EffectServer
  readonly session: SqlSession
}

interface Holding {
  /** Answered before it is held. */
  readonly first: readonly Statement[]
  /** Runs on. */
  readonly last?: Statement
}

const holdings: Readonly<Record<Hold, Holding>> = {
  'open-transaction': { first: [beginTransaction, insertTrialRow(HELD_ROW)] },
  'busy-transaction': { first: [beginTransaction, insertTrialRow(HELD_ROW)], last: pauseFor(LASTS_SECONDS) },
  'long-write': { first: [beginTransaction], last: insertSlowly(HELD_ROW, LASTS_SECONDS) },
  applier: { first: [lockTrialTable] },
}

/** Held for all to see when it resolves. Failures: those of a session. */
export async function openHold(server: EffectServer, what: Hold, signal: AbortSignal): Promise<Result<Held>> {
  const opened = await openSession(server.target)
  if (!opened.ok) return opened
  const session = opened.value
  const { first, last } = holdings[what]
  for (const { sql, values } of [boundLockWaits(STATEMENTS_MS / SECOND / 2), ...first]) {
    const ran = await session.run(sql, values, STATEMENTS_MS)
    if (ran.ok) continue
    session.close()
    return ran
  }
  if (last) void session.run(last.sql, last.values, (LASTS_SECONDS + 1) * SECOND)
  const held = { server, session }
  if (what === 'applier') return ok(held)
  const shown = await isShown(held, signal)
  if (shown.ok) return ok(held)
  await endHold(held, signal)
  return shown
}

/** The server lists it among those that hold up a switchover: InnoDB refreshes its list of transactions only now and then. */
const isShown = ({ server, session }: Held, signal: AbortSignal): Promise<Result<void>> =>
  withActSession(server, { limitMs: STATEMENTS_MS, signal }, async (own) => {
    for (;;) {
      const listed = await own.ask(server.dialect.longWrites(0))
      if (!listed.ok) return listed
      if (listed.value.some(({ id }) => Number(id) === session.threadId)) return done
      if (own.remaining() === 0) return fail('deadline-passed', `${own.name} does not list what the test holds`)
      await sleep(LIST_MS, own.signal)
    }
  })

/** Ends it on the server, too, where a statement would run on. */
export async function endHold({ server, session }: Held, signal: AbortSignal): Promise<Result<unknown>> {
  if (!session.open) return done
  const { threadId } = session
  const ended = await withActSession(server, { limitMs: STATEMENTS_MS, signal }, (own) =>
    own.run([killSession(threadId)]),
  )
  session.close()
  return ended
}
