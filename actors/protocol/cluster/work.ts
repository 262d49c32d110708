// Messages that begin work of several steps: operations, jobs, rolling work, rotations.

import type { Asker } from '../../../lib/access/index.js'
import type { BackupKind } from '../../../lib/model/backup.js'
import type { ChecksumList, RepairPlan, TableChecksum, TableName } from '../../../lib/model/checksum/checksum.js'
import type { SchemaReport } from '../../../lib/model/checksum/schema.js'
import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type {
  ClusterRecoveryPlan,
  ClusterRecoveryWish,
  FoundTransactions,
  LogWish,
} from '../../../lib/model/operation/cluster-recovery.js'
import type { Divergence, DivergenceAction, DivergencePlan } from '../../../lib/model/operation/divergence.js'
import type { Job, JobTask } from '../../../lib/model/operation/job.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { NewServer, NewServerPlan, NewServerWish, RecoveryWish } from '../../../lib/model/operation/recovery.js'
import type { Roll, RollKind } from '../../../lib/model/operation/roll.js'
import type { LoginChanges, Rotation } from '../../../lib/model/operation/rotation.js'
import type { ServiceAction } from '../../../lib/model/operation/services.js'
import type { ReturnMethod, ReturnPlan } from '../../../lib/model/operation/way-back.js'
import type { ServerAddress, ServerId } from '../../../lib/model/server/server.js'
import type { TrialBook, TrialRun } from '../../../lib/model/trial/trial.js'

/** The answer to a request for an operation: the operation in its present state, running or ended. */
export interface OperationTicket {
  readonly operation: Operation
}

/** What every request for an operation says. `confirmed`: the mark of the plan that it must be (`plan-id.ts`). */
export interface OperationWish {
  readonly user: string
  readonly wait: boolean
  readonly confirmed?: string
}

/** Who asks, and for work that begins later or lasts in steps, by what. Without an asker it is asked for by no request. */
export interface Asked {
  readonly user: string
  readonly asker?: Asker | undefined
}

export interface ServiceRequest extends Asked {
  readonly action: ServiceAction
  /** Goes over what is refused to keep data and writers. */
  readonly force: boolean
  readonly wait: boolean
  /** Rolling work asks for it: what waits for its end does not. */
  readonly byRoll?: boolean
  /** A start of the first member of a Galera cluster. */
  readonly first?: boolean
}

export interface BackupWish {
  readonly kind: BackupKind
  readonly server?: ServerId
  /** A full one, even where incremental ones are made between. */
  readonly full: boolean
}

export interface JobTicket {
  readonly job: Job
}

export interface TrialTicket extends JobTicket {
  /** Those that ended; without `wait` none. */
  readonly runs: readonly TrialRun[]
}

export interface JobsTicket {
  readonly jobs: readonly Job[]
}

export type WorkMessages = {
  /** Answers when the operation has ended (`wait`) or has been started. `force` passes the vetoes that a person may pass. */
  switchover: { in: OperationWish & { candidate?: ServerId; byRoll?: boolean }; out: OperationTicket }
  failover: { in: OperationWish; out: OperationTicket }
  /** Gives a replica another source. */
  relocate: { in: OperationWish & { server: ServerId; source: ServerId }; out: OperationTicket }
  /** A switchover that begins at `from` (milliseconds since the epoch), or as soon after as it can be done, no later than `until`. */
  'schedule-switchover': { in: Asked & { candidate?: ServerId; from: number; until?: number }; out: Appointment }
  /** Takes the scheduled one back, or dismisses one that failed or was missed; undefined when there is none. */
  'cancel-switchover': { in: { user: string }; out: Appointment | undefined }
  /** The latest scheduled switchover. */
  appointment: { in: object; out: Appointment | undefined }
  /** Forms a topology of standalone servers: the first becomes the primary, the others follow it. */
  bootstrap: { in: OperationWish & { topology: string }; out: OperationTicket }
  /** Ends all replication and forgets its history, so that a topology can be formed again. */
  cleanup: { in: OperationWish & { force: boolean }; out: OperationTicket }
  /** Rebuilds the tables of a database as a job; answers when it has ended (`wait`) or has started. */
  optimize: { in: { user: string; server: ServerId; force: boolean; wait: boolean }; out: JobTicket }
  /** One action on a database or a proxy as a job; answers when it has ended (`wait`) or has started. */
  'run-service': { in: { service: ServerId } & ServiceRequest; out: JobTicket }
  /** The same on every database and proxy of the cluster. */
  'run-services': { in: ServiceRequest; out: JobsTicket }
  /** Ends jobs that wait or run: one by its number, or those of a task. */
  'cancel-job': { in: { user: string; job?: number; task?: JobTask; server?: ServerId }; out: readonly Job[] }
  /** A backup as a job; answers when it has ended (`wait`) or has been asked for. `server`: only this one; `primary` is one, too. */
  'begin-backup': { in: Asked & { order: BackupWish; wait: boolean }; out: JobTicket }
  /** A recovery as a job: a backup and stored binary logs into a scratch server, then what is wished of it. */
  'begin-recovery': { in: Asked & { wish: RecoveryWish; wait: boolean }; out: JobTicket }
  /** Load on the primary, and its figures, as a job; answers when it has ended (`wait`) or has been asked for. `threads`: not those of the settings. */
  'begin-benchmark': { in: Asked & { threads?: number; wait: boolean }; out: JobTicket }
  /** Named tests as one job, all of them where none is named; answers when it has ended (`wait`) or has been asked for. */
  'begin-trials': { in: Asked & { tests: readonly string[]; wait: boolean }; out: TrialTicket }
  /** The latest runs of named tests, and the one that is open. */
  'read-trials': { in: object; out: TrialBook }
  /** Starts rolling work; answers when it has ended (`wait`) or has started. A run that did not succeed is `step-failed`. */
  'begin-roll': {
    in: Asked & { kind: RollKind; wait: boolean; only?: ServerId; force?: boolean }
    out: Roll
  }
  /** Ends it when the server that has its turn is back; where none runs, dismisses its reasons. */
  'cancel-roll': { in: { user: string; kind: RollKind }; out: Roll | undefined }
  /**
   * Whether the passwords of the cluster can be rotated now; failure: why not. Nothing is changed. `left`: an earlier
   * rotation left accounts with two passwords; `settles`: that is to be set right first.
   */
  'permit-rotation': { in: { logins: LoginChanges; left: boolean }; out: { settles: boolean } }
  /** The next step of a rotation: how far it is then, or what it waits for. */
  'step-rotation': { in: { rotation: Rotation; logins: LoginChanges }; out: Rotation }
  /** What would bring a server back, every way judged; `method`: what a person would ask for. Nothing is changed. */
  'plan-return': { in: { server: ServerId; method?: ReturnMethod; source?: 'primary' }; out: ReturnPlan }
  /** Replaces or undoes the data of a server as a job. `plan`: the plan that was confirmed; needed where only it has something. */
  'begin-return': {
    in: Asked & { server: ServerId; method?: ReturnMethod; source?: 'primary'; plan?: string; wait: boolean }
    out: JobTicket
  }
  /** What only the server has, row by row; at most so many `rows`. */
  'read-divergence': { in: { server: ServerId; rows?: number }; out: Divergence }
  /** What settling it would do, and the rows that are in its way. Nothing is changed. */
  'plan-divergence': { in: { server: ServerId; action: DivergenceAction }; out: DivergencePlan }
  /** Settles it as a job. `plan`: the plan that was confirmed. */
  'settle-divergence': {
    in: Asked & { server: ServerId; action: DivergenceAction; plan?: string; wait: boolean }
    out: JobTicket
  }
  /** Compares one table, or all of them, with the replicas, as a job. */
  'begin-checksum': { in: Asked & { table?: TableName; wait: boolean }; out: JobTicket }
  /** Reads the definitions of all tables, as a job. */
  'begin-schema-scan': { in: Asked & { wait: boolean }; out: JobTicket }
  /** What the latest scans found. */
  'read-schema': { in: object; out: SchemaReport }
  /** What the checksums of all tables found, without the rows that differ, and the tables whose turn is to come. */
  'read-checksums': { in: object; out: ChecksumList }
  /** One table with the parts and rows that differ. */
  'read-checksum': { in: TableName; out: TableChecksum }
  /** What giving a replica the primary's rows would do, by what the latest checksum found. Nothing is changed. */
  'plan-table-repair': { in: TableName & { server: ServerId }; out: RepairPlan }
  /** Does it as a job. `plan`: the plan that was confirmed; always needed. */
  'begin-table-repair': {
    in: TableName & Asked & { server: ServerId; plan?: string; wait: boolean }
    out: JobTicket
  }
  /** Ends the job that brings a server back. */
  'cancel-return': { in: { user: string; server: ServerId }; out: readonly Job[] }
  /** What would be done and undone, were all servers brought back to a point. Nothing is changed. */
  'plan-cluster-recovery': { in: { wish: ClusterRecoveryWish }; out: ClusterRecoveryPlan }
  /** All servers back to a point, as a job. `plan`: the plan that was confirmed; always needed. */
  'begin-cluster-recovery': {
    in: Asked & { wish: ClusterRecoveryWish; plan?: string; wait: boolean }
    out: JobTicket
  }
  /** Gives up one that was interrupted or failed: the usual rules hold again. */
  'release-cluster-recovery': { in: { user: string }; out: void }
  /** What a recovery onto a new server would do. `taken`: addresses of servers of all clusters. Nothing is changed. */
  'plan-new-server': { in: { wish: NewServerWish; taken: readonly ServerAddress[] }; out: NewServerPlan }
  /** It is remembered, and kept apart from then on; the caller adds it to the list of servers. `plan`: the one that was confirmed. */
  'enter-new-server': {
    in: Asked & { wish: NewServerWish; taken: readonly ServerAddress[]; plan?: string }
    out: NewServer
  }
  /** Creates and fills it as a job; one that is under way is answered. */
  'make-new-server': { in: { server: ServerId }; out: JobTicket }
  /** Answers when no job of it is open any more: as it is remembered then. */
  'await-new-server': { in: { server: ServerId }; out: NewServer | undefined }
  /** Removes it with its data, as a job; answers when it is gone from its host, or why not. */
  'unmake-new-server': { in: { user: string; server: ServerId }; out: void }
  /** Its removal failed, for this reason: it is a finding until it is gone. */
  'leave-new-server': { in: { server: ServerId; why: string }; out: void }
  /** It is not remembered any more: removed, or (`attach`) a server like the others from now on. */
  'forget-new-server': { in: { user: string; server: ServerId; attach: boolean }; out: void }
  /** All that are remembered. */
  'new-servers': { in: object; out: readonly NewServer[] }
  /** Transactions in stored binary logs, oldest first. */
  'search-logs': { in: { wanted: LogWish; most: number }; out: FoundTransactions }
  /** Makes the servers members of one Galera cluster, by restarts; `dry`: only whether that can be done. */
  'form-group': { in: { user: string; dry: boolean }; out: void }
}
