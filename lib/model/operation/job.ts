// A job: long work on one service, with a log.
import type { ServerId } from '../server/server.js'
import { serviceActions } from './services.js'

/** Kinds of work on a service: an orchestrator's action, work over SQL, or the rebuild of a server. */
export const jobTasks = [...serviceActions, 'optimize', 'reprovision'] as const

export type JobTask = (typeof jobTasks)[number]

export type JobState = 'running' | 'done' | 'failed'

export interface Job {
  /** Rises by one per job of a cluster, over restarts of the manager too. */
  readonly id: number
  readonly task: JobTask
  readonly kind: 'database' | 'proxy'
  /** Id, name and address of the service. */
  readonly service: ServerId
  readonly name: string
  readonly host: string
  readonly port: number
  /** Requesting user. */
  readonly user: string
  readonly state: JobState
  /** `now()` of start and end. */
  readonly startedAt: number
  readonly endedAt?: number
  /** Result: one line. */
  readonly result?: string
  /** Number of log lines. */
  readonly lines: number
}

/** Limits: jobs kept, and log lines kept of each; further lines are only counted. */
export const JOBS_KEPT = 200
export const JOB_LINES_KEPT = 2_000
