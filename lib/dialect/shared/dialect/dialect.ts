// What every SQL dialect offers: statements as data and parsers of the answers; no connection in this room.
import type { Result } from '../../../base/result.js'
import type { PasswordChange } from '../../../model/operation/rotation.js'
import type { DatabaseAccount } from '../../../model/server/database-account.js'
import type { GtidSet } from '../../../model/server/gtid.js'
import type {
  HeldPrivileges,
  KnownEvent,
  SemiSyncState,
  ServerState,
  SlowReading,
  SourceFiles,
} from '../../../model/server/reading.js'
import type { ServerIdentity } from '../../../model/server/server.js'
import type { Flavour, Version } from '../../../model/server/version.js'
import type { Watched } from '../../../model/server/watched.js'
import type { Queries } from '../../queries/queries.js'
import type { ReadBounds, ReadStep, ServerRead } from '../../reads/read.js'
import type { Rows, Statement } from '../../statement/statement.js'
import type { Toggles } from '../control/toggles.js'
import type { FailingEvent } from './failing.js'

export interface SourceTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly heartbeatSeconds: number
  readonly connectRetrySeconds: number
  readonly tls: boolean
  /** Absent: those that the server has already, if any. */
  readonly tlsFiles?: SourceFiles
  readonly delaySeconds: number
  /** It was a primary itself: its own transactions count as replicated (MariaDB current_pos / demote). */
  readonly demote: boolean
}

/** What a server of this flavour and version can do: computed once, instead of version checks in the code. */
export interface Capabilities {
  readonly flavour: Flavour
  readonly version: Version
  /** `SHOW REPLICA STATUS`, `START REPLICA` … (MySQL 8.0.22+). */
  readonly replicaWords: boolean
  /** `CHANGE REPLICATION SOURCE TO` (MySQL 8.0.23+). */
  readonly changeSource: boolean
  /** `log_replica_updates` instead of `log_slave_updates` (MySQL 8.0.26+). */
  readonly replicaVariables: boolean
  /** `SHOW BINARY LOG STATUS` (MySQL 8.2+). */
  readonly binaryLogStatus: boolean
  /** `performance_schema.processlist` (MySQL 8.0.22+). */
  readonly performanceProcessList: boolean
  readonly superReadOnly: boolean
  /** Which semi-synchronous variables it has: `rpl_semi_sync_master_*` and `_slave_*`, or `_source_*` and `_replica_*`. */
  readonly semiSync: 'none' | 'old-names' | 'new-names'
  /** On MySQL each side is a separate plugin, which may be absent. */
  readonly semiSyncSides: { readonly source: boolean; readonly replica: boolean }
  /** `MASTER_DEMOTE_TO_SLAVE` (MariaDB 10.10+). */
  readonly demoteToReplica: boolean
  /** An account may have two valid passwords (MariaDB 10.4+, MySQL 8.0.14+). */
  readonly secondPassword: boolean
  /** Adding a password that is already valid changes nothing. Otherwise it discards the old one: MySQL keeps the latest two. */
  readonly admitsAgain: boolean
}

/** Semi-synchronous state that only `SHOW STATUS` reports. */
export type SemiSyncStatus = Pick<SemiSyncState, 'sourceActive' | 'replicaActive' | 'clients' | 'unacknowledged'>

/** State that a fast probe does not read each time. */
export interface KnownState {
  readonly uptimeSeconds: number
  readonly semiSync: SemiSyncStatus
}

/** Parts that settings ask for. */
export type WatchedPart = 'openTransactions' | 'disks'

/** What a slow probe reads, part by part: a part that the account may not read does not affect the others. */
export type SlowPart =
  /** First: whether the others can be answered. */
  | 'spaceWaits'
  | 'variables'
  | 'status'
  | 'plugins'
  | 'binlog'
  | 'binlogs'
  | 'dumpThreads'
  | 'statementHistory'
  | 'ownGrants'
  | 'replicationGrants'
  | 'sessionLimit'
  | 'readOnlyOrigin'
  /** Only where the scheduler runs, or they are to be remembered. */
  | 'events'
  | WatchedPart

export type SlowAnswers = Readonly<Partial<Record<SlowPart, Rows>>>

/** Accounts that can be rotated. */
export interface AccountsFit {
  /** An obstacle to be removed first: the account with a second password, which cannot take another. */
  readonly second?: string
}

/** Which sides of semi-synchronous replication are to be on. */
export interface SemiSyncSides {
  readonly source: boolean
  readonly replica: boolean
  /** How long a source waits, after the sync and also without replicas; absent: what is set stays. Milliseconds. */
  readonly timeoutMs?: number
}

export interface Dialect {
  readonly identity: ServerIdentity
  readonly capabilities: Capabilities
  /** The fast probe: one text, several result sets. */
  readonly fastProbe: string
  /** Without `known`, uptime is 0 and the semi-synchronous status unknown (false). */
  parseFastProbe(results: readonly Rows[], known?: KnownState): ServerState
  /** Four times the cost of the fast probe, so it is read less often; absent without semi-sync variables. */
  readonly semiSyncStatus?: string
  parseSemiSyncStatus(rows: Rows): SemiSyncStatus
  /** Statements of a slow probe, in order. `replicationUser` is the account that replicas log in with. */
  slowProbe(replicationUser: string, watched?: Watched): Readonly<Partial<Record<SlowPart, Statement>>>
  parseSlowProbe(answers: SlowAnswers): Omit<SlowReading, 'server' | 'at' | 'tookMs'>

  stopReceiving(channel: string): readonly Statement[]
  /** Starts the receiver alone: what it receives is not applied. */
  startReceiving(channel: string): readonly Statement[]
  stopReplication(channel: string): readonly Statement[]
  startReplication(channel: string): readonly Statement[]
  /** Removes the source (RESET SLAVE ALL). The channel must be stopped. */
  forgetSource(channel: string): readonly Statement[]
  /** Deletes every binary log and the replication position. The channels must have been removed. */
  forgetHistory(): readonly Statement[]
  /** Sets another source, by GTID. The channel must be stopped, and is not started. */
  changeSource(channel: string, source: SourceTarget): readonly Statement[]
  /** Sets another password for the channel's login to its source, nothing else. Its threads must be stopped. */
  renewLogin(channel: string, password: string): readonly Statement[]

  /** The accounts of a user name and their authentication: rows for the three below. */
  accounts(user: string): Statement
  /** Whether the accounts can be rotated; failures `unsupported`, and `wrong-state` where a privilege is missing. */
  judgeAccounts(rows: Rows, change: PasswordChange): Result<AccountsFit>
  /** Makes the new password valid in addition to the old one; nothing where it is. */
  admitPassword(rows: Rows, change: PasswordChange): readonly Statement[]
  /** Leaves only the new password valid; nothing where it is the only one. */
  dropPassword(rows: Rows, change: PasswordChange): readonly Statement[]
  /** All accounts: rows for `readAccounts`. */
  everyAccount(): Statement
  /** Accounts that may log in, with their credentials. */
  readAccounts(rows: Rows): readonly DatabaseAccount[]

  /** Declares everything up to `position` as replicated. MariaDB `gtid_slave_pos`, MySQL `gtid_purged`. */
  setReplicaPosition(position: string): readonly Statement[]
  /** Waits until `position` (see `positionText`) is applied: column `reached`, 1 when it is, 0 when time ran out. */
  waitApplied(position: string, timeoutSeconds: number): Statement
  /** Column position: what is written to its binary log so far, in the form that `waitApplied` takes; empty where it has no GTIDs. */
  writtenPosition(): Statement
  /** A set as the server's own functions read it. */
  positionText(set: GtidSet): string

  /** Waits for running commits and table locks; with `waitSeconds` at most that long per lock. */
  setReadOnly(on: boolean, waitSeconds?: number): readonly Statement[]
  /** Fails the text with error 1690 of `pow` when this channel receives from a source: see `isReplicating`. */
  refuseReplicating(channel: string): readonly Statement[]
  setEventScheduler(on: boolean): readonly Statement[]
  /** Of the sides the server has. The replica side takes effect at the next start of the receiving thread. */
  setSemiSync(sides: SemiSyncSides): readonly Statement[]
  /** Closes idle tables before a lock, unlogged, so that the lock itself is short. */
  flushTables(waitSeconds: number): readonly Statement[]
  /** Limits lock waits in this session, then takes the global read lock. */
  globalReadLock(waitSeconds: number): readonly Statement[]
  unlock(): readonly Statement[]
  /**
   * Events that are enabled, at most MOST_EVENTS + 1: columns schema, name, definer, privileged (its definer may write on a
   * read-only server). Refused, or not the whole list (`seesEveryEvent`), without the privileges for it.
   */
  enabledEvents(): Statement
  /** Events that are disabled because they came from a source: columns schema, name, definer. As many, and as whole. */
  dormantEvents(): Statement
  parseEvents(rows: Rows): readonly KnownEvent[]
  /** Privileges of the account of the session: one line each. */
  ownGrants(): Statement
  /** Whether an account with these privileges sees all events, or is refused. */
  seesEveryEvent(held: HeldPrivileges): boolean
  enableEvent(event: KnownEvent): Statement
  /** One harmless logged statement, so that the server has a local transaction. */
  markPrimary(): readonly Statement[]
  /** Running writes and open transactions older than `seconds`: columns id, user, host, seconds, rows_changed, statement. */
  longWrites(seconds: number): Statement
  /** Sessions that are changing data or committing, in the order in which to kill them: column id. */
  unfinishedWrites(): Statement
  /** Sessions whose commit waits for a replica, of any user: column id. */
  waitingCommits(): Statement
  /**
   * Releases commits that wait for a replica after their clients were killed: the remaining ones are a replica's applier
   * and, on MySQL, killed sessions that keep waiting.
   */
  releaseCommits(): readonly Statement[]
  /**
   * Sessions besides the manager's `own` that could commit on a read-only server: columns id, user, host, statement. The
   * first statement that is not refused counts; none where read-only has a form that stops every account (super_read_only).
   */
  privilegedWriters(own: readonly number[]): readonly Statement[]
  /** Sessions that wait for the global read lock, of any user: column id. Undefined where none could write after it. */
  waitingForLock(own: readonly number[]): Statement | undefined
  /** Commits of clients that are under way: columns id, statement, seconds, other (a commit waits for a replica or for space). */
  commitsUnderWay(): Statement
  /** The appliers and the sessions of clients, for `parseLockWait`: columns id, user, host, command, seconds, state, statement. */
  lockSessions(): Statement
  /** Sessions that hold locks which appliers may wait for, for `parseLockWait`: columns id, lock_type. Refused without such a list. */
  lockHolders(): Statement
  /** Sessions that hold a lock of a backup, for `parseHeldLock`: columns id, user, host, command, seconds, held. Refused without such a list. */
  heldLocks(): Statement
  /** Kills a session of the server. */
  killSession(id: number): Statement

  /** `SHOW MASTER STATUS` and its successors: columns File, Position, Binlog_Do_DB, Binlog_Ignore_DB. */
  binlogStatus(): Statement
  /** Every channel as the server prints it. */
  replicaStatus(): Statement
  /** Reads on request: the first step of each. */
  read(what: ServerRead, bounds: ReadBounds): ReadStep
  /** Meaning of this server error for a refused read; undefined: no specific one. */
  readRefusal(what: ServerRead, errorNumber: number): string | undefined
  /** Prepares a session for reads: a text of several statements. No statement runs for longer than the limit. */
  readSession(limitMs: number): string
  /** Queries about single statements. */
  readonly queries: Queries
  /** Diagnostics that can be toggled. */
  readonly toggles: Toggles
  /** Prepares a session for actions on request: unlogged, with time limits where the server supports them. */
  actSession(lockSeconds: number): Statement
  /** The GTID history of its binary log: column history. */
  binlogHistory(): Statement
  /** Empties the binary log; transactions of `history` still count as executed. Without it the GTID state is empty. */
  resetBinlogs(history?: string): readonly Statement[]
  /** The event that stopped the applier of a channel: ends with the rows of `parseFailing`. */
  failingEvent(channel: string): ReadStep
  /** Skips it and resumes replication. */
  skipEvent(channel: string, event: FailingEvent): readonly Statement[]
  /** Columns Variable_name, Value. */
  variableList(): Statement
  /** Columns Name, Status, Library. */
  pluginList(): Statement
  /** Columns name, origin, path: see `parseOrigins`. */
  valueOrigins(): Statement
}
