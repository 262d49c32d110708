// What a decoded binary log consists of: events, the rows that they change, and whole transactions. Plain data.

export type ValueForm = 'number' | 'text' | 'bytes' | 'bits' | 'null'

/** One column of a row image. Binary logs hold positions, no names. */
export interface ColumnValue {
  /** From 1, as the table defines its columns at that time. */
  readonly position: number
  /** As the log names it: `INT`, `VARSTRING(40)`, `DECIMAL(10,2)`. */
  readonly type: string
  readonly form: ValueForm
  /** Text; hexadecimal digits for `bytes`; the digits of `bits`; empty for `null`. A number is read as signed. */
  readonly value: string
  /** The same number read as unsigned, where it differs: the log does not hold which one the column means. */
  readonly unsigned?: string
  /** False where the tool prints two different values alike: a backslash in text that MariaDB's tool did not escape. */
  readonly exact: boolean
}

export type RowImage = readonly ColumnValue[]

/** An insert has no `before`, a delete no `after`. With minimal row images both hold only some columns. */
export interface ChangedRow {
  readonly before?: RowImage
  readonly after?: RowImage
}

export type RowChangeKind = 'insert' | 'update' | 'delete'

export type LogEventKind = RowChangeKind | 'start' | 'begin' | 'statement' | 'commit' | 'rollback' | 'rotate'

/** Where something of a log lies, when it was written, and by whom. */
export interface LogPlace {
  /** The transaction; absent where the server logs none. */
  readonly gtid?: string
  /** Milliseconds since the epoch. Resolution: one second on MariaDB; on MySQL the commit of the transaction, exact. */
  readonly at: number
  readonly file: string
  /** From its first byte to its last one in the file; of a transaction: to the end of its commit. */
  readonly offset: number
  readonly end: number
  /** `server_id` of the server on which it was written first. */
  readonly serverId: number
  /** Connection that wrote it, where the log has it. */
  readonly thread?: number
}

export interface LogEvent extends LogPlace {
  readonly kind: LogEventKind
  /** The table of changed rows; the schema in force of a statement. */
  readonly schema?: string
  readonly table?: string
  readonly rows: readonly ChangedRow[]
  /** A statement; with rows: the statement that changed them, where the server logs it; `start`: what precedes the file. */
  readonly text?: string
}

/** Everything of one GTID. */
export interface LogTransaction extends LogPlace {
  /** Row changes and statements in order; rows beyond the limit of the reader are counted and left out. */
  readonly changes: readonly LogEvent[]
  readonly rowCount: number
  readonly truncated: boolean
  /** False at the end of a log that was cut within it, and where it was rolled back. */
  readonly committed: boolean
}
