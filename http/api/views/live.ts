// Rows that a database gave on request, in the shapes clients read.
import { nullString } from './null.js'

type Row = Readonly<Record<string, unknown>>

/** The rows of an answer whose columns may come in any case; what is no list of rows has none. */
const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.map(lowerKeys) : [])

const lowerKeys = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value]))

const text = (value: unknown): string | undefined => (value === null || value === undefined ? undefined : String(value))
const number = (value: unknown): number => (Number.isFinite(Number(value)) ? Number(value) : 0)

/** `S/variables`, `S/status`: sorted by name. */
export const renderVariables = (value: unknown) =>
  rowsOf(value)
    .map((row) => ({
      variableName: (text(row.variable_name) ?? '').toUpperCase(),
      value: text(row.value ?? row.variable_value) ?? '',
    }))
    .sort((left, right) => (left.variableName < right.variableName ? -1 : 1))

/** `S/processlist`. */
export const renderProcesses = (value: unknown, url: string) =>
  rowsOf(value).map((row) => ({
    id: number(row.id),
    user: text(row.user) ?? '',
    host: text(row.host) ?? '',
    db: nullString(text(row.db)),
    command: text(row.command) ?? '',
    time: nullFloat(row.time),
    timeMs: nullFloat(row.time_ms ?? (text(row.time) === undefined ? undefined : number(row.time) * 1000)),
    state: nullString(text(row.state)),
    info: nullString(text(row.info)),
    progress: nullFloat(row.progress),
    rowsSent: number(row.rows_sent),
    rowsExamined: number(row.examined_rows ?? row.rows_examined),
    url,
  }))

const nullFloat = (value: unknown) => ({ Float64: number(value), Valid: text(value) !== undefined })

/** `S/master-status`. */
export function renderMasterStatus(value: unknown) {
  const [row] = rowsOf(value)
  return {
    file: text(row?.file) ?? '',
    position: number(row?.position),
    binlogDoDB: text(row?.binlog_do_db) ?? '',
    binlogIgnoreDB: text(row?.binlog_ignore_db) ?? '',
  }
}

/** Column (old and new name) → key, where the key is not the column's old name in lower camel case. */
const channelKeys: ReadonlyMap<string, string> = new Map([
  ['slave_io_running', 'slaveIoRunning'],
  ['slave_sql_running', 'slaveSqlRunning'],
  ['slave_sql_running_state', 'slaveSQLRunningState'],
  ['replica_io_running', 'slaveIoRunning'],
  ['replica_sql_running', 'slaveSqlRunning'],
  ['replica_sql_running_state', 'slaveSQLRunningState'],
  ['slave_heartbeat_period', 'slaveHeartbeatPeriod'],
])

/** Columns whose values are numbers, by key. */
const whole = new Set(['secondsBehindMaster'])
const plain = new Set(['masterServerId', 'slaveHeartbeatPeriod'])

/** `S/all-slaves-status`: every column the server prints, under its old name. */
export const renderChannels = (value: unknown) =>
  rowsOf(value).map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([column, cell]) =>
        channelKeysOf(column).map((key) => [key, channelValue(column, cell)]),
      ),
    ),
  )

/** The key, and a misspelt one that clients read. */
const channelKeysOf = (column: string): readonly string[] =>
  column === 'replicate_do_domain_ids' ? ['replicateDoDomainIds', 'eeplicateDoDomainIds'] : [channelKey(column)]

function channelKey(column: string): string {
  const known = channelKeys.get(column)
  if (known) return known
  return column
    .replaceAll('source', 'master')
    .replaceAll('replica_', 'slave_')
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function channelValue(column: string, cell: unknown) {
  const key = channelKey(column)
  if (plain.has(key)) return number(cell)
  if (whole.has(key)) return { Int64: number(cell), Valid: text(cell) !== undefined }
  return nullString(text(cell))
}
