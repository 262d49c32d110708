// All servers of a cluster as they were at one point: what would be done and undone, and what is remembered while it is done.
import type { ServerId } from '../server/server.js'
import type { RecoveryTarget } from './recovery.js'

/** Rows of one table that a search or a recovery concerns. */
export interface TableChanges {
  readonly schema: string
  readonly table: string
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** One transaction of a stored binary log. */
export interface FoundTransaction {
  readonly gtid: string
  /** Milliseconds since the epoch; of MariaDB whole seconds. */
  readonly at: number
  /** Where it is stored, and the file and offsets as its server named them. */
  readonly term: string
  readonly file: string
  readonly offset: number
  readonly end: number
  /** Connection that wrote it, where the log has it. */
  readonly thread?: number
  readonly tables: readonly TableChanges[]
  /** Statements, each cut after 200 characters; at most five. */
  readonly statements: readonly string[]
}

/** Where what is stored begins and ends. */
export interface StoredRange {
  /** Milliseconds since the epoch; absent: nothing is stored. */
  readonly from?: number
  readonly to?: number
}

export interface FoundTransactions {
  /** Oldest first. */
  readonly transactions: readonly FoundTransaction[]
  /** More than the limit were found: the later ones are left out. */
  readonly more: boolean
  readonly stored: StoredRange
}

/** What stands in the stored logs behind a point. */
export interface Undone {
  readonly transactions: number
  /** Time of the first and the last one, milliseconds since the epoch; absent: there is none. */
  readonly firstAt?: number
  readonly lastAt?: number
  readonly first?: string
  readonly last?: string
  /** Most rows first. */
  readonly tables: readonly TableChanges[]
  /** What changed definitions: DROP, ALTER and the like; at most twenty, the earliest first. */
  readonly statements: readonly string[]
}

/** A point in the stored history, and what stands behind it. */
export interface LocatedPoint {
  /** Id of the backup from which it is reached. */
  readonly backup: number
  /** Position of the restored data. */
  readonly position: string
  /** The last transaction that is kept; absent: the backup itself is the point. */
  readonly last?: { readonly gtid: string; readonly at: number }
  /** The first one that is not; absent: nothing later is stored. */
  readonly next?: { readonly gtid: string; readonly at: number }
  /** Transactions of lost primaries that are not a part of this history. */
  readonly left: readonly string[]
  readonly undone: Undone
  readonly stored: StoredRange
}

/** What each server gets. */
export interface ServerPlan {
  readonly server: ServerId
  readonly name: string
  readonly by: 'restore' | 'refill'
}

/** What a person confirms by its id. */
export interface ClusterRecoveryPlan extends LocatedPoint {
  /** Names backup, point and servers: another state has another id. Writes meanwhile only add to what is undone. */
  readonly id: string
  readonly servers: readonly ServerPlan[]
  /** What is gone afterwards: one sentence. */
  readonly loss: string
  /** What is done, in order. */
  readonly steps: readonly string[]
  /** What to know before: an end of the stored logs before the point, connections that may still write. */
  readonly risks: readonly string[]
}

/** Which stored transactions are looked for. */
export interface LogWish {
  readonly schema?: string
  readonly table?: string
  /** Milliseconds since the epoch, both inclusive. */
  readonly from?: number
  readonly to?: number
  readonly gtid?: string
}

/** What is asked for. */
export interface ClusterRecoveryWish {
  /** Absent: the newest valid one from before the point. */
  readonly backup?: number
  readonly target: RecoveryTarget
}

/**
 * `saving`: nothing is removed yet. `restoring`: the primary is saved, emptied and loaded. `refilling`: the primary is whole, the others are
 * filled from it. `opening`: all are whole.
 */
export type RecoveryStage = 'saving' | 'restoring' | 'refilling' | 'opening'

/** Remembered from its first step until the cluster takes writes again: all its servers are in maintenance meanwhile. */
export interface RunningRecovery {
  /** Of the confirmed plan. */
  readonly id: string
  readonly wish: ClusterRecoveryWish
  readonly user: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly primary: ServerId
  readonly servers: readonly ServerId[]
  /** Every GTID that the servers showed before: none of them is given again. */
  readonly history: string
  readonly stage: RecoveryStage
  /** Servers that are filled already. */
  readonly filled: readonly ServerId[]
  /** The primary had no schema: it is a new server, and gets the accounts of the backup. */
  readonly isNew?: boolean
  /** What was there before, as a dump. */
  readonly saved?: string
  /** Why it stopped; absent while it runs. */
  readonly failure?: string
}
