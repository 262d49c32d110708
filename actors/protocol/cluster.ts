// What a cluster actor understands, and what it is started with. Plain data only: it crosses threads.
import type { Finding } from '../../lib/model/finding.js'
import type { ControlMessages } from './cluster/control.js'
import type { ReadMessages } from './cluster/read.js'
import type { WorkMessages } from './cluster/work.js'

export type { LiveAnswer } from '../../lib/effect/reads/live-reads.js'
export type { KilledThread } from '../../lib/effect/statements/kill.js'
export type { Busy, JobReport, LiveRead } from './cluster/read.js'
export { type ClusterView, type ConditionsView, clusterViews, type GatewayView } from './cluster/views.js'
export type { JobsTicket, JobTicket, OperationTicket, ServiceRequest } from './cluster/work.js'

export type ClusterProtocol = ControlMessages & ReadMessages & WorkMessages

/** What the cluster actor is started with. Secrets are revealed in it: it never leaves the process. */
export interface ClusterInit {
  readonly name: string
  /** Working directory of the cluster: `{monitoring-datadir}/{name}`. */
  readonly directory: string
  /** Plain settings as made by `exportSettings`. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Findings of the manager itself, as `announce` sends them later; none when absent. */
  readonly announced?: readonly Finding[]
}
