// What the routes can request of self-service: clusters that identities create without an operator.
import type { Result } from '../../../lib/base/result.js'
import type { PoolFigures } from '../../../lib/hosted/index.js'
import type { Caller } from './caller.js'

/** As clients read it: whether the caller may create a cluster now, and what it has and would get. */
export interface SelfServiceStatus {
  /** A creation would be accepted now. */
  readonly enabled: boolean
  /** The first check that refuses it. */
  readonly reason?: string
  readonly orchestrator: string
  readonly identity: string
  readonly maxClustersPerUser: number
  /** Clusters that the identity sponsors. */
  readonly used: number
  readonly clusters: readonly string[]
  readonly remaining: number
  /** The plan of a new cluster: units of each database, and of the cluster. */
  readonly defaultDbu: number
  readonly defaultApu: number
  readonly defaultBku: number
  /** What it reserves: the plan of a primary and a replica. */
  readonly neededDbu: number
  readonly neededApu: number
  readonly domain: string
  readonly subDomain: string
  readonly zone: string
  /** For identities alone that pass the checks before the pool. */
  readonly pool?: PoolFigures
  readonly poolOk?: boolean
  readonly poolNote?: string
  /** The plan would not be guaranteed. */
  readonly borrowed?: boolean
  /** Of a unit during a month. */
  readonly prices: { readonly currency: string; readonly dbu: string; readonly apu: string; readonly bku: string }
}

export interface SelfServiceRequest {
  readonly name: string
  readonly form: { readonly orchestrator?: string | undefined; readonly plan?: string | undefined }
  readonly caller: Caller
}

export interface SelfServiceFace {
  status(caller: Caller): Promise<SelfServiceStatus>
  /** The cluster is in force and saved when the call returns. `no-grant`, `self-service-refused`, and what refuses a new cluster. */
  create(request: SelfServiceRequest): Promise<Result<void>>
  /** Whether the user created the cluster in self-service. */
  sponsors(user: string, cluster: string): boolean
  /**
   * Before its sponsor drops a self-service cluster: its services are removed with their data. Nothing for other clusters, and for
   * those who may drop every cluster. Failures of that work; it can be repeated.
   */
  clear(cluster: string, caller: Caller): Promise<Result<void>>
}
