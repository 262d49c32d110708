// The jobs of a cluster: what waits and runs with its bytes, what has ended and how; newest first.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface JobProgress {
  readonly bytes: number
  readonly totalBytes?: number
  /** Bytes a second; absent: nothing flows. */
  readonly rate?: number
  readonly leftMs?: number
}

export interface Job {
  /** Of the manager, or of the job table of a database, which counts for itself. */
  readonly origin: 'manager' | 'table'
  readonly id: string
  readonly task: string
  /** Host and port. */
  readonly server: string
  readonly user?: string
  readonly phase: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly waitsFor?: string
  readonly progress?: JobProgress
  readonly result?: string
  /** Absent for what has not begun. */
  readonly startedAt?: number
  readonly endedAt?: number
  readonly deadlineAt?: number
  /** How many lines its log has; absent: it has none here. */
  readonly lines?: number
}

const phases = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

export const isOpen = ({ phase }: Pick<Job, 'phase'>): boolean => phase === 'queued' || phase === 'running'

/** Unique on a page: the job tables of several databases count alike. */
export const keyOfJob = ({ origin, server, id }: Job): string => `${origin} ${server} ${id}`

/** Of the reply of `C/jobs`. */
export function readJobs(reply: unknown): readonly Job[] {
  const { servers } = fieldsOf(wireOf<'GET /api/clusters/:cluster/jobs'>(reply))
  return Object.values(fieldsOf(servers))
    .flatMap((server) => listOf(fieldsOf(server).tasks).flatMap((wire) => readJob(wire) ?? []))
    .sort(
      (one, other) => (other.startedAt ?? Infinity) - (one.startedAt ?? Infinity) || Number(other.id) - Number(one.id),
    )
}

function readJob(wire: ReturnType<typeof fieldsOf>): Job | undefined {
  const id = numberOf(wire.id)
  const phase = phases.find((each) => each === wire.phase)
  if (id === undefined || phase === undefined) return undefined
  return present<Job>({
    origin: wire.origin === 'table' ? 'table' : 'manager',
    id: String(id),
    task: textOf(wire.task) ?? '',
    server: textOf(wire.server) ?? '',
    user: textOf(wire.user),
    phase,
    waitsFor: textOf(wire.waits),
    progress: readProgress(fieldsOf(wire.progress)),
    result: textOf(wire.result),
    startedAt: momentOf(wire.start),
    endedAt: momentOf(wire.end),
    deadlineAt: momentOf(wire.deadline),
    lines: numberOf(wire.lines),
  })
}

/** Of the reply of `C/jobs/{job}`. */
export const readJobProgress = (reply: unknown): JobProgress | undefined =>
  readProgress(fieldsOf(fieldsOf(wireOf<'GET /api/clusters/:cluster/jobs/:job'>(reply)).progress))

function readProgress(wire: ReturnType<typeof fieldsOf>): JobProgress | undefined {
  const bytes = numberOf(wire.bytes)
  if (bytes === undefined) return undefined
  const rate = numberOf(wire.rate)
  const left = numberOf(wire.secondsLeft)
  return present<JobProgress>({
    bytes,
    totalBytes: numberOf(wire.totalBytes),
    rate: rate === 0 ? undefined : rate,
    leftMs: left === undefined ? undefined : left * 1_000,
  })
}

/** Seconds to milliseconds; 0 is none. */
function momentOf(value: unknown): number | undefined {
  const seconds = numberOf(value)
  return seconds === undefined || seconds === 0 ? undefined : seconds * 1_000
}
