// What the cluster's event stream carries: findings, states, operations and log lines, numbered per cluster.
import type { ServerId } from './server/server.js'

export type EventKind =
  | 'finding-opened'
  | 'finding-closed'
  | 'state'
  | 'primary'
  | 'operation'
  | 'step'
  | 'rolling'
  | 'scheduled'
  | 'job'
  | 'log'
  /** For the timeline alone: who follows whom from now on. */
  | 'topology'

export type LogLevel = 'ERROR' | 'WARN' | 'INFO' | 'DEBUG' | 'STATE' | 'ALERT' | 'ALERTOK' | 'START'

export interface ClusterEvent {
  /** Rises by one per event; not kept over restarts or gaps: a reader that is too late gets a `reset` first. */
  readonly id: number
  readonly at: number
  readonly cluster: string
  readonly kind: EventKind
  readonly level: LogLevel
  /** One readable line. */
  readonly text: string
  readonly server?: ServerId
  /** Machine-readable details by kind. */
  readonly data?: Readonly<Record<string, unknown>>
}
