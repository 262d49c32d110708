// Messages that begin work of several steps: operations, jobs, rolling work, rotations.

import type { Appointment } from '../../../lib/model/operation/appointment.js'
import type { Job } from '../../../lib/model/operation/job.js'
import type { Operation } from '../../../lib/model/operation/operation.js'
import type { Roll, RollKind } from '../../../lib/model/operation/roll.js'
import type { LoginChanges, Rotation } from '../../../lib/model/operation/rotation.js'
import type { ServiceAction } from '../../../lib/model/operation/services.js'
import type { ServerId } from '../../../lib/model/server/server.js'

/** The answer to a request for an operation: the operation in its present state, running or ended. */
export interface OperationTicket {
  readonly operation: Operation
}

export interface ServiceRequest {
  readonly user: string
  readonly action: ServiceAction
  /** Goes over what is refused to keep data and writers. */
  readonly force: boolean
  readonly wait: boolean
  /** Rolling work asks for it: what waits for its end does not. */
  readonly byRoll?: boolean
  /** A start of the first member of a Galera cluster. */
  readonly first?: boolean
}

export interface JobTicket {
  readonly job: Job
}

export interface JobsTicket {
  readonly jobs: readonly Job[]
}

export type WorkMessages = {
  /** Answers when the operation has ended (`wait`) or has been started. `force` passes the vetoes that a person may pass. */
  switchover: { in: { user: string; candidate?: ServerId; wait: boolean; byRoll?: boolean }; out: OperationTicket }
  failover: { in: { user: string; wait: boolean }; out: OperationTicket }
  /** Gives a replica another source. */
  relocate: { in: { user: string; server: ServerId; source: ServerId; wait: boolean }; out: OperationTicket }
  /** A switchover that begins at `from` (milliseconds since the epoch), or as soon after as it can be done, no later than `until`. */
  'schedule-switchover': { in: { user: string; candidate?: ServerId; from: number; until?: number }; out: Appointment }
  /** Takes the scheduled one back, or dismisses one that failed or was missed; undefined when there is none. */
  'cancel-switchover': { in: { user: string }; out: Appointment | undefined }
  /** The latest scheduled switchover. */
  appointment: { in: object; out: Appointment | undefined }
  /** Forms a topology of standalone servers: the first becomes the primary, the others follow it. */
  bootstrap: { in: { user: string; topology: string; wait: boolean }; out: OperationTicket }
  /** Ends all replication and forgets its history, so that a topology can be formed again. */
  cleanup: { in: { user: string; force: boolean; wait: boolean }; out: OperationTicket }
  /** Rebuilds the tables of a database as a job; answers when it has ended (`wait`) or has started. */
  optimize: { in: { user: string; server: ServerId; force: boolean; wait: boolean }; out: JobTicket }
  /** One action on a database or a proxy as a job; answers when it has ended (`wait`) or has started. */
  'run-service': { in: { service: ServerId } & ServiceRequest; out: JobTicket }
  /** The same on every database and proxy of the cluster. */
  'run-services': { in: ServiceRequest; out: JobsTicket }
  /** Starts rolling work; answers when it has ended (`wait`) or has started. A run that did not succeed is `step-failed`. */
  'begin-roll': {
    in: { user: string; kind: RollKind; wait: boolean; only?: ServerId; force?: boolean }
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
  /** Makes the servers members of one Galera cluster, by restarts; `dry`: only whether that can be done. */
  'form-group': { in: { user: string; dry: boolean }; out: void }
}
