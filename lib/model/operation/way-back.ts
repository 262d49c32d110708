// How a server that cannot simply follow gets its data back: the ways, what is wrong with it, and what was tried.
import type { Asker } from '../../access/index.js'
import type { GtidSet } from '../server/gtid.js'
import type { ServerId } from '../server/server.js'

/**
 * From the cheapest on. `direct`: it follows, nothing is copied. `flashback`: what it wrote alone is undone by its own binary log.
 * `rebuild`: the orchestrator moves its data aside and fills an empty server from a donor. `dump`: its data are replaced by a
 * dump of the source. `logical-backup`, `physical-backup`: by a stored backup. `zfs`: its file system goes back to a snapshot. `script`:
 * an operator's program.
 */
export const returnMethods = [
  'direct',
  'flashback',
  'rebuild',
  'dump',
  'logical-backup',
  'physical-backup',
  'zfs',
  'script',
] as const

export type ReturnMethod = (typeof returnMethods)[number]

/** What keeps it from following. */
export type ReturnCause =
  /** It has transactions that the primary is missing. */
  | 'diverged'
  /** It has no transactions although the primary has. */
  | 'empty'
  /** It needs binary logs that its source has deleted. */
  | 'purged'
  /** It lost transactions of its own, and cannot receive them. */
  | 'incomplete'
  /** Nothing: it is replaced because a person, or `autorejoin-force-restore`, asks for it. */
  | 'asked'

/** One way, judged. */
export interface Way {
  readonly method: ReturnMethod
  readonly allowed: boolean
  /** What allows it, or why it is not possible: one sentence. */
  readonly why: string
  /** Whether the data of the server are removed. */
  readonly replaces: boolean
  /** Whose data are read; absent: nobody's. */
  readonly source?: ServerId
  /** Bytes that are read and written; absent: not known. */
  readonly bytes?: number
  /** Estimate until it replicates, milliseconds; absent: not known. */
  readonly estimateMs?: number
  /** What the source notices of it. */
  readonly load: 'none' | 'light' | 'heavy'
}

/** What a server needs, every way back, and the chosen one: what a person confirms by its id. */
export interface ReturnPlan {
  /** Names server, cause, transactions and way: another state of the server has another id. */
  readonly id: string
  readonly server: ServerId
  readonly name: string
  readonly cause: ReturnCause
  readonly reason: string
  /** What only it has, and how many transactions these are. */
  readonly extra: string
  readonly extraCount: number
  /** Where these are saved; absent: they are saved before anything else is done. */
  readonly saved?: string
  readonly ways: readonly Way[]
  /** Absent: none is possible. */
  readonly chosen?: ReturnMethod
  /** What is no longer on the server afterwards: one sentence. */
  readonly loss: string
}

export interface ReturnAttempt {
  readonly method: ReturnMethod
  readonly at: number
  /** Why it failed. */
  readonly failure: string
}

/** Remembered of a server until it follows again. */
export interface Return {
  /** When the work began, and of what it is the last try. */
  readonly since: number
  readonly attempts: readonly ReturnAttempt[]
  /** Work is under way: nothing else touches the server. */
  readonly active?: ReturnMethod
  /** Whose data are read. */
  readonly source?: ServerId
  /** Its data are a copy, and it is to follow: nothing else is done to it. */
  readonly filled?: true
  /** Where what only it had was saved. */
  readonly tail?: string
  /** Times that every way failed. */
  readonly rounds?: number
  /** A person asked for it, with this way. */
  readonly asked?: { readonly user: string; readonly method: ReturnMethod; readonly asker?: Asker }
  /** Not tried again before. */
  readonly restUntil?: number
}

/** What is known of the saved transactions of a server. */
export interface TailFacts {
  readonly directory: string
  /** By position: what the saved events hold. */
  readonly gtids: GtidSet
  readonly bytes: number
  /** Why it cannot be undone: a statement, a DDL, a missing row image; absent: row events of transactions only. */
  readonly unfit?: string
  /** `schema.table` of every row event. */
  readonly tables: readonly string[]
  /** When the first of them was written, by the clock of its host; seconds since 1970. */
  readonly since?: number
}
