// What a cluster actor understands, and what it is started with. Plain data only: it crosses threads.

import type { EtcdOptions } from '../../lib/lease/index.js'
import type { Finding } from '../../lib/model/finding.js'
import type { ControlMessages } from './cluster/control.js'
import type { HostMessages } from './cluster/hosts.js'
import type { ReadMessages } from './cluster/read.js'
import type { WorkMessages } from './cluster/work.js'

export type { LiveAnswer } from '../../lib/effect/reads/live-reads.js'
export type { KilledThread } from '../../lib/effect/statements/kill.js'
export type { Busy, JobReport, LiveRead, SeriesReply, SeriesRequest } from './cluster/read.js'
export { type ClusterView, type ConditionsView, clusterViews, type GatewayView } from './cluster/views.js'
export type {
  Asked,
  JobsTicket,
  JobTicket,
  OperationTicket,
  OperationWish,
  ServiceRequest,
  TrialTicket,
} from './cluster/work.js'

export type ClusterProtocol = ControlMessages & HostMessages & ReadMessages & WorkMessages

/** What begins later than its request, or lasts in steps: the gateway says who asks for it, and by which grants. */
export const longWork = [
  'schedule-switchover',
  'run-services',
  'begin-backup',
  'begin-recovery',
  'begin-benchmark',
  'begin-trials',
  'begin-host-job',
  'begin-roll',
  'begin-return',
  'settle-divergence',
  'begin-checksum',
  'begin-schema-scan',
  'begin-table-repair',
  'begin-cluster-recovery',
] as const satisfies readonly (keyof ClusterProtocol)[]

/** What the cluster actor is started with. Secrets are revealed in it: it never leaves the process. */
export interface ClusterInit {
  readonly name: string
  /** Working directory of the cluster: `{monitoring-datadir}/{name}`. */
  readonly directory: string
  /** Plain settings as made by `exportSettings`. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Findings of the manager itself, as `announce` sends them later; none when absent. */
  readonly announced?: readonly Finding[]
  /** Where several instances share the fleet; absent: this manager has all clusters. */
  readonly tenure?: TenureInit
}

export interface TenureInit {
  /** The term of this instance's ownership, as the main thread renews it (lib/lease/board.ts). */
  readonly board: SharedArrayBuffer
  readonly leaseMs: number
  /** Where owners leave journal and memory to the next one; absent: each instance has its own. */
  readonly shared?: SharedInit
  /** Where an arbitrator decides: whether nobody else has owned the cluster since this instance did. */
  readonly resumes?: boolean
}

export interface SharedInit {
  readonly etcd: EtcdOptions
  /** Under which the keys of the fleet lie. */
  readonly prefix: string
}
