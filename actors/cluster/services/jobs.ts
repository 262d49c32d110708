// The jobs of a cluster: started, logged line by line, ended; the last ones are kept across restarts.
import type { Asker } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now, SECOND } from '../../../lib/base/time.js'
import {
  isOpenJob,
  JOB_LINES_KEPT,
  JOBS_KEPT,
  type Job,
  type JobProgress,
  type JobTask,
} from '../../../lib/model/operation/job.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { appendJobLog, leaveJobLog, readJobLog, readJobs, writeJobs } from '../../../lib/store/index.js'

export interface JobBookParts {
  /** The cluster's own directory. */
  readonly directory: string
  /** Called after every start, end and batch of lines. */
  readonly changed: () => void
  /** Called with a job that was asked for, began or ended. */
  readonly noted: (job: Job) => void
  /** Called with what cannot be written. */
  readonly complain: (text: string) => void
}

export interface JobRequest {
  readonly service: ServiceSpec
  readonly task: JobTask
  readonly user: string
  readonly asker?: Asker
  /** It waits for its turn until `start`, and says for what. */
  readonly waits?: string
  readonly attempt?: number
  readonly order?: Readonly<Record<string, unknown>>
}

/** A job as the one who works on it holds it. */
export interface OpenJob {
  readonly id: number
  /** Resolves when its beginning is on disk. */
  readonly written: Promise<unknown>
  /** Why a queued one is not begun yet. */
  waits(reason: string): void
  /** Its turn has come. `deadlineAt`: a `now()`. */
  start(deadlineAt?: number): void
  log(line: string): void
  progress(progress: JobProgress): void
  /** A text is its result. `job-cancelled` counts as cancelled. */
  end(result: Result<string | undefined | void>): Promise<Job>
}

/** Lines are written to disk in bundles: a chatty script costs one write in so long. */
const FLUSH_MS = SECOND / 5

export class JobBook {
  readonly #parts: JobBookParts
  #jobs: readonly Job[] = []
  #left: readonly Job[] = []
  readonly #unwritten = new Map<number, string[]>()
  #flushing: NodeJS.Timeout | undefined
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(parts: JobBookParts) {
    this.#parts = parts
  }

  /** With the jobs of earlier lives; those that ran when the manager ended have failed. */
  static async open(parts: JobBookParts): Promise<JobBook> {
    const book = new JobBook(parts)
    const known = await readJobs(parts.directory)
    book.#left = known.filter(isOpenJob)
    book.#jobs = known.map((job) => (isOpenJob(job) ? leftOver(job) : job))
    if (book.#left.length > 0) await book.#save()
    return book
  }

  /** Oldest first. */
  list(): readonly Job[] {
    return this.#jobs
  }

  /** Those that waited or ran when the manager ended, as they were then. */
  left(): readonly Job[] {
    return this.#left
  }

  find(id: number): Job | undefined {
    return this.#jobs.find((job) => job.id === id)
  }

  async read(id: number): Promise<Result<{ readonly job: Job; readonly log: readonly string[] }>> {
    await this.#flush()
    const job = this.find(id)
    if (!job) return fail('unknown-job', `no job has the number ${id}`)
    const log = await readJobLog(this.#parts.directory, id)
    return log.ok ? ok({ job, log: log.value }) : log
  }

  begin({ service, task, user, asker, waits, attempt, order }: JobRequest): OpenJob {
    const id = (this.#jobs.at(-1)?.id ?? 0) + 1
    const { kind, name, host, port } = service
    const job: Job = {
      ...{ id, task, kind, service: service.id, name, host, port, user, startedAt: now(), lines: 0 },
      state: waits === undefined ? 'running' : 'queued',
      ...(waits === undefined ? {} : { waits }),
      ...(asker ? { asker } : {}),
      ...(attempt === undefined ? {} : { attempt }),
      ...(order === undefined ? {} : { order }),
    }
    this.#jobs = latest([...this.#jobs, job])
    const written = this.#save()
    this.#parts.changed()
    this.#parts.noted(job)
    return {
      ...{ id, written },
      waits: (reason) => {
        if (this.find(id)?.waits === reason) return
        this.#put(id, { waits: reason })
        this.#parts.changed()
      },
      start: (deadlineAt) => {
        this.#put(
          id,
          { state: 'running', startedAt: now(), ...(deadlineAt === undefined ? {} : { deadlineAt }) },
          'waits',
        )
        void this.#save()
        this.#parts.changed()
        this.#parts.noted(this.find(id) ?? job)
      },
      log: (line) => this.#log(id, line),
      progress: (progress) => {
        this.#put(id, { progress })
        this.#parts.changed()
      },
      end: async (result) => {
        const message = result.ok ? result.value || 'done' : result.failure.message
        const state = result.ok ? 'done' : result.failure.code === 'job-cancelled' ? 'cancelled' : 'failed'
        this.#log(id, state === 'failed' ? `failed: ${message}` : message)
        this.#put(id, { state, endedAt: now(), result: message }, 'waits')
        await Promise.all([this.#flush(), this.#save()])
        await this.#write(() => leaveJobLog(this.#parts.directory, id, this.#jobs))
        this.#parts.changed()
        const ended = this.find(id) ?? job
        this.#parts.noted(ended)
        return ended
      },
    }
  }

  /** What is not on disk yet is written. */
  async close(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  /** Without `leaving`. */
  #put(id: number, change: Partial<Job>, leaving?: 'waits'): void {
    this.#jobs = this.#jobs.map((job) => {
      if (job.id !== id) return job
      const { waits, ...rest } = job
      return { ...rest, ...(waits === undefined || leaving === 'waits' ? {} : { waits }), ...change }
    })
  }

  #log(id: number, line: string): void {
    const job = this.find(id)
    if (!job) return
    this.#put(id, { lines: job.lines + 1 })
    if (job.lines > JOB_LINES_KEPT) return
    const text = job.lines === JOB_LINES_KEPT ? '(further lines are not kept)' : `${isoTime(now())} ${printable(line)}`
    this.#unwritten.set(id, [...(this.#unwritten.get(id) ?? []), text])
    this.#flushing ??= setTimeout(() => void this.#flush(), FLUSH_MS)
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#flushing)
    this.#flushing = undefined
    const bundles = [...this.#unwritten]
    this.#unwritten.clear()
    if (bundles.length > 0) this.#parts.changed()
    for (const [id, lines] of bundles) void this.#write(() => appendJobLog(this.#parts.directory, id, lines))
    await this.#writing
  }

  #save(): Promise<unknown> {
    return this.#write(() => writeJobs(this.#parts.directory, this.#jobs))
  }

  /** One write after the other. */
  #write(work: () => Promise<Result<void>>): Promise<unknown> {
    this.#writing = this.#writing.then(work).then((written) => {
      if (!written.ok) this.#parts.complain(written.failure.message)
    })
    return this.#writing
  }
}

/** What is under way is never forgotten. */
function latest(jobs: readonly Job[]): readonly Job[] {
  const surplus = jobs.length - JOBS_KEPT
  if (surplus <= 0) return jobs
  const leaving = new Set(jobs.filter((job) => !isOpenJob(job)).slice(0, surplus))
  return jobs.filter((job) => !leaving.has(job))
}

function leftOver({ waits: _, ...job }: Job): Job {
  const how = job.state === 'running' ? 'while it ran' : 'before it began'
  return { ...job, state: 'failed', endedAt: now(), result: `the manager ended ${how}; it can be asked for again` }
}

/** Programs colour and overwrite their lines; a log holds text. */
const printable = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
