// A job: long work on one service, with a log, progress and a deadline.
import type { Asker } from '../../access/index.js'
import type { ServerId } from '../server/server.js'
import { serviceActions } from './services.js'

interface JobKind {
  /** As sentences name it. */
  readonly title: string
  /**
   * `service`: begun by who acts on services, at once. `light`, `heavy`: begun by the queue, one at a time on each server;
   * heavy ones move data and run one at a time in each cluster, and only so many over all clusters. `aside`: begun by the queue,
   * one at a time in each cluster, and in the way of no other: it rests where a server has much to do.
   */
  readonly weight: 'service' | 'light' | 'heavy' | 'aside'
  /** Goes before others that wait: something is lost until they are done. */
  readonly urgent?: true
  /** It may end at any moment, and ends with the permission of its user; others do what they began. */
  readonly endable?: true
}

const serviceKind: JobKind = { title: 'action of the orchestrator', weight: 'service' }

/** Every kind of job. */
export const jobKinds = {
  provision: serviceKind,
  unprovision: serviceKind,
  start: serviceKind,
  stop: serviceKind,
  restart: serviceKind,
  apply: serviceKind,
  optimize: { title: 'rebuild of tables', weight: 'service' },
  reprovision: { title: 'rebuild of a server', weight: 'service' },
  'backup-logical': { title: 'logical backup', weight: 'heavy', endable: true },
  'backup-physical': { title: 'physical backup', weight: 'heavy', endable: true },
  'backup-error-log': { title: 'copy of the error log', weight: 'light', endable: true },
  'backup-slowquery-log': { title: 'copy of the slow query log', weight: 'light', endable: true },
  restore: { title: 'restore', weight: 'heavy' },
  proof: { title: 'proof of a backup', weight: 'heavy', endable: true },
  pitr: { title: 'point-in-time recovery', weight: 'heavy', urgent: true },
  'new-server': { title: 'recovery onto a new server', weight: 'heavy', urgent: true },
  reseed: { title: 'reseed', weight: 'heavy', urgent: true },
  divergence: { title: 'settling of transactions that only one server has', weight: 'light' },
  archive: { title: 'copy of backups to the archive', weight: 'heavy' },
  purge: { title: 'removal of old backups', weight: 'light' },
  logs: { title: 'copy of logs', weight: 'light', endable: true },
  'log-tables': { title: 'rotation of log tables', weight: 'light' },
  analyze: { title: 'statistics of tables', weight: 'light', endable: true },
  benchmark: { title: 'benchmark', weight: 'heavy', endable: true },
  'named-test': { title: 'named test', weight: 'heavy', endable: true },
  'run-jobs': { title: 'run of the job script', weight: 'light' },
  checksum: { title: 'checksum of tables', weight: 'aside', endable: true },
  'schema-scan': { title: 'scan of the schema', weight: 'aside', endable: true },
  'repair-table': { title: 'repair of rows of a table', weight: 'aside', endable: true },
} as const satisfies Readonly<Record<string, JobKind>>

export type JobTask = keyof typeof jobKinds

export const jobTasks = Object.keys(jobKinds) as [JobTask, ...JobTask[]]

export const kindOfJob = (task: JobTask): JobKind => jobKinds[task]

/** The tasks that an orchestrator carries out are its actions: the compiler compares them. */
serviceActions satisfies readonly JobTask[]

export const jobStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

export type JobState = (typeof jobStates)[number]

export interface JobProgress {
  readonly bytes: number
  /** Where the size is known or estimated. */
  readonly totalBytes?: number
  /** Bytes per second, over the last seconds. */
  readonly rate: number
  /** Milliseconds until the end at this rate. */
  readonly leftMs?: number
  /** `now()` of the figures. */
  readonly at: number
}

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
  /** Absent: asked for by no request, or by an older version, which did not keep it. */
  readonly asker?: Asker
  readonly state: JobState
  /** `now()` of its start; of the request while it is queued. */
  readonly startedAt: number
  readonly endedAt?: number
  /** When it is ended if it still runs. */
  readonly deadlineAt?: number
  /** What a queued one waits for: one line. */
  readonly waits?: string
  readonly progress?: JobProgress
  /** How often it was begun again before, without a request: after an interruption or a restart of the manager. */
  readonly attempt?: number
  /** By what it is begun again: plain data of its task. */
  readonly order?: Readonly<Record<string, unknown>>
  /** Result: one line. */
  readonly result?: string
  /** Number of log lines. */
  readonly lines: number
}

export const isOpenJob = ({ state }: Pick<Job, 'state'>): boolean => state === 'queued' || state === 'running'

/** Limits: jobs kept, and log lines kept of each; further lines are only counted. */
export const JOBS_KEPT = 200
export const JOB_LINES_KEPT = 2_000
