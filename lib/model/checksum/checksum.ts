// Checksums of tables: what is compared, in which parts, and what came of it. Plain data.
import type { ServerId } from '../server/server.js'

/**
 * How a key column is ordered, compared and written. `number`: integers and decimals. `text`: strings, by the column's
 * collation. `binary`: strings of bytes. `quoted`: what is read and compared as its text (dates and times, uuid, inet).
 * `ordinal`: enum, set and bit, by their number.
 */
export type KeyKind = 'number' | 'text' | 'binary' | 'quoted' | 'ordinal'

export interface KeyColumn {
  readonly name: string
  readonly kind: KeyKind
  readonly nullable: boolean
}

/** A column whose values are compared. */
export interface SummedColumn {
  readonly name: string
  /** `DATA_TYPE`, in lower case. */
  readonly type: string
  /** It is computed from others: never written. */
  readonly generated: boolean
  /** Its character set; empty where it has none. */
  readonly charset: string
}

export interface TableName {
  readonly schema: string
  readonly table: string
}

/** What is known of a table on one server. */
export interface TableShape extends TableName {
  readonly columns: readonly SummedColumn[]
  /** The unique key that orders its rows; absent where there is none that can. */
  readonly key?: TableKey
  /** Names, types, character sets and collations of the columns, in their order: equal where tables can be compared. */
  readonly definition: string
  /** Of the storage engine. */
  readonly transactional: boolean
}

export interface TableKey {
  readonly index: string
  readonly columns: readonly KeyColumn[]
}

/** The values of a key, as texts that `literalOf` of the dialect writes again; null is NULL. */
export type KeyValues = readonly (string | null)[]

/** A part of a table: the rows after `from` up to `to`, in the order of the key. Without a bound it is open on that side. */
export interface KeyRange {
  readonly from?: KeyValues
  readonly to?: KeyValues
}

/** A predicate on the columns of a key, by their index. What is unknown (NULL) counts as false. */
export type Condition =
  | { readonly type: 'and'; readonly of: readonly Condition[] }
  | { readonly type: 'or'; readonly of: readonly Condition[] }
  | { readonly type: 'null'; readonly column: number }
  | { readonly type: 'not-null'; readonly column: number }
  | {
      readonly type: 'compare'
      readonly column: number
      readonly sign: '=' | '<' | '>' | '<=' | '>='
      readonly value: string
    }

/** The rows of a part, in three figures that are equal exactly when the rows are. */
export interface ChunkSum {
  readonly rows: number
  readonly digest: string
  /** Sum of the CRC-32 of the rows. */
  readonly crc: number
}

/** One row in few words: its key, and a digest of its values. */
export interface RowDigest {
  readonly key: KeyValues
  readonly digest: string
}

export const rowDifferences = ['changed', 'missing', 'extra'] as const

/** `missing`: only the primary has it. `extra`: only the replica has it. */
export interface RowDifference {
  readonly kind: (typeof rowDifferences)[number]
  readonly key: KeyValues
}

/** A part that differs on a server. */
export interface ChunkDifference {
  readonly server: ServerId
  /** The number of the part within the table, from 1. */
  readonly chunk: number
  /** As SQL. */
  readonly predicate: string
  readonly rowsOnPrimary: number
  readonly rowsOnReplica: number
  /** The rows that differ, by key; the first ones where there are many. */
  readonly rows: readonly RowDifference[]
  /** How many differ; absent where too many rows would have had to be listed. */
  readonly rowCount?: number
}

/** What came of one server: `not-compared` names the reason. */
export const serverVerdicts = ['equal', 'different', 'not-compared'] as const

export interface ServerChecksum {
  readonly server: ServerId
  readonly name: string
  readonly verdict: (typeof serverVerdicts)[number]
  /** Why it was not compared, or what differs besides rows. */
  readonly reason?: string
  /** Parts that differ. */
  readonly chunks: number
  /** Rows that changed too fast to be compared. */
  readonly open: number
}

/** On the wire: WA, PR, OK, ER, NA. `not-compared`: it has no usable key and too many rows, or no server to compare with. */
export const checksumStates = ['waiting', 'running', 'equal', 'different', 'not-compared'] as const

export type ChecksumState = (typeof checksumStates)[number]

export interface TableChecksum extends TableName {
  readonly state: ChecksumState
  /** Number of the job. */
  readonly job: number
  /** `now()`. */
  readonly startedAt: number
  readonly endedAt?: number
  /** Of the primary that was compared with. */
  readonly primary: ServerId
  readonly chunks: number
  readonly rows: number
  /** CRC-32 of the whole table on the primary, modulo 2^32. */
  readonly crc: number
  readonly reason?: string
  readonly servers: readonly ServerChecksum[]
  readonly differences: readonly ChunkDifference[]
  /** Where a table that is not finished is gone on with. */
  readonly cursor?: KeyValues
  /** The columns of the key, in their order; absent without one. */
  readonly key?: readonly KeyColumn[]
}

/** What giving a replica the primary's rows would do. `id` is what a confirmation names. */
export interface RepairPlan extends TableName {
  readonly id: string
  readonly server: ServerId
  readonly name: string
  readonly rows: number
  readonly possible: boolean
  readonly refusal?: string
  readonly effect: string
  readonly steps: readonly string[]
}

/** Without the parts that differ: what lists show. */
export interface ChecksumList {
  readonly tables: readonly Omit<TableChecksum, 'differences' | 'cursor'>[]
  /** Whose turn is to come. */
  readonly waiting: readonly TableName[]
}
