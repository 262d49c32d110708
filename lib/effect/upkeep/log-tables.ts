// Rotates the tables that a server writes its logs to: each with rows is set aside by name and time, the oldest ones are dropped.
import { ok, type Result } from '../../base/result.js'
import { MINUTE, SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession, SqlTarget } from '../../connect/sql/session.js'
import { outOfBinlog } from '../../dialect/shared/backup/jobs.js'
import { dropLogTable, hasRows, listLogTables, setLogTableAside } from '../../dialect/shared/control/tables.js'
import type { Statement } from '../../dialect/statement/statement.js'

export interface RotateRun {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  /** Tables that are kept of each log. */
  readonly keep: number
}

const STATEMENT_MS = MINUTE
/** A lock on a log table is not waited for longer. */
const LOCK_SECONDS = 5

const logs = ['slow_log', 'general_log'] as const

/** Failures: those of a session, and `sql-failed`. The result says how many were set aside. */
export async function rotateLogTables(target: SqlTarget, run: RotateRun): Promise<Result<string>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const session = opened.value
  const end = () => session.close()
  run.signal.addEventListener('abort', end, { once: true })
  try {
    const prepared = await every(session, [
      outOfBinlog,
      { sql: 'SET SESSION lock_wait_timeout = ?', values: [LOCK_SECONDS] },
    ])
    if (!prepared.ok) return prepared
    const asides: string[] = []
    for (const table of logs) {
      const rotated = await rotate(session, table, run)
      if (!rotated.ok) return rotated
      asides.push(...rotated.value)
    }
    return ok(asides.length === 0 ? 'the log tables are empty' : `set aside: ${asides.join(', ')}`)
  } finally {
    run.signal.removeEventListener('abort', end)
    session.close()
  }
}

async function rotate(
  session: SqlSession,
  table: string,
  { log, keep }: RotateRun,
): Promise<Result<readonly string[]>> {
  const asides: string[] = []
  const filled = await session.run(hasRows(table).sql, hasRows(table).values, STATEMENT_MS)
  if (!filled.ok) return filled
  if (Number(filled.value[0]?.[0]?.n) > 0) {
    const aside = `${table}_${timeWord()}`
    const set = await every(session, setLogTableAside(table, aside))
    if (!set.ok) return set
    log(`mysql.${table} was set aside as mysql.${aside}`)
    asides.push(aside)
  }
  const listed = await session.run(listLogTables.sql, listLogTables.values, STATEMENT_MS)
  if (!listed.ok) return listed
  const old = (listed.value[0] ?? []).map(({ name }) => String(name)).filter((name) => name.startsWith(`${table}_`))
  for (const name of old.slice(0, Math.max(0, old.length - keep))) {
    const dropped = await every(session, [dropLogTable(name)])
    if (!dropped.ok) return dropped
    log(`mysql.${name} was dropped: ${keep} are kept`)
  }
  return ok(asides)
}

async function every(session: SqlSession, statements: readonly Statement[]): Promise<Result<void>> {
  for (const { sql, values } of statements) {
    const answer = await session.run(sql, values, STATEMENT_MS)
    if (!answer.ok) return answer
  }
  return ok(undefined)
}

/** `20261123_182130`, UTC: names sort by time. */
const timeWord = (): string =>
  new Date(Math.floor(Date.now() / SECOND) * SECOND).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_')
