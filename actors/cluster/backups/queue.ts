// The jobs of a cluster that wait for their turn: one at a time on each server, one heavy one in the cluster, so many in the manager.
import type { Asker } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND, sleep } from '../../../lib/base/time.js'
import { type Job, type JobProgress, type JobTask, kindOfJob } from '../../../lib/model/operation/job.js'
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import type { JobBook, OpenJob } from '../services/jobs.js'
import type { Permits } from '../services/permits.js'
import type { Cluster } from '../state/message/cluster.js'
import { type Meter, openMeter } from './meter.js'
import type { JobSlots } from './slots.js'

export interface QueueRequest {
  readonly service: ServiceSpec
  readonly task: JobTask
  readonly user: string
  /** Absent: no request asks for it. */
  readonly asker?: Asker | undefined
  /** Longest duration from its start, milliseconds. */
  readonly deadlineMs: number
  /** Plain data by which it is begun again after a restart of the manager or an interruption: see `redo`. */
  readonly order?: Readonly<Record<string, unknown>>
  readonly attempt?: number
  readonly work: (run: JobRun) => Promise<Result<string | undefined | void>>
}

export interface JobRun {
  readonly id: number
  /** Aborts when the job is cancelled, interrupted or late, and when the manager ends. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  /** Bytes so far, and in all where that is known. */
  readonly progress: (figures: { readonly bytes: number; readonly totalBytes?: number }) => JobProgress
}

export interface Begun {
  readonly job: Job
  /** Resolves when the request would survive a crash. */
  readonly written: Promise<unknown>
  readonly ended: Promise<{ readonly job: Job; readonly result: Result<string | undefined | void> }>
}

export type Cancelled = { readonly job: number } | { readonly task: JobTask; readonly server?: string }

type Redo = (job: Job) => Promise<Result<unknown>>

interface Entry extends QueueRequest {
  readonly open: OpenJob
  readonly abort: AbortController
  readonly settle: (ended: Awaited<Begun['ended']>) => void
  stage: 'waiting' | 'asking' | 'running'
  /** It is asked whether it may go on. */
  isAsking?: boolean
  /** Why it was ended from outside. */
  ending?: ReturnType<typeof fail>
}

export interface QueueParts extends Cluster {
  readonly jobs: JobBook
  readonly slots: JobSlots
  readonly permits: Pick<Permits, 'ask'>
  /** The job that acts on a service outside of the queue. */
  readonly services: { busy(id: string): number | undefined }
}

/** Work whose signal has aborted is given so long; then its job ends without it. */
const LINGER_MS = 30 * SECOND
/** Progress is shown at most so often, and reported as an event at most so often. */
const SHOW_MS = SECOND
/** So long is tried to begin an interrupted job again. */
const REDO_MS = 2 * MINUTE
/** A job that cannot begin for a reason outside of the queue is considered again so often. */
const RETRY_MS = SECOND

export class JobQueue {
  readonly #actor: QueueParts
  readonly #entries = new Map<number, Entry>()
  readonly #redo = new Map<JobTask, Redo>()
  #timer: NodeJS.Timeout | undefined
  /** The removal of what an earlier manager left has ended: it takes the files of a job that runs for such. */
  #isTidy = false

  constructor(actor: QueueParts) {
    this.#actor = actor
    actor.context.signal.addEventListener('abort', () => this.#close(), { once: true })
  }

  /** Asked for: it begins as soon as nothing is in its way. Failure: the same is asked for already. */
  begin(request: QueueRequest): Result<Begun> {
    const { service, task, user, asker, order, attempt } = request
    const same = [...this.#entries.values()].find((one) => one.task === task && one.service.id === service.id)
    if (same) return fail('operation-running', `job ${same.open.id} (${task} of ${service.name}) is not ended yet`)
    const open = this.#actor.jobs.begin({
      ...{ service, task, user, waits: 'its turn' },
      ...(order ? { order } : {}),
      ...(asker ? { asker } : {}),
      ...(attempt === undefined ? {} : { attempt }),
    })
    const ended: Begun['ended'] = new Promise((settle) => {
      this.#entries.set(open.id, { ...request, open, settle, abort: new AbortController(), stage: 'waiting' })
    })
    this.#note('INFO', `Job ${open.id}: ${task} of ${service.name} asked by ${user}`)
    this.poke()
    return ok({ job: this.#job(open), written: open.written, ended })
  }

  /** The open job of a server; a running one before those that wait. */
  running(server: string): Job | undefined {
    const own = [...this.#entries.values()].filter((one) => one.service.id === server && !isAside(one))
    const first = own.find(({ stage }) => stage !== 'waiting') ?? own[0]
    return first && this.#job(first.open)
  }

  /** Whether a job works on the server now. */
  busy(server: string): number | undefined {
    return [...this.#entries.values()].find(
      (one) => one.service.id === server && one.stage === 'running' && !isAside(one),
    )?.open.id
  }

  list(task?: JobTask): readonly Job[] {
    return [...this.#entries.values()]
      .filter((one) => task === undefined || one.task === task)
      .map(({ open }) => this.#job(open))
  }

  /** Failure: nothing such is open. */
  cancel(which: Cancelled, user: string): Result<readonly Job[]> {
    const chosen = [...this.#entries.values()].filter((one) => isMeant(one, which))
    if (chosen.length === 0) return fail('unknown-job', `${nameOf(which)} neither waits nor runs`)
    for (const one of chosen) this.#end(one, fail('job-cancelled', `cancelled by ${user}`))
    return ok(chosen.map(({ open }) => this.#job(open)))
  }

  /** Something more urgent than a running job. It is begun again where its task says how. */
  interrupt(id: number, reason: string): void {
    const entry = this.#entries.get(id)
    if (entry) this.#end(entry, fail('job-interrupted', reason))
  }

  /** How a job of this task is begun again. */
  redo(task: JobTask, work: Redo): void {
    this.#redo.set(task, work)
  }

  /** What an earlier manager left is removed: heavy jobs begin from now on. */
  ready(): void {
    this.#isTidy = true
    this.poke()
  }

  /** What waited or ran when the manager ended is begun again where its task says how; else it has failed. */
  resume(): void {
    for (const job of this.#actor.jobs.left()) void this.#again(job, 'the manager ended meanwhile')
  }

  /** Begins what nothing is in the way of. */
  poke(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#actor.context.signal.aborted) return
    const waiting = [...this.#entries.values()].filter(({ stage }) => stage === 'waiting')
    for (const entry of waiting.toSorted(byUrgency)) {
      const obstacle = this.#obstacle(entry)
      if (obstacle === undefined) this.#admit(entry)
      else entry.open.waits(obstacle)
    }
    for (const entry of this.#entries.values())
      if (entry.stage === 'running' && kindOfJob(entry.task).endable) void this.#askAgain(entry)
    if (this.#entries.size > 0) this.#timer = setTimeout(() => this.poke(), RETRY_MS)
  }

  #obstacle({ service, task, open }: Entry): string | undefined {
    const begun = [...this.#entries.values()].filter((one) => one.open.id !== open.id && one.stage !== 'waiting')
    if (kindOfJob(task).weight === 'aside') {
      const same = begun.find(isAside)
      return same && `job ${same.open.id} (${same.task} of ${same.service.name})`
    }
    const others = begun.filter((one) => !isAside(one))
    const here = others.find((one) => one.service.id === service.id)
    if (here) return `job ${here.open.id} (${here.task}) of the same server`
    const acting = this.#actor.services.busy(service.id)
    if (acting !== undefined) return `job ${acting} of the same server`
    if (kindOfJob(task).weight !== 'heavy') return undefined
    if (!this.#isTidy) return 'the removal of what an earlier manager left'
    const heavy = others.find((one) => kindOfJob(one.task).weight === 'heavy')
    return heavy && `job ${heavy.open.id} (${heavy.task} of ${heavy.service.name})`
  }

  #admit(entry: Entry): void {
    if (kindOfJob(entry.task).weight !== 'heavy') return void this.#permit(entry)
    const { slots } = this.#actor
    entry.stage = 'asking'
    entry.open.waits(`its turn among all clusters${slots.load() === undefined ? '' : `: ${slots.load()}`}`)
    slots.ask(entry.open.id, () => {
      if (this.#entries.has(entry.open.id)) void this.#permit(entry)
      else slots.leave(entry.open.id)
    })
  }

  /** Its user may have lost the permission while it waited. Without an answer it goes on waiting. */
  async #permit(entry: Entry): Promise<void> {
    const { open, asker, user } = entry
    if (!asker) return this.#run(entry)
    entry.stage = 'asking'
    const { signal } = this.#actor.context
    while (this.#entries.has(open.id) && !signal.aborted) {
      const permit = await this.#actor.permits.ask(asker)
      if (!this.#entries.has(open.id) || signal.aborted) return
      if (permit.type === 'granted') return this.#run(entry)
      if (permit.type === 'refused') return this.#revoke(entry, permit.reason)
      open.waits(`an answer whether ${user} may have it`)
      await sleep(RETRY_MS, signal)
    }
  }

  async #askAgain(entry: Entry): Promise<void> {
    if (!entry.asker || entry.isAsking) return
    entry.isAsking = true
    const permit = await this.#actor.permits.ask(entry.asker)
    entry.isAsking = false
    if (permit.type === 'refused' && entry.stage === 'running' && !entry.ending) this.#revoke(entry, permit.reason)
  }

  #revoke(entry: Entry, reason: string): void {
    const { open, task, service } = entry
    this.#actor.tell('note-revoked', { work: `Job ${open.id} (${task} of ${service.name})`, reason })
    this.#end(entry, fail('job-cancelled', `cancelled by the manager: ${reason}`))
  }

  async #run(entry: Entry): Promise<void> {
    const { open, deadlineMs, task, service, abort } = entry
    entry.stage = 'running'
    open.start(now() + deadlineMs)
    this.#note('INFO', `Job ${open.id}: ${task} of ${service.name} begins`)
    const late = () =>
      this.#end(
        entry,
        fail('deadline-passed', `it ran longer than its deadline of ${Math.round(deadlineMs / SECOND)} s`),
      )
    const timer = setTimeout(late, deadlineMs)
    abort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    const meter = openMeter()
    const work = entry
      .work({
        ...{ id: open.id, signal: abort.signal },
        log: (line) => this.#log(entry, line),
        progress: (figures) => this.#progress(entry, meter, figures),
      })
      .catch((error: unknown) => fail('internal', error instanceof Error ? error.message : String(error)))
    const result = await Promise.race([work, lingering(abort.signal)])
    clearTimeout(timer)
    await this.#finish(entry, entry.ending ?? result)
  }

  /** Ended from outside. What runs is given a moment to end. */
  #end(entry: Entry, ending: ReturnType<typeof fail>): void {
    entry.ending ??= ending
    entry.abort.abort()
    if (entry.stage !== 'running') void this.#finish(entry, entry.ending)
  }

  async #finish(entry: Entry, result: Result<string | undefined | void>): Promise<void> {
    const { open, task, service } = entry
    if (!this.#entries.delete(open.id)) return
    this.#actor.slots.leave(open.id)
    const job = await open.end(result)
    const isFault = !result.ok && result.failure.code !== 'job-cancelled'
    this.#note(isFault ? 'ERROR' : 'INFO', `Job ${open.id}: ${task} of ${service.name} ${outcome(job)}`)
    entry.settle({ job, result })
    if (!result.ok && result.failure.code === 'job-interrupted') void this.#again(job, result.failure.message)
    this.poke()
  }

  async #again(job: Job, why: string): Promise<void> {
    const redo = this.#redo.get(job.task)
    const attempts = job.attempt ?? 0
    const { 'scheduler-jobs-retries': retries } = this.#actor.state.settings
    if (!redo || !job.order) return
    const name = `Job ${job.id}: ${job.task} of ${job.name}`
    if (attempts >= retries)
      return this.#note('WARN', `${name} is not begun again: ${why}; begun ${attempts + 1} times`)
    const again = await this.#redoSoon(() => redo({ ...job, attempt: attempts + 1 }))
    this.#note(
      again.ok ? 'INFO' : 'WARN',
      again.ok ? `${name} is begun again: ${why}` : `${name} is not begun again: ${again.failure.message}`,
    )
  }

  /** While the role of the primary moves, nothing may be able to take the job's place for a moment. */
  async #redoSoon(redo: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    const { signal } = this.#actor.context
    const until = now() + REDO_MS
    for (;;) {
      const again = await redo()
      if (again.ok || signal.aborted || now() > until) return again
      await sleep(RETRY_MS, signal)
    }
  }

  #log({ open, service }: Entry, line: string): void {
    open.log(line)
    this.#actor.tell('job-line', { job: open.id, service: service.id, line })
  }

  #progress(
    { open, service, task }: Entry,
    meter: Meter,
    figures: { bytes: number; totalBytes?: number },
  ): JobProgress {
    const progress = meter.note(figures, now())
    if (!meter.due(progress.at, SHOW_MS)) return progress
    open.progress(progress)
    this.#actor.tell('job-progress', { job: open.id, service: service.id, task, progress })
    return progress
  }

  #job(open: OpenJob): Job {
    const job = this.#actor.jobs.find(open.id)
    if (!job) throw new Error(`job ${open.id} is gone`)
    return job
  }

  #note(level: 'INFO' | 'WARN' | 'ERROR', text: string): void {
    this.#actor.tell('noted', { level, text, module: 'task' })
  }

  /** The manager ends: what runs is left as it is in the book, and has failed when it is read again. */
  #close(): void {
    clearTimeout(this.#timer)
    for (const { abort } of this.#entries.values()) abort.abort()
    this.#actor.slots.close()
  }
}

const isAside = ({ task }: Pick<Entry, 'task'>): boolean => kindOfJob(task).weight === 'aside'

const byUrgency = (a: Entry, b: Entry): number =>
  Number(kindOfJob(b.task).urgent ?? false) - Number(kindOfJob(a.task).urgent ?? false) || a.open.id - b.open.id

const isMeant = ({ open, task, service }: Entry, which: Cancelled): boolean =>
  'job' in which
    ? open.id === which.job
    : task === which.task && (which.server === undefined || which.server === service.id)

const nameOf = (which: Cancelled): string => ('job' in which ? `job ${which.job}` : `a job of task ${which.task}`)

const outcome = ({ state, result }: Job): string =>
  state === 'done' && result === 'done' ? 'done' : `${state}: ${result}`

/** Work that goes on after its signal has aborted. */
const lingering = (signal: AbortSignal): Promise<Result<never>> =>
  new Promise((resolve) => {
    const late = () => {
      const text = `its work did not end within ${LINGER_MS / SECOND} s after its end was asked for`
      setTimeout(() => resolve(fail('deadline-passed', text)), LINGER_MS).unref()
    }
    if (signal.aborted) late()
    else signal.addEventListener('abort', late, { once: true })
  })
