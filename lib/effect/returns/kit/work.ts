// What the process that brings a server back is given, and what it reports: plain data, secrets included, over its own channel.
import type { SqlTarget } from '../../../connect/sql/session.js'
import type { Divergence, DivergenceAction } from '../../../model/operation/divergence.js'
import type { TailFacts } from '../../../model/operation/way-back.js'
import type { GtidSet } from '../../../model/server/gtid.js'
import type { Flavour } from '../../../model/server/version.js'

/** A server as that process logs in on it. */
export interface WorkServer {
  readonly name: string
  readonly target: SqlTarget
  readonly flavour: Flavour
}

/** Reads what the saved binary logs of an old primary hold. */
export interface ReadTail {
  readonly type: 'read-tail'
  readonly directory: string
  /** In the first of the saved files: where its own transactions begin. */
  readonly position: number
  /** Path of mariadb-binlog or mysqlbinlog; '' searches the path. */
  readonly binlogTool: string
}

/** Undoes the saved transactions on the server that wrote them, proves it against the source, and sets its position. */
export interface UndoTail extends Omit<ReadTail, 'type'> {
  readonly type: 'undo-tail'
  readonly server: WorkServer
  readonly source: WorkServer
  /** The last transactions that both have, as the server prints its position. */
  readonly fork: string
  /** From where on the source wrote without it, in the source's binary log. */
  readonly sourceFile: string
  readonly sourcePosition: number
  /** `schema.table` of what is undone. */
  readonly tables: readonly string[]
  /** At most so much of the source's binary log is replayed for the proof, bytes. */
  readonly proofBytes: number
}

/** Empties the server and fills it with a dump of the source. */
export interface LoadDump {
  readonly type: 'load-dump'
  readonly server: WorkServer
  readonly source: WorkServer
  /** Folder for the option files of the tools. */
  readonly directory: string
  readonly dumpTool: string
  readonly clientTool: string
  /** Further options of the dump tool. */
  readonly dumpOptions: readonly string[]
}

/** Empties the server: no user data, no history; its events do not run until it is placed. */
export interface EmptyServer {
  readonly type: 'empty-server'
  readonly server: WorkServer
}

/** Reads what only the server has, row by row. */
export interface ReadDivergence {
  readonly type: 'read-divergence'
  readonly server: WorkServer
  /** By origin. */
  readonly extra: GtidSet
  /** Binary logs that were saved, and where its own transactions begin in the first; absent: they are read from the server. */
  readonly saved?: { readonly directory: string; readonly position: number }
  /** Whose tables name the columns. */
  readonly shapesOf: WorkServer
  readonly binlogTool: string
  /** Folder for the option files of the tools. */
  readonly directory: string
  /** Rows beyond are counted only. */
  readonly mostRows: number
}

/** Settles it; `dry`: only looks for conflicts, everything is rolled back. */
export interface SettleDivergence extends Omit<ReadDivergence, 'type'> {
  readonly type: 'settle-divergence'
  readonly action: DivergenceAction
  readonly kind: 'errant' | 'lost'
  readonly primary: WorkServer
  readonly dry: boolean
}

export type DivergenceFound = Pick<Divergence, 'transactions' | 'tables' | 'missing'>

export interface Settled {
  /** Rows that are not as the transactions left or found them; nothing is changed while there is one. */
  readonly conflicts: readonly string[]
  readonly text: string
}

/** The server holds a copy: its events are disabled, its position is set. */
export interface PlaceServer {
  readonly type: 'place-server'
  readonly server: WorkServer
  readonly position: string
  /** Events ran on it before it was emptied. */
  readonly scheduled: boolean
}

export type ReturnWork = ReadTail | UndoTail | LoadDump | EmptyServer | PlaceServer | ReadDivergence | SettleDivergence

/** The work that reads answers what it found, the others a sentence. */
export type ReturnAnswer =
  | { readonly tail: TailFacts }
  | { readonly text: string; readonly scheduled?: boolean }
  | { readonly divergence: DivergenceFound }
  | { readonly settled: Settled }

export type FromWorker =
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'progress'; readonly bytes: number; readonly totalBytes?: number }
  | { readonly type: 'ended'; readonly result: import('../../../base/result.js').Result<ReturnAnswer> }

/** What a piece of work reports while it runs. */
export interface Reports {
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly progress: (figures: { readonly bytes: number; readonly totalBytes?: number }) => void
}
