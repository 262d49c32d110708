// Rows that a database gave on request, in the shapes clients read.
import { nullString } from '../kit/null.js'

export type Row = Readonly<Record<string, unknown>>

/** Rows whose columns may come in any case. */
const rowsOf = (rows: readonly Row[]): readonly Row[] => rows.map(lowerKeys)

const lowerKeys = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value]))

export const text = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : String(value)
export const number = (value: unknown): number => (Number.isFinite(Number(value)) ? Number(value) : 0)

/** `S/variables`, `S/status`: sorted by name. */
export const renderVariables = (rows: readonly Row[]) =>
  rowsOf(rows)
    .map((row) => ({
      variableName: (text(row.variable_name) ?? '').toUpperCase(),
      value: text(row.value ?? row.variable_value) ?? '',
    }))
    .sort((left, right) => (left.variableName < right.variableName ? -1 : 1))

/** `S/processlist`. */
export const renderProcesses = (rows: readonly Row[], url: string) =>
  rowsOf(rows).map((row) => ({
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

export const nullFloat = (value: unknown) => ({ Float64: number(value), Valid: text(value) !== undefined })

/** `S/master-status`. */
export function renderMasterStatus(rows: readonly Row[]) {
  const [row] = rowsOf(rows)
  return {
    file: text(row?.file) ?? '',
    position: number(row?.position),
    binlogDoDB: text(row?.binlog_do_db) ?? '',
    binlogIgnoreDB: text(row?.binlog_ignore_db) ?? '',
  }
}

/** `S/tables`: largest first; checksums and shards are not compared by reading. */
export const renderTables = (rows: readonly Row[]) =>
  rows.map((row) => ({
    table_schema: text(row.table_schema) ?? '',
    table_name: text(row.table_name) ?? '',
    engine: text(row.engine) ?? '',
    table_rows: number(row.table_rows),
    data_length: number(row.data_length),
    index_length: number(row.index_length),
    table_crc: 0,
    table_clusters: '',
    table_sync: '',
  }))

/** `S/vtables`: the same by `schema.table`. */
export const renderVirtualTables = (rows: readonly Row[]) =>
  Object.fromEntries(renderTables(rows).map((table) => [`${table.table_schema}.${table.table_name}`, table]))

/** `S/schemas`. */
export const renderSchemas = (rows: readonly Row[]) => rows.map(({ name }) => text(name) ?? '')

/** `S/meta-data-locks`. */
export const renderLocks = (rows: readonly Row[]) =>
  rows.map((row) => ({
    threadId: number(row.thread_id),
    lockMode: nullString(text(row.lock_mode)),
    lockDuration: nullString(text(row.lock_duration)),
    lockTimeMs: { Int64: number(row.lock_time_ms), Valid: text(row.lock_time_ms) !== undefined },
    lockType: nullString(text(row.lock_type)),
    lockCatalog: nullString(text(row.lock_catalog)),
    lockSchema: nullString(text(row.lock_schema)),
    lockName: nullString(text(row.lock_name)),
  }))

/** `S/lock-waits`: one line for each pair of sessions of which one waits for a row lock of the other. */
export const renderLockWaits = (rows: readonly Row[]) =>
  rowsOf(rows).map((row) => ({
    waitingThread: number(row.waiting_thread),
    waitingUser: text(row.waiting_user) ?? '',
    waitingHost: text(row.waiting_host) ?? '',
    waitingStatement: text(row.waiting_statement) ?? '',
    waitedMs: number(row.waited_ms),
    blockingThread: number(row.blocking_thread),
    blockingUser: text(row.blocking_user) ?? '',
    blockingHost: text(row.blocking_host) ?? '',
    blockingStatement: text(row.blocking_statement) ?? '',
    blockingMs: number(row.blocking_ms),
    blockingRows: number(row.blocking_rows),
    lockMode: text(row.lock_mode) ?? '',
    lockTable: text(row.lock_table) ?? '',
    lockIndex: text(row.lock_index) ?? '',
  }))

/** `S/query-response-time`: `time` is the upper bound of each line, `total` the time spent in it, seconds. */
export const renderResponseTimes = (rows: readonly Row[]) =>
  rows.map((row) => ({ time: text(row.time) ?? '', count: number(row.count), total: text(row.total) ?? '' }))

/** `S/errorlog`, newest first. */
export function renderErrorLog(rows: readonly Row[], url: string) {
  const buffer = rows.map((row) => ({
    group: url,
    level: text(row.level) ?? 'INFO',
    timestamp: (text(row.at) ?? '').replaceAll('-', '/'),
    text: text(row.text) ?? '',
  }))
  return { buffer, len: buffer.length, line: buffer.length }
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
export const renderChannels = (rows: readonly Row[]) =>
  rowsOf(rows).map((row) =>
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
