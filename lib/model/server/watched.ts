// What slow probes read besides when settings ask for it: statements, transactions, disks. Plain data.

/** What is to be read of a server; a part that is not wanted costs no statement. */
export interface Watched {
  /** Statements that run for so long, and waits for the lock of a table's definition; absent: not read. Milliseconds. */
  readonly statementsMs?: number
  /** Transactions that are open for so long; absent: not read. Milliseconds. */
  readonly transactionsMs?: number
  /** File systems, where the server lists them. */
  readonly disks?: true
  /** Enabled events, also where the event scheduler is off. */
  readonly events?: true
  /** Names of hosts that are resolved as this machine does; addresses among them are not. */
  readonly hosts?: readonly string[]
  /** The list of plugins is not read. */
  readonly withoutPlugins?: true
}

/** A session that has been busy with one statement for a long time, or idle within a transaction. */
export interface LongSession {
  /** Its connection id. */
  readonly id: number
  readonly user: string
  /** As the server prints it, with the port of the client. */
  readonly host: string
  readonly schema: string
  /** Since the statement, or the transaction, began. */
  readonly seconds: number
  readonly state: string
  /** Without passwords, at most LONGEST_STATEMENT characters; empty where none runs. */
  readonly statement: string
  /** It waits for the lock of a table's definition. */
  readonly waitsForLock: boolean
  /** Rows changed by its open transaction; absent where only the statement is known. */
  readonly rowsChanged?: number
}

/** One file system, as the server or its host lists it. Bytes. */
export interface FileSystem {
  /** Where it is mounted. */
  readonly path: string
  readonly totalBytes: number
  readonly usedBytes: number
  /** Free for the database: less than what is free where some is reserved. */
  readonly availableBytes: number
}

/** A directory of a database with the file system that it is on. */
export interface Volume {
  readonly kind: 'data' | 'log' | 'temporary'
  readonly directory: string
  readonly fileSystem: FileSystem
}
