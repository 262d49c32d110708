// The views that a cluster actor publishes.
import type { FindingCode } from '../../../lib/model/findings.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Flavour, Version } from '../../../lib/model/server/version.js'

/** Views a cluster actor publishes: bytes ready for the wire, rendered once per change. */
export const clusterViews = [
  'cluster',
  /** Its row of the fleet: changes only when something in it does. */
  'fleet',
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
  'backups',
  /** Not for the wire: what the gateway itself needs, as JSON (see GatewayView). */
  'gateway',
  /** Not for the wire: what alerts are made of, as JSON (see ConditionsView). */
  'conditions',
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
    /** What it runs, once it has reported it. */
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
  /** This manager acts on the cluster; another one does if not. */
  readonly active: boolean
  readonly splitBrain?: true
  readonly operation?: { readonly id: string; readonly kind: string }
}

/** The `conditions` view: what is open in the cluster, for alerts. */
export interface ConditionsView {
  /** Every server was probed since the actor started. */
  readonly ready: boolean
  /** Hosts of another manager that acts on the servers, and notifies of them; absent where this one does. */
  readonly others?: readonly string[]
  readonly servers: readonly {
    readonly id: ServerId
    readonly name: string
    /** `host:port`. */
    readonly url: string
    /** As clients know it. */
    readonly state: string
    /** In maintenance, or a rolling operation restarts it: what happens to it is intended. */
    readonly quiet: boolean
  }[]
  readonly findings: readonly { readonly code: FindingCode; readonly server?: ServerId; readonly detail: string }[]
}
