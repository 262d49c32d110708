// A job: long work on one service, with a log that is kept line by line.
import type { ServerId } from '../server/server.js'
import { serviceActions } from './services.js'

/** What is done to a service: an orchestrator's action, work over SQL, or a server made anew and filled. */
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
  /** Who asked. */
  readonly user: string
  readonly state: JobState
  /** `now()` of the beginning and of the end. */
  readonly startedAt: number
  readonly endedAt?: number
  /** How it ended: one line. */
  readonly result?: string
  /** Lines its log has. */
  readonly lines: number
}

/** Jobs that are remembered, and lines that are kept of each; what follows is counted only. */
export const JOBS_KEPT = 200
export const JOB_LINES_KEPT = 2_000
