// The views that a cluster actor publishes.
import type { ServerId } from '../../../lib/model/server/server.js'
import type { Flavour, Version } from '../../../lib/model/server/version.js'

/** Views a cluster actor publishes: bytes ready for the wire, rendered once per change. */
export const clusterViews = [
  'cluster',
  /** The cluster in one line, for views of the fleet. */
  'brief',
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
  readonly active: boolean
  readonly operation?: { readonly id: string; readonly kind: string }
}
