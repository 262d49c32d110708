// Rebuilds or measures the tables of one server, one after the other, with a line for each; a table that fails does not stop the rest.
import { done, fail, type Result } from '../../base/result.js'
import { HOUR, MINUTE, SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import { ensureWholeList } from '../../connect/sql/whole-list.js'
import { analyzeTable, listOptimizable, optimizeTable } from '../../dialect/shared/control/tables.js'

const LIST_MS = MINUTE
/** Longest time of one table. */
const TABLE_MS = 6 * HOUR

export interface OptimizeRun {
  /** Ends it before the next table. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/** Failures: those of a session, `wrong-state` where the account may not see all tables, and `sql-failed` naming the tables that could not be rebuilt. */
export const optimizeTables = (target: SqlTarget, run: OptimizeRun): Promise<Result<void>> =>
  onEachTable(target, run, { statementOf: optimizeTable, verb: 'rebuilt' })

/** Takes the statistics of the optimizer again. Failures: likewise. */
export const analyzeTables = (target: SqlTarget, run: OptimizeRun): Promise<Result<void>> =>
  onEachTable(target, run, { statementOf: analyzeTable, verb: 'analyzed' })

interface TableWork {
  readonly statementOf: typeof optimizeTable
  /** Past participle. */
  readonly verb: string
}

async function onEachTable(
  target: SqlTarget,
  { signal, log }: OptimizeRun,
  { statementOf, verb }: TableWork,
): Promise<Result<void>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const session = opened.value
  const end = () => session.close()
  signal.addEventListener('abort', end, { once: true })
  try {
    const whole = await ensureWholeList(session, 'tables')
    if (!whole.ok) return whole
    const listed = await session.run(listOptimizable.sql, listOptimizable.values, LIST_MS)
    if (!listed.ok) return listed
    const failed: string[] = []
    for (const row of listed.value[0] ?? []) {
      if (signal.aborted) return fail('deadline-passed', `ended before every table was ${verb}`)
      const [schema, table] = [String(row.schema_name), String(row.table_name)]
      const statement = statementOf(schema, table)
      const began = performance.now()
      const answer = await session.run(statement.sql, statement.values, TABLE_MS)
      if (!answer.ok && answer.failure.code !== 'sql-failed') return answer
      const error = answer.ok ? errorIn(answer.value[0] ?? []) : answer.failure.message
      if (error !== undefined) failed.push(`${schema}.${table}: ${error}`)
      const seconds = ((performance.now() - began) / SECOND).toFixed(1)
      log(`${schema}.${table} ${error === undefined ? `${verb} in ${seconds} s` : `not ${verb}: ${error}`}`)
    }
    return failed.length === 0 ? done : fail('sql-failed', `${failed.length} not ${verb}: ${failed.join('; ')}`)
  } finally {
    signal.removeEventListener('abort', end)
    session.close()
  }
}

const errorIn = (rows: readonly Readonly<Record<string, unknown>>[]): string | undefined => {
  const row = rows.find((each) => String(each.Msg_type).toLowerCase() === 'error')
  return row && String(row.Msg_text)
}
