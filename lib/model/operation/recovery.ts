// What is asked of a recovery: from which backup, to which point, and what for; and what is remembered of a server that is created for one.
import type { Asker } from '../../access/index.js'
import type { ServerAddress, ServerId } from '../server/server.js'

/** Where a recovery stops. */
export type RecoveryTarget =
  /** The last transaction whose time is not later; milliseconds since the epoch. */
  | { readonly type: 'time'; readonly at: number }
  /** After this transaction, or just before it. */
  | { readonly type: 'gtid'; readonly gtid: string; readonly inclusive: boolean }
  /** The end of an event: a file of the primary, and an offset in it, bytes. */
  | { readonly type: 'position'; readonly file: string; readonly offset: number }
  /** Everything that is stored, of the latest primary or of one term. */
  | { readonly type: 'end'; readonly term?: string }

/** What is asked of a recovery. */
export interface RecoveryWish {
  readonly purpose: /** Restored, replayed, compared; nothing is changed. */
    | { readonly type: 'prove' }
    /** Tables of one schema as a file to load; all of them when none is named. */
    | { readonly type: 'dump'; readonly schema: string; readonly tables: readonly string[] }
    /** Replaces the schemas of a replica, which then stays alone, in maintenance. */
    | { readonly type: 'load'; readonly server: ServerId }
  /** Absent: the newest valid one that is not later than the target. */
  readonly backup?: number
  /** Absent: a proof goes as far as it can be compared; else the backup alone is restored. */
  readonly target?: RecoveryTarget
}

/** What is asked for of a server that is created to hold a cluster's data as they were. */
export interface NewServerWish {
  /** Absent: a free port beside the servers of the cluster, where the manager runs them on its own machine. */
  readonly address?: ServerAddress
  /** Absent: the newest valid one from before the point. */
  readonly backup?: number
  /** Absent: the backup alone is restored. */
  readonly target?: RecoveryTarget
}

/** What a person confirms by its id. Nothing of the cluster is changed by it. */
export interface NewServerPlan extends ServerAddress {
  /** Names the address, the backup and the point. */
  readonly id: string
  readonly server: ServerId
  readonly backup: number
  /** Position of the restored data, as far as it is known before. */
  readonly position: string
  /** The last transaction that it will have; absent: the backup alone. */
  readonly last?: { readonly gtid: string; readonly at: number }
  /** The first one that it will not have; absent: nothing later is stored. */
  readonly next?: { readonly gtid: string; readonly at: number }
  /** Bytes of the data by the backup; 0 where it does not say. */
  readonly bytes: number
  readonly steps: readonly string[]
  readonly risks: readonly string[]
}

/**
 * `adding`: it is to enter the list of servers. `making`: it is created and filled. `ready`: it holds the data. `removing`: it is to be
 * removed with them, on request or because a step failed.
 */
export type NewServerStage = 'adding' | 'making' | 'ready' | 'removing'

/** What a new server holds, once it holds it. */
export interface NewServerReport {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Its GTID position: of MariaDB the last transaction of each domain, of MySQL the executed set. */
  readonly position: string
  /** Time of the last replayed transaction; absent: none was replayed. */
  readonly replayedTo?: number
  readonly restoreMs: number
}

/** Remembered until the server is removed or attached: no decision concerns it meanwhile, and it follows no source. */
export interface NewServer extends ServerAddress {
  readonly server: ServerId
  readonly user: string
  /** Absent: asked for by an older version, which did not keep it. */
  readonly asker?: Asker
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The backup is always named, so that a later try restores the same. */
  readonly backup: number
  readonly target?: RecoveryTarget
  readonly stage: NewServerStage
  /** How often its job was begun. */
  readonly begun: number
  /** The manager had no folder for this address before. */
  readonly ownFolder?: true
  /** Nothing was at its place before: what is there now was created for it, and may be removed. */
  readonly created?: true
  /** It was empty, and is filled from now on: what it holds may be replaced. */
  readonly filling?: true
  readonly report?: NewServerReport
  /** Why it could not be made, or not be removed. */
  readonly failure?: string
  /** Its removal failed, and is tried again only on request or by a later manager. */
  readonly left?: true
}
