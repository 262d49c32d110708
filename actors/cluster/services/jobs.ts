// The jobs of a cluster: started, logged line by line, ended; the last ones are kept across restarts.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { isoTime, now, SECOND } from '../../../lib/base/time.js'
import { JOB_LINES_KEPT, JOBS_KEPT, type Job, type JobTask } from '../../../lib/model/operation/job.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { appendJobLog, readJobLog, readJobs, writeJobs } from '../../../lib/store/index.js'

export interface JobBookParts {
  /** The cluster's own directory. */
  readonly directory: string
  /** Called after every start, end and batch of lines. */
  readonly changed: () => void
  /** Called with what cannot be written. */
  readonly complain: (text: string) => void
}

export interface JobRequest {
  readonly service: ServiceSpec
  readonly task: JobTask
  readonly user: string
}

/** A job as the one who works on it holds it. */
export interface OpenJob {
  readonly id: number
  /** Resolves when its beginning is on disk. */
  readonly written: Promise<unknown>
  log(line: string): void
  end(result: Result<void>): Promise<Job>
}

/** Lines are written to disk in bundles: a chatty script costs one write in so long. */
const FLUSH_MS = SECOND / 5

export class JobBook {
  readonly #parts: JobBookParts
  #jobs: readonly Job[] = []
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
    book.#jobs = known.map((job) =>
      job.state === 'running'
        ? {
            ...job,
            state: 'failed',
            endedAt: now(),
            result: 'the manager ended while it ran; it can be asked for again',
          }
        : job,
    )
    if (known.some(({ state }) => state === 'running')) await book.#save()
    return book
  }

  /** Oldest first. */
  list(): readonly Job[] {
    return this.#jobs
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

  begin({ service, task, user }: JobRequest): OpenJob {
    const id = (this.#jobs.at(-1)?.id ?? 0) + 1
    const { kind, name, host, port } = service
    const job: Job = { id, task, kind, service: service.id, name, host, port, user, ...started(now()) }
    this.#jobs = [...this.#jobs, job].slice(-JOBS_KEPT)
    const written = this.#save()
    this.#parts.changed()
    return {
      ...{ id, written },
      log: (line) => this.#log(id, line),
      end: async (result) => {
        const message = result.ok ? 'done' : result.failure.message
        this.#log(id, result.ok ? 'done' : `failed: ${message}`)
        this.#put(id, { state: result.ok ? 'done' : 'failed', endedAt: now(), result: message })
        await Promise.all([this.#flush(), this.#save()])
        this.#parts.changed()
        return this.find(id) ?? job
      },
    }
  }

  /** What is not on disk yet is written. */
  async close(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  #put(id: number, change: Partial<Job>): void {
    this.#jobs = this.#jobs.map((job) => (job.id === id ? { ...job, ...change } : job))
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

const started = (at: number) => ({ state: 'running', startedAt: at, lines: 0 }) as const

/** Programs colour and overwrite their lines; a log holds text. */
const printable = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
