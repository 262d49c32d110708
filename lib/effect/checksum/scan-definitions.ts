// Reads the definitions of all tables of a server, one after the other and with rests: no table is opened for its rows, and none is waited for.
import { fail, ok, type Result } from '../../base/result.js'
import { now, sleep } from '../../base/time.js'
import { defineColumns, defineIndexes, definitionLines } from '../../dialect/checksum/define.js'
import { describeEngine } from '../../dialect/checksum/describe.js'
import type { Rows, Statement } from '../../dialect/index.js'
import type { TableName } from '../../model/checksum/checksum.js'
import { listTablesOf } from './list-tables.js'
import type { Peer } from './peer.js'

/** Most tables of a server that are read. */
export const MOST_TABLES = 50_000
/** After so many tables the server rests as long as they took. */
const BETWEEN_RESTS = 10

export interface ScanRun {
  readonly besides: readonly string[]
  readonly signal: AbortSignal
  /** Failure: the scan ends. */
  readonly mayGoOn: () => Result<void>
  /** In the order of their names. `lines`: see `definitionLines`; a failure where it could not be read. */
  readonly found: (table: TableName, lines: Result<readonly string[]>) => void
}

/** The number of tables, and why there may be others (`listTablesOf`). Failures: those of the session, and of `mayGoOn`. */
export async function scanDefinitions(
  peer: Peer,
  run: ScanRun,
): Promise<Result<{ readonly tables: number; readonly hidden?: string }>> {
  const listed = await listTablesOf(peer, run.besides)
  if (!listed.ok) return listed
  const { hidden } = listed.value
  const tables = listed.value.tables.slice(0, MOST_TABLES)
  let began = now()
  for (const [index, table] of tables.entries()) {
    const may = run.mayGoOn()
    if (!may.ok) return may
    const lines = await readDefinition(peer, table)
    if (!lines.ok && lines.failure.code !== 'sql-failed') return lines
    // One that was dropped meanwhile has no lines.
    if (!lines.ok || lines.value.length > 0) run.found(table, lines)
    if ((index + 1) % BETWEEN_RESTS > 0) continue
    await sleep(now() - began, run.signal)
    if (run.signal.aborted) return fail('job-interrupted', 'the scan ends')
    began = now()
  }
  return ok({ tables: tables.length, ...(hidden === undefined ? {} : { hidden }) })
}

async function readDefinition(peer: Peer, table: TableName): Promise<Result<readonly string[]>> {
  const answers: Rows[] = []
  const statements: readonly Statement[] = [defineColumns(table), defineIndexes(table), describeEngine(table)]
  for (const statement of statements) {
    const rows = await peer.ask(statement)
    if (!rows.ok) return rows
    answers.push(rows.value)
  }
  const [columns = [], indexes = [], engine = []] = answers
  return ok(definitionLines(table, { columns, indexes, engine }))
}
