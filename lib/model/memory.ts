// What decisions remember between two snapshots. Plain data, persisted in the cluster's state file.

import type { FleetState } from './fleet/row.js'
import type { RunningRecovery } from './operation/cluster-recovery.js'
import type { Crash } from './operation/crash.js'
import type { NewServer } from './operation/recovery.js'
import type { Return } from './operation/way-back.js'
import type { GtidSet } from './server/gtid.js'
import type { ServerInstance } from './server/instance.js'
import type { EventKey, SourceFiles } from './server/reading.js'
import type { ServerAddress, ServerId } from './server/server.js'
import type { SlowSettings } from './server/server-act.js'

/** How a server identifies itself at any address: replicas name their source by it besides its address. */
export interface Identity {
  readonly uuid?: string
  readonly serverNumber: number
  readonly instance?: ServerInstance
  /** Since when a server of these names (`hasSameNames`) answers there, milliseconds since the epoch. */
  readonly since?: number
}

/** Replication of a server that the manager stopped to start it again. */
export interface Pause {
  /** Absent: the cluster's own. */
  readonly channels?: readonly string[]
  /** When it was stopped, or could not be started again. */
  readonly since: number
  /** What it was to follow: it is started as a replica of that only. Absent where its source was not to change. */
  readonly source?: ServerId
  /** No operation works on it any more: it is to be started. Absent while the operation that stopped it runs. */
  readonly left?: boolean
}

/** A server was closed for writes by the manager; one that hung may carry it out much later. */
export interface Fence {
  /** When it was sent. */
  readonly at: number
  /** It was seen closed since. */
  readonly landed?: true
}

/** A server whose replication waits for a START REPLICA when its process starts, by its option file. */
export interface StoppedStart {
  /** When the process started of which that was known last, milliseconds, as far as whole seconds of uptime show. */
  readonly startedAt: number
  /** Its process was started while no manager watched: nobody has started its replication since. */
  readonly due?: true
}

/** What the first sight of the process of a server says of read_only in its option files. */
export interface ReadOnlyStart {
  /** When this was seen, milliseconds since the epoch: a process that started before is the same one. */
  readonly at: number
  /** It started open, or someone other than the manager had closed it by a statement: its files may be without it. */
  readonly open: boolean
}

/** The most that anyone was ever seen to hold of the history of a primary, executed or received. */
export interface Held {
  /** Whose term as the primary it describes: the next primary starts another record. */
  readonly primary: ServerId
  /** By origin. */
  readonly set: GtidSet
  /** By position: the most that its replicas were ever seen to have received. What of it is missing on its successor is lost. */
  readonly received?: GtidSet
  /** When a server was last seen with more than the primary had shown. */
  readonly at: number
  /** The primary was seen taking writes in this term. */
  readonly opened?: true
  /** When its process was started, milliseconds, as far as whole seconds of uptime show; of the latest that had everything. */
  readonly startedAt?: number
  /** What the primary was seen without while it took writes: its GTIDs may name other transactions since. */
  readonly forked?: GtidSet
  /** How far the binary log of the primary was seen: one that ends before it was begun again. */
  readonly log?: LogEnd
  /** An end of its binary log up to which everything is in `set`: a log that is shorter there was replaced by another one. */
  readonly kept?: LogEnd
  /** An end that becomes `kept` as soon as `upTo`, what a later reading of the primary showed as executed, is in `set`. */
  readonly keeping?: { readonly end: LogEnd; readonly upTo: GtidSet }
  /** When the manager had deleted the binary log of the primary on request: a reading that began before does not count. */
  readonly since?: number
}

/**
 * What became of the numbers of transactions where the manager deleted a binary log: they go on, they begin again, or that is not
 * known, since the server did not say it.
 */
export type LogOutcome = 'continued' | 'begun-again' | 'unknown'

/** The deletion of a binary log, from before it is sent until it is known what became of the numbers. */
export interface LogDeletion {
  readonly since: number
  /** The GTID history that the log had, as the server names it; absent where nothing of it was to be kept. */
  readonly history?: string
  /** Its end came without an outcome: the server is asked. */
  readonly unread?: true
}

/** An event of the primary contradicted the data of a replica. */
export interface Differing {
  /** When it was seen first, milliseconds since the epoch. */
  readonly since: number
  /** As the server reports it. */
  readonly error: string
}

/** A server holds GTIDs that name other transactions on the primary. */
export interface Ambiguous {
  /** When it was noticed, milliseconds since the epoch. */
  readonly since: number
  /** The primary of then. */
  readonly primary: ServerId
  /** These GTIDs, by origin. */
  readonly set: GtidSet
  /** What it held then of the writing of that primary, by origin. */
  readonly at: GtidSet
  /** It received more from that primary since: what that wrote under the same GTIDs is missing for good. */
  readonly passed?: true
  /** Where its binary log ended then: one that begins again after maintenance is another copy of the data. */
  readonly log?: LogEnd
  readonly maintained?: true
}

/** The end of a binary log. */
export interface LogEnd {
  /** `binlog.000017` */
  readonly file: string
  /** Bytes. */
  readonly position: number
  /** The file before it, with its size in bytes, which does not change any more; absent where none was listed. */
  readonly previous?: readonly [file: string, size: number]
  /** When it was read, milliseconds since the epoch. */
  readonly at: number
}

/** How long a change of the primary blocked writes. */
export interface WritePause {
  readonly kind: 'failover' | 'switchover'
  /** When it ended. */
  readonly at: number
  readonly ms: number
}

/** The enabled events of a server while it was the primary. */
export interface RememberedEvents {
  readonly server: ServerId
  readonly list: readonly EventKey[]
}

/** Steps of a change of the primary that failed, and that nothing repeats. */
export interface LeftUndone {
  /** Its id. */
  readonly operation: string
  /** When it ended, milliseconds since the epoch. */
  readonly at: number
  /** What each means, and its error. */
  readonly texts: readonly string[]
}

/** Work that ended with the permission of the user that asked for it. */
export interface RevokedWork {
  readonly work: string
  readonly reason: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Of connections of replicas to their source. */
export interface SourceTls {
  readonly used: boolean
  readonly files?: SourceFiles
}

/** What a server is known to have from other clusters. */
export interface ForeignParts {
  /** Sources of its channels that are no servers of this cluster, by the names of the channels. */
  readonly channels: Readonly<Record<string, ServerAddress>>
  /** Streams (MariaDB: domains, MySQL: uuids) of which the cluster was seen to have nothing. */
  readonly streams: readonly string[]
}

export interface Memory {
  /** The writer by belief; set by discovery, failover and switchover. */
  readonly primary?: ServerId
  /** Failovers since the last reset, and when the last one ended (0 for never). */
  readonly failoverCount: number
  readonly lastFailoverAt: number
  /** Open crash records, oldest first, and all of them for the history (bounded). */
  readonly crashes: readonly Crash[]
  readonly history: readonly Crash[]
  /** Id of the last operation whose end is remembered here; later ones are in the journal only. */
  readonly lastEnded?: string
  /** All servers were down at once since the last time a primary was seen. */
  readonly totalOutage: boolean
  /** When that outage began. */
  readonly outageSince?: number
  /** A complete topology (primary and every server's first reading) was seen since start. */
  readonly discovered: boolean
  /** Result of the external check of the primary, when it is enabled. */
  readonly externalCheck?: { readonly at: number; readonly alive: boolean; readonly detail: string }
  /** Ratings and maintenance flags set by request. */
  readonly maintenance: readonly ServerId[]
  readonly stoppedOnRequest: readonly ServerId[]
  /** The primary was made read-only while it ran, and not by an operation: it stays so until a person opens it. */
  readonly closedByHand?: boolean
  /** By position, what it had executed then; empty when it executed more while it was closed, as privileged accounts can. */
  readonly closedWith?: GtidSet
  /** Servers that the manager closed for writes, until they are seen open again: no person closed them. */
  readonly fenced?: Readonly<Record<ServerId, Fence>>
  /** Semi-synchronous replication is intended: the source side was on when the primary was last seen without an operation. */
  readonly semiSync?: boolean
  /** How replicas of the cluster connect to their source: of the latest that ran. */
  readonly sourceTls?: SourceTls
  /**
   * Where replicas were seen to follow a server, by its id, when not at the address that the manager uses. Of servers that none
   * followed since, too: replication goes on over that network when they are the primary again.
   */
  readonly sourceAddresses?: Readonly<Record<ServerId, ServerAddress>>
  /** Enabled events of the primary, as read last: those of a dead one are enabled on its successor. */
  readonly events?: RememberedEvents
  /** What the latest change of the primary left to a person. */
  readonly undone?: LeftUndone
  /** The state file was lost or damaged: what was intended is taken from what the servers show. */
  readonly recovered?: true
  /** Servers on which every statement is captured, with the settings of their slow log before. */
  readonly captures?: Readonly<Record<ServerId, SlowSettings>>
  /** Servers whose replication the manager stopped for a moment: a manager that starts meanwhile starts it again. */
  readonly paused?: Readonly<Record<ServerId, Pause>>
  /** Servers that start with replication stopped: they acknowledge nothing before they are asked to replicate. */
  readonly stoppedStarts?: Readonly<Record<ServerId, StoppedStart>>
  /** Whether servers start read-only: what a statement sets later does not change what their files have. */
  readonly readOnlyStarts?: Readonly<Record<ServerId, ReadOnlyStart>>
  /**
   * How each server last identified itself: replicas may know their source by an address that the manager does not use, and
   * a manager that starts while the primary is down must still find their source.
   */
  readonly identities?: Readonly<Record<ServerId, Identity>>
  /** The number of each server that was seen as a part of the cluster: it followed a member or shared its transactions. */
  readonly members?: Readonly<Record<ServerId, number>>
  /** The history of the primary, which a server must hold to be opened for writes. */
  readonly held?: Held
  /** Servers that are brought back, and what was tried. */
  readonly returns?: Readonly<Record<ServerId, Return>>
  /** The state in one word, and since when: milliseconds since the epoch. */
  readonly condition?: { readonly state: FleetState; readonly since: number }
  /** Since when no server could take over from the primary, milliseconds since the epoch; absent while one could. */
  readonly unprotectedSince?: number
  /** Servers with transactions or channels of other clusters: a primary that is dead when a manager starts shows nothing of them. */
  readonly foreign?: Readonly<Record<ServerId, ForeignParts>>
  /** Replicas whose data are known to differ from those of the primary. */
  readonly differing?: Readonly<Record<ServerId, Differing>>
  /** Servers whose history has the names of the primary's and is another one, or will be when they go on. */
  readonly ambiguous?: Readonly<Record<ServerId, Ambiguous>>
  /** Servers whose binary log the manager is deleting: what they show until its outcome is known is not judged. */
  readonly deleting?: Readonly<Record<ServerId, LogDeletion>>
  /** How long the latest changes of the primary kept writes waiting, oldest first (bounded). */
  readonly pauses?: readonly WritePause[]
  /** All servers are being brought back to one point: nothing else is done to any of them. */
  readonly restoring?: RunningRecovery
  /** Servers that were created to hold the data of an earlier point: no decision concerns them, and they follow no source. */
  readonly newServers?: Readonly<Record<ServerId, NewServer>>
  /** Work that was ended because its user may not have it any more, the latest last (bounded). */
  readonly revoked?: readonly RevokedWork[]
}

export const freshMemory: Memory = {
  failoverCount: 0,
  lastFailoverAt: 0,
  crashes: [],
  history: [],
  totalOutage: false,
  discovered: false,
  maintenance: [],
  stoppedOnRequest: [],
}
