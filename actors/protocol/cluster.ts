// What a cluster actor understands, and which views it publishes. Plain data only: it crosses threads.

import type { VariableDiff } from '../../lib/decide/findings/variable-diff.js'
import type { Rows, ServerRead } from '../../lib/dialect/index.js'
import type { Finding } from '../../lib/model/finding.js'
import type { ServerConfiguration, StatementOutcome } from '../../lib/model/server/configuration.js'
import type { ServerId } from '../../lib/model/server/server.js'
import type { ActAnswer, ServerAct } from '../../lib/model/server/server-act.js'
import type { Flavour, Version } from '../../lib/model/server/version.js'
import type { Snapshot } from '../../lib/model/snapshot.js'
import type { FailoverVerdict } from '../../lib/model/verdict.js'
import type { Job } from '../../lib/model/work/job.js'
import type { Operation } from '../../lib/model/work/operation.js'
import type { Preview } from '../../lib/model/work/preview.js'
import type { Roll, RollKind } from '../../lib/model/work/roll.js'
import type { LoginChanges, Rotation } from '../../lib/model/work/rotation.js'
import type { ServiceAction } from '../../lib/model/work/services.js'
import type { Cookie } from '../../lib/store/index.js'

/** The answer to a request for an operation: the operation as it stands, running or ended. */
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

export interface JobReport {
  readonly job: Job
  readonly log: readonly string[]
}

/** Reads that go to the database on request (single-flight, kept for a moment, bounded). */
export type LiveRead = ServerRead | 'status-delta'

export interface LiveAnswer {
  /** `now()` when the server said it. */
  readonly at: number
  readonly rows: Rows
}

/** What one server is busy with. */
export interface Busy {
  readonly server: ServerId
  readonly url: string
  /** Sessions at work, as `processlist` reads them. */
  readonly processes: Rows
  /** Counters that changed, by lower-case name: per second, between the last two samples. */
  readonly rates: Readonly<Record<string, number>>
}

/** A thread that was ended, or whose statement was. */
export interface KilledThread {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly db: string
  readonly command: string
  /** The beginning of its statement, passwords masked. */
  readonly info: string
}

/** What the cluster actor is started with. Secrets are revealed in it: it never leaves the process. */
export interface ClusterInit {
  readonly name: string
  /** Working directory of the cluster: `{monitoring-datadir}/{name}`. */
  readonly directory: string
  /** Plain settings as made by `exportSettings`. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Findings of the manager itself, as `announce` tells them later; none when absent. */
  readonly announced?: readonly Finding[]
}

export type ClusterProtocol = {
  snapshot: { in: object; out: Snapshot }
  explain: { in: object; out: FailoverVerdict }
  /** Answers when the operation has ended (`wait`) or has been started. `force` passes the vetoes that a person may pass. */
  switchover: { in: { user: string; candidate?: ServerId; wait: boolean; byRoll?: boolean }; out: OperationTicket }
  failover: { in: { user: string; wait: boolean }; out: OperationTicket }
  'plan-switchover': { in: { candidate?: ServerId }; out: Preview }
  'plan-failover': { in: object; out: Preview }
  'reset-failover-control': { in: { user: string }; out: void }
  'reset-sla': { in: { user: string }; out: void }
  'set-maintenance': { in: { user: string; server: ServerId; mode: 'on' | 'off' | 'toggle' }; out: boolean }
  'start-replication': { in: { user: string; server: ServerId }; out: void }
  'stop-replication': { in: { user: string; server: ServerId }; out: void }
  'toggle-read-only': { in: { user: string; server: ServerId }; out: boolean }
  /** One action on a running database over SQL; one at a time on each. */
  act: { in: { user: string; server: ServerId; act: ServerAct }; out: ActAnswer }
  /** Rebuilds the tables of a database as a job; answers when it has ended (`wait`) or has begun. */
  optimize: { in: { user: string; server: ServerId; force: boolean; wait: boolean }; out: JobTicket }
  /** One action on a database or a proxy as a job; answers when it has ended (`wait`) or has begun. */
  'run-service': { in: { service: ServerId } & ServiceRequest; out: JobTicket }
  /** The same on every database and proxy of the cluster. */
  'run-services': { in: ServiceRequest; out: JobsTicket }
  /** Begins rolling work; answers when it has ended (`wait`) or has begun. A run that did not succeed is `step-failed`. */
  'begin-roll': {
    in: { user: string; kind: RollKind; wait: boolean; only?: ServerId; force?: boolean }
    out: Roll
  }
  /** Ends it when the server that has its turn is back; where none runs, dismisses its reasons. */
  'cancel-roll': { in: { user: string; kind: RollKind }; out: Roll | undefined }
  /** The latest run, running or ended. */
  roll: { in: object; out: Roll | undefined }
  /**
   * Whether the passwords of the cluster can be rotated now; failure: why not. Nothing is changed. `left`: an earlier
   * rotation left accounts with two passwords; `settles`: that is to be set right first.
   */
  'permit-rotation': { in: { logins: LoginChanges; left: boolean }; out: { settles: boolean } }
  /** The next step of a rotation: how far it is then, or what it waits for. */
  'step-rotation': { in: { rotation: Rotation; logins: LoginChanges }; out: Rotation }
  /** Makes the servers members of one Galera cluster, by restarts; `dry`: only whether that can be done. */
  'form-group': { in: { user: string; dry: boolean }; out: void }
  /** How a service is run, as text for people. */
  'describe-service': { in: { service: ServerId }; out: string }
  /** The option files that a database starts on, as text, where its orchestrator reaches them. */
  'read-option-files': { in: { service: ServerId }; out: string }
  /** A job with the lines of its log. */
  job: { in: { id: number }; out: JobReport }
  /** `last`: of a server that is down, what was read last, where that is kept. */
  read: { in: { server: ServerId; what: LiveRead; last?: boolean }; out: LiveAnswer }
  /** What every server that answers is busy with, or this one. */
  'read-busy': { in: { server?: ServerId }; out: readonly Busy[] }
  /** Answers when every database answers and nothing is wrong, or `deadline-passed` with what is missing. */
  'wait-databases': { in: { seconds: number }; out: void }
  /** The plan of a sampled statement of the digest; with `run` it runs, when it only reads, and the plan tells what it met. */
  'explain-statement': {
    in: { server: ServerId; source: 'performance-schema' | 'slow-log'; digest: string; schema?: string; run: boolean }
    out: Rows
  }
  /** Ends what runs a statement (its digest), or a thread (its number): the statement, or the session with it. */
  'kill-statement': {
    in: { user: string; server: ServerId; target: string; end: 'statement' | 'session' }
    out: readonly KilledThread[]
  }
  /** Variables in which replicas differ from the primary, as the last slow looks read them. */
  'diff-variables': { in: object; out: readonly VariableDiff[] }
  /** What a server says of its configuration, read anew. */
  'read-configuration': { in: { server: ServerId }; out: ServerConfiguration }
  /** Runs statements that change a server at run time, unlogged; how each ended. */
  'run-statements': { in: { server: ServerId; statements: readonly string[] }; out: readonly StatementOutcome[] }
  /** Raises and clears flags of a server. */
  'change-cookies': { in: { server: ServerId; set: readonly Cookie[]; clear: readonly Cookie[] }; out: void }
  /** Forms a topology of standalone servers: the first becomes the primary, the others follow it. */
  bootstrap: { in: { user: string; topology: string; wait: boolean }; out: OperationTicket }
  /** Ends all replication and forgets its history, so that a topology can be formed anew. */
  cleanup: { in: { user: string; force: boolean; wait: boolean }; out: OperationTicket }
  /** Findings of the manager itself, shown among the cluster's own until told otherwise. */
  announce: { in: { findings: readonly Finding[] }; out: void }
  /**
   * New settings: servers added, removed or re-rated, credentials, thresholds. The primary and the memory stay.
   * `settled`: they describe what the servers run on already, so none of them needs a restart.
   */
  reconfigure: { in: { settings: Readonly<Record<string, unknown>>; settled?: boolean }; out: void }
}

/** Views a cluster actor publishes: bytes ready for the wire, rendered once per change. */
export const clusterViews = [
  'cluster',
  'status',
  'servers',
  'master',
  'slaves',
  'proxies',
  'queryrules',
  'alerts',
  'logs',
  'crashes',
  'explain',
  'jobs',
  /** Not for the wire: what the gateway itself needs, as JSON (see GatewayView). */
  'gateway',
] as const

export type ClusterView = (typeof clusterViews)[number]

/** The `gateway` view: who the servers are, so that names resolve without a message. */
export interface GatewayView {
  readonly servers: readonly {
    readonly id: ServerId
    readonly name: string
    readonly host: string
    readonly port: number
    readonly slot: number
    /** What it runs, once it has told. */
    readonly software?: { readonly flavour: Flavour; readonly version: Version }
    /** It runs on a generated configuration. */
    readonly generated?: true
  }[]
  readonly proxies: readonly {
    readonly id: ServerId
    readonly name: string
    readonly host: string
    readonly port: number
  }[]
  readonly primary?: ServerId
  readonly active: boolean
  readonly operation?: { readonly id: string; readonly kind: string }
}
