// The job table of one database: orders written, read and ended, each in a short session that replicates nothing.
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession, SqlTarget } from '../../connect/sql/session.js'
import {
  endJob,
  type JobOrder,
  makeJobTable,
  openJob,
  orderJob,
  parseJobRows,
  readJobTable,
} from '../../dialect/shared/backup/jobs.js'
import type { Rows, Statement } from '../../dialect/statement/statement.js'
import type { HostTaskRow } from '../../model/operation/host-task.js'
import type { HostReach, HostTaskEnd, HostTaskRequest, HostTaskRun } from './request.js'

/** Of each statement; a lock on the table must not keep anything waiting. */
const STATEMENT_MS = 5 * SECOND
const LOGIN_MS = 3 * SECOND

/** Number of the row in the answer of `openJob`. */
export interface JobTable {
  order(order: JobOrder): Promise<Result<number>>
  read(): Promise<Result<readonly HostTaskRow[]>>
  /** True when the row was in one of these states and has ended now. */
  end(row: Parameters<typeof endJob>[1]): Promise<Result<void>>
}

export const jobTable = (target: SqlTarget, schema: string): JobTable => ({
  order: (order) => inSession(target, (session) => place(session, schema, order)),
  read: () =>
    inSession(target, async (session) => {
      const read = await run(session, [readJobTable(schema)])
      // A database without the table has no orders.
      if (!read.ok) return /\b(1146|1049)\b/.test(read.failure.message) ? ok([]) : read
      return ok(parseJobRows(read.value.at(-1) ?? []))
    }),
  end: (row) =>
    inSession(target, async (session) => {
      const ended = await run(session, endJob(schema, row))
      return ended.ok ? ok(undefined) : ended
    }),
})

async function place(session: SqlSession, schema: string, order: JobOrder): Promise<Result<number>> {
  const made = await run(session, makeJobTable(schema))
  if (!made.ok) return made
  const before = await run(session, [openJob(schema, order.task)])
  if (!before.ok) return before
  const [open] = before.value[0] ?? []
  if (open)
    return fail(
      'operation-running',
      `the job table has an open row of ${order.task} (number ${String(open.id)}, state ${String(open.state)}): cancel it, or wait for its end`,
    )
  const ordered = await run(session, [...orderJob(schema, order), openJob(schema, order.task)])
  if (!ordered.ok) return ordered
  const id = Number(ordered.value.at(-1)?.[0]?.id)
  return Number.isInteger(id) ? ok(id) : fail('sql-failed', `the order ${order.task} is not in the job table`)
}

async function run(session: SqlSession, statements: readonly Statement[]): Promise<Result<readonly Rows[]>> {
  return session.run(
    statements.map(({ sql }) => sql).join(';\n'),
    statements.flatMap(({ values }) => values),
    STATEMENT_MS,
  )
}

async function inSession<T>(target: SqlTarget, work: (session: SqlSession) => Promise<Result<T>>): Promise<Result<T>> {
  const connectTimeoutMs = Math.min(target.connectTimeoutMs, LOGIN_MS)
  const session = await openSession({ ...target, connectTimeoutMs })
  if (!session.ok) return session
  try {
    return await work(session.value)
  } finally {
    session.value.close()
  }
}

export interface Recorded {
  /** Of the row; 0 without one. */
  readonly id: number
  end(result: Result<HostTaskEnd>): Promise<void>
}

/** The result of a row whose work runs in a session of the manager. */
const SESSION = 'in a session of the manager'

/** A row for a task that runs in a session: for people and scripts that read the table. A database that does not answer has none. */
export async function recordStart(
  { target, schema, service }: HostReach,
  { task, stream }: HostTaskRequest,
  { log }: HostTaskRun,
): Promise<Result<Recorded>> {
  const table = jobTable(target, schema)
  const place = { port: stream?.port ?? 0, server: stream?.host ?? '' }
  const order: JobOrder = { task, ...place, payload: '', state: 1, result: SESSION }
  const first = await table.order(order)
  const ordered = isTaken(first) && (await freeStale(table, task)) ? await table.order(order) : first
  if (!ordered.ok && isTaken(ordered)) return fail('operation-running', `${service.name}: ${ordered.failure.message}`)
  if (!ordered.ok) {
    log(`no row in the job table: ${ordered.failure.message}`)
    return ok({ id: 0, end: async () => {} })
  }
  const id = ordered.value
  return ok({
    id,
    end: async (result) => {
      const text = result.ok ? result.value.lines.join('\n') : result.failure.message
      const written = await table.end({ id, state: result.ok ? 4 : 5, result: text.slice(-60_000), states: [0, 1, 2] })
      if (!written.ok) log(`the end of row ${id} is not in the job table: ${written.failure.message}`)
    },
  })
}

const isTaken = (ordered: Result<number>): boolean => !ordered.ok && ordered.failure.code === 'operation-running'

/** Ends the row of a session that an earlier manager had; the script's own lock says whether that still works. */
async function freeStale(table: JobTable, task: string): Promise<boolean> {
  const rows = await table.read()
  const row = rows.ok && rows.value.find((each) => each.task === task && !each.done && each.result === SESSION)
  if (!row) return false
  return (await table.end({ id: row.id, state: 5, result: 'the manager that ran it ended', states: [1, 2] })).ok
}
