// A cluster in one line of about 250 bytes: what a view of the whole fleet shows of it. Plain data, without imports.

/** The worst first; what each means is in share/doc/health.md. */
export const fleetStates = ['down', 'broken', 'unknown', 'degraded', 'healthy'] as const

export type FleetState = (typeof fleetStates)[number]

export const fleetFlags = ['paused', 'observed'] as const

export const semiStates = ['on', 'off', 'none'] as const

export interface FleetRow {
  readonly name: string
  readonly state: FleetState
  /** Name of the server that writes go to; '' where none is known. */
  readonly primary: string
  readonly topology: string
  readonly mode: 'automatic' | 'manual'
  /** `monitoring-pause` and `monitoring-observe`. */
  readonly flags: readonly (typeof fleetFlags)[number][]
  /** Servers that answer, of how many. */
  readonly up: number
  readonly of: number
  /** Seconds that the slowest replica is behind, without its intended delay; null where none reports it. */
  readonly lag: number | null
  /** Whether commits of the primary wait for a replica; none: it is not intended. */
  readonly semi: (typeof semiStates)[number]
  /** Transactions that would be lost if the primary died now, to two digits; null: unknown. */
  readonly loss: number | null
  readonly errors: number
  readonly warnings: number
  /** Code of the worst open finding. */
  readonly worst: string | null
  /** Kind of the running operation. */
  readonly op: string | null
  /** When `state` became what it is, milliseconds since the epoch. */
  readonly at: number
  /** Transactions a second that the primary wrote in the last ten seconds; null: unknown. */
  readonly wps: number | null
  /** `cluster-tags`. */
  readonly tags: readonly string[]
}

/** What is different in `after`; empty when nothing is. */
export function changedKeys(before: FleetRow, after: FleetRow): Partial<FleetRow> {
  const keys = Object.keys(after) as (keyof FleetRow)[]
  return Object.fromEntries(keys.filter((key) => !isSame(before[key], after[key])).map((key) => [key, after[key]]))
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (Array.isArray(one) && Array.isArray(other) && one.join() === other.join())

/** Something that happened in the fleet. */
export interface FleetNote {
  /** The cluster. */
  readonly c: string
  readonly at: number
  readonly kind: 'finding-opened' | 'finding-closed' | 'operation-began' | 'operation-ended'
  /** One readable line. */
  readonly text: string
  /** Of the finding. */
  readonly code?: string
  /** Kind of the operation. */
  readonly op?: string
}

/** A change of one row: the keys that changed; null: the cluster is gone for this reader. */
export interface FleetDelta {
  readonly c: string
  readonly k: Partial<FleetRow> | null
}
