// What only one server has, row by row: errant transactions of a replica, lost ones of an old primary. Plain data.
import type { ServerId } from '../server/server.js'

/** Column names to values as text; null is NULL, bytes are `0x…`. Columns without a known name are `@1`, `@2`. */
export type DivergedImage = Readonly<Record<string, string | null>>

export interface DivergedRow {
  readonly kind: 'insert' | 'update' | 'delete'
  /** `schema.table`. */
  readonly table: string
  /** Of the primary key, or of a unique one without NULL; empty where the table has none. */
  readonly key: DivergedImage
  readonly before?: DivergedImage
  readonly after?: DivergedImage
}

export interface DivergedTransaction {
  readonly gtid: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly file: string
  readonly offset: number
  /** `server_id` of the server on which it was written. */
  readonly serverId: number
  /** Connection that wrote it, where the log has it. */
  readonly thread?: number
  /** Statements as the client sent them, where the log has them. */
  readonly statements: readonly string[]
  readonly rows: readonly DivergedRow[]
  readonly rowCount: number
  /** More rows than are shown. */
  readonly truncated: boolean
  /** Statements that execute it again elsewhere, in order; absent: see `unfit`. */
  readonly apply?: readonly string[]
  /** Statements that take it back, in order. */
  readonly undo?: readonly string[]
  /** Why neither can be written: one sentence. */
  readonly unfit?: string
}

export interface DivergedTable {
  readonly table: string
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** `errant`: it replicates. `lost`: it does not, its history left that of the cluster. `saved`: it came back, these are kept. */
export type DivergenceKind = 'errant' | 'lost' | 'saved' | 'none'

export interface Divergence {
  readonly server: ServerId
  readonly name: string
  readonly kind: DivergenceKind
  /** As sets of transactions, by origin. */
  readonly extra: string
  /** The folder with the saved binary logs; absent: read from the server. */
  readonly saved?: string
  readonly transactions: readonly DivergedTransaction[]
  readonly tables: readonly DivergedTable[]
  /** Transactions of `extra` that no binary log has any more; '' when all were found. */
  readonly missing: string
}

/**
 * `apply`: the primary executes them, so all servers have them. `undo`: their rows are taken back on the server, unlogged, and
 * their GTIDs become empty transactions on the primary. `neutralise`: the GTIDs only; the rows stay.
 */
export const divergenceActions = ['apply', 'undo', 'neutralise'] as const

export type DivergenceAction = (typeof divergenceActions)[number]

export interface DivergencePlan {
  /** Names action, server and transactions: another state has another id. */
  readonly id: string
  readonly action: DivergenceAction
  readonly server: ServerId
  readonly name: string
  readonly kind: DivergenceKind
  readonly extra: string
  readonly possible: boolean
  /** Why it is not possible. */
  readonly refusal?: string
  /** Rows that are not as the transactions left or found them. */
  readonly conflicts: readonly string[]
  readonly steps: readonly string[]
  /** What is different afterwards: one sentence. */
  readonly effect: string
}
