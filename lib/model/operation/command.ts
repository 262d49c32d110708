// The commands of operations, one intention each. Commands are plain data, safe to repeat, and carry a
// time limit; lib/effect performs them in order and stops at the first that fails unless it is `bestEffort`.

import type { GtidSet } from '../server/gtid.js'
import type { EventKey } from '../server/reading.js'
import type { ServerId } from '../server/server.js'
import type { Crash } from './crash.js'

interface Step {
  /** A failure is recorded and the plan continues. */
  readonly bestEffort?: boolean
  /** Longest time it may take; the executor's default otherwise. */
  readonly timeoutMs?: number
  /** Round trips to its servers that it may take beyond that; the executor's number otherwise. */
  readonly trips?: number
  /** It may run concurrently with neighbours that allow it too: none depends on another, except by `after`. */
  readonly concurrent?: boolean
  /**
   * Among concurrent commands it waits for the previous one, or for all of them, and is then the last one;
   * it is skipped when a command that it waits for failed. The journal records all of them before the first starts.
   */
  readonly after?: 'neighbour' | 'group'
}

/** Ahead of a primary change: probe again and decide again; a changed verdict stops the plan before any change. */
export interface Reprobe extends Step {
  readonly type: 'reprobe'
  readonly candidate: ServerId
  /** This plan has stopped receiving on the replicas: only the election and the old primary's silence are checked. */
  readonly frozen?: boolean
  /** Waits for the second connection refusal, which proves the old primary dead: the plan started at the first one. */
  readonly proof?: boolean
  /** The plan is older than its bound: only whether this server may still be opened, or be a source, is judged again. */
  readonly outdated?: boolean
}

/** Runs an operator's script with arguments. */
export interface RunScript extends Step {
  readonly type: 'run-script'
  readonly script: string
  readonly args: readonly string[]
}

/** Keeps a server from taking writes: read-only (super read-only where there is one); a dead one is skipped. */
export interface Fence extends Step {
  readonly type: 'fence'
  readonly server: ServerId
}

/**
 * Before a change of the primary is undone: closes the new primary, and fails where it has taken writes that the old one is missing, or
 * where a person opened it, which stays so: the role is not given back then. One that does not answer in time is passed over.
 */
export interface TakeBack extends Step {
  readonly type: 'take-back'
  readonly server: ServerId
  readonly oldPrimary: ServerId
}

/** Stops only the receiving (I/O) thread, so that what was received can still be applied. */
export interface StopReceiving extends Step {
  readonly type: 'stop-receiving'
  readonly server: ServerId
}

/** Waits until the server has applied everything it received (or `upTo`, when given). */
export interface ApplyReceived extends Step {
  readonly type: 'apply-received'
  readonly server: ServerId
  readonly upTo?: GtidSet
}

/** Stops the server's replication on this cluster's channel and removes its source. */
export interface Promote extends Step {
  readonly type: 'promote'
  readonly server: ServerId
  /** Servers that it may be cut from: another one that it follows by now was given the role by a person. Absent: any. */
  readonly sources?: readonly ServerId[]
}

/** Semi-synchronous source or replica side on or off. */
export interface SetSemiSync extends Step {
  readonly type: 'set-semi-sync'
  readonly server: ServerId
  readonly source: boolean
  readonly replica: boolean
  /** By the durability policy: as a source it waits so long before a commit shows, also without replicas. Absent: as it is. */
  readonly waitMs?: number
}

/** Makes the server writable: the point of no return of a primary change. */
export interface MakeWritable extends Step {
  readonly type: 'make-writable'
  readonly server: ServerId
  /** It may have a source: half of a pair, part of a ring, or asked for by a person. Otherwise the server itself refuses. */
  readonly replicating?: boolean
  /** It may have lost transactions: it is probed first, and refused when it is missing part of the history. */
  readonly checked?: boolean
  /** With `checked`: what its running replication brings is not missing, the server is behind. */
  readonly behind?: boolean
}

/** Sets the server read-only (replicas; an old primary). */
export interface MakeReadOnly extends Step {
  readonly type: 'make-read-only'
  readonly server: ServerId
}

/**
 * Gives a replica another source, by GTID, and starts it. `demote`: it was a primary, its local writes count as replicated.
 * `atOnce`: what it received is also on servers other than the new source, so it need not be applied first.
 */
export interface Repoint extends Step {
  readonly type: 'repoint'
  readonly server: ServerId
  readonly source: ServerId
  readonly demote?: boolean
  readonly atOnce?: boolean
  /** Not time-critical: everything received is applied first, however long that takes. */
  readonly patient?: boolean
  /** By origin: what it wrote itself and lost. Its receiver is made to take it from the source, and that is waited for. */
  readonly own?: GtidSet
  /** It was open since its start: it is repointed only when its counter of commits shows that it wrote nothing. */
  readonly ifUnwritten?: boolean
  /** It replicates from that source already; only the parameters change. */
  readonly renew?: boolean
  readonly delaySeconds?: number
}

/** Sets the password of the settings on channels for the login to their source, after everything received is applied. */
export interface RenewLogin extends Step {
  readonly type: 'renew-login'
  readonly server: ServerId
  readonly channels: readonly string[]
  /** Starts them afterwards. */
  readonly start: boolean
}

export interface StartReplication extends Step {
  readonly type: 'start-replication'
  readonly server: ServerId
  /** Absent: the cluster's own. */
  readonly channels?: readonly string[]
}
export interface StopReplication extends Step {
  readonly type: 'stop-replication'
  readonly server: ServerId
}

/** Stops and removes every channel, deletes the binary logs and the replication position: the server is like a new one. */
export interface ForgetHistory extends Step {
  readonly type: 'forget-history'
  readonly server: ServerId
}

/** Routes writes to `primary` on every proxy, or to no server when it is absent. */
export interface RouteWrites extends Step {
  readonly type: 'route-writes'
  readonly primary?: ServerId
}

/** Event scheduler on or off. Off is done, too, where it may not be switched off and no enabled event writes through read-only. */
export interface SetEvents extends Step {
  readonly type: 'set-events'
  readonly server: ServerId
  readonly on: boolean
}

/** Of the events that are disabled here because the server was a replica, those that were enabled on the old primary. */
export interface EnableEvents extends Step {
  readonly type: 'enable-events'
  readonly server: ServerId
  /** The old primary where it lives: its enabled events are read again, so that one of a moment ago counts. */
  readonly from?: ServerId
  /** The enabled ones of the old primary when it was last read; absent where they are not known: it fails then. */
  readonly events?: readonly EventKey[]
}

/** Ends the sessions that clients have on a server that gave up the role: idle ones at once, others when their statement ends. */
export interface EndSessions extends Step {
  readonly type: 'end-sessions'
  readonly server: ServerId
}

/** Sets global variables of a running server, by their own names, until its restart. */
export interface SetVariables extends Step {
  readonly type: 'set-variables'
  readonly server: ServerId
  readonly values: Readonly<Record<string, string>>
}

/** Opens the reserved session that holds the freeze, lists long writes; fails while there are any. */
export interface GuardLongWrites extends Step {
  readonly type: 'guard-long-writes'
  readonly server: ServerId
  readonly longerThanSeconds: number
  readonly waitMs: number
}

/** Logs in on the server with the replication account; fails where that is denied, or shows nothing of what replicas get. */
export interface CheckLogin extends Step {
  readonly type: 'check-login'
  readonly server: ServerId
  /** What shows nothing is passed, and reported. */
  readonly lenient?: true
  /**
   * `SourceLogin.accounts` of a source of which a replica runs with what the account requires: a server with the same accounts lets
   * replicas in, although the manager has nothing to try with.
   */
  readonly shown?: string
}

/**
 * Compares the history that the oldest binary log of the server begins with with that of the source of now; fails where that one,
 * which is to follow it, is missing a part: it would be refused (error 1236).
 */
export interface CheckLogs extends Step {
  readonly type: 'check-logs'
  readonly server: ServerId
  readonly source: ServerId
}

/** Read-only, then a global read lock, both held on the reserved session: no account can write, whatever its privileges. */
export interface Freeze extends Step {
  readonly type: 'freeze'
  readonly server: ServerId
}

/** Releases what `freeze` holds. `writable`: the server accepts writes again. */
export interface Unfreeze extends Step {
  readonly type: 'unfreeze'
  readonly server: ServerId
  readonly writable: boolean
}

/** Waits until `server` has everything the frozen `source` executed. */
export interface CatchUp extends Step {
  readonly type: 'catch-up'
  readonly server: ServerId
  readonly source: ServerId
}

/** Writes one harmless logged statement, so that the new primary has a local transaction. */
export interface MarkPrimary extends Step {
  readonly type: 'mark-primary'
  readonly server: ServerId
}

/** Appends the crash record; positions are completed from the new primary's state at that moment. */
export interface RecordCrash extends Step {
  readonly type: 'record-crash'
  readonly crash: Crash
}

/** Copies the old primary's binary log from the crash coordinates on into the working directory. */
export interface SaveTail extends Step {
  readonly type: 'save-tail'
  readonly server: ServerId
  readonly crash: Crash
  readonly extra: GtidSet
  /** What of it only the server can have written, for people. */
  readonly extraText: string
}

/** Does nothing: the last command; its time is the end of the operation in the report. */
export interface Report extends Step {
  readonly type: 'report'
  readonly text: string
}

export type Command =
  | Reprobe
  | RunScript
  | Fence
  | TakeBack
  | StopReceiving
  | ApplyReceived
  | Promote
  | SetSemiSync
  | MakeWritable
  | MakeReadOnly
  | Repoint
  | RenewLogin
  | StartReplication
  | StopReplication
  | ForgetHistory
  | RouteWrites
  | SetEvents
  | EnableEvents
  | EndSessions
  | SetVariables
  | GuardLongWrites
  | CheckLogin
  | CheckLogs
  | Freeze
  | Unfreeze
  | CatchUp
  | MarkPrimary
  | RecordCrash
  | SaveTail
  | Report

export type CommandType = Command['type']
