// Named tests of a cluster as jobs, where its settings permit it: recorded before each step, so that whatever ends them, what they
// changed is taken back; at once, or by the next manager.
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'
import type { TrialBook, TrialRun } from '../../../lib/model/trial/trial.js'
import { readTrials, writeTrials } from '../../../lib/store/index.js'
import { absentTrials } from '../../../lib/trial/absent.js'
import { AT_HOME, judgeFacts, WHOLE } from '../../../lib/trial/fact.js'
import {
  beginTrial,
  broken,
  closeDeed,
  type Ended,
  endTrial,
  interrupted,
  nextDeed,
  nextId,
  openDeed,
  type TrialDeed,
  withEnded,
  withOpen,
} from '../../../lib/trial/run.js'
import { describeUndo, type TrialSettings, type TrialStep } from '../../../lib/trial/step.js'
import { beforeOf, findTrial, judgeStart, trialNames } from '../../../lib/trial/table.js'
import type { ClusterProtocol, TrialTicket } from '../../protocol/cluster.js'
import type { JobQueue, JobRun } from '../backups/queue.js'
import { listServices } from '../state/services.js'
import { isObserved, observing } from '../state/step/observed.js'
import { STEP_MS, TrialWork, type Tried, UNDO_MS } from './work.js'

export interface Trying extends Tried {
  readonly queue: Pick<JobQueue, 'begin'>
}

/** How long a test waits for the cluster to be whole before it, and after it. */
const WHOLE_MS = MINUTE
/** Changes that one test takes back, at most. */
const MOST_UNDOS = 6

type Lines = Pick<JobRun, 'log' | 'signal'>

export class Trials {
  readonly #actor: Trying
  readonly #loaded: Promise<void>
  #book: TrialBook = { ended: [] }
  /** One at a time; what is left of an earlier one goes first. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(actor: Trying) {
    this.#actor = actor
    this.#loaded = this.#load()
  }

  /** What a killed manager had changed is taken back. */
  async resume(): Promise<void> {
    await this.#loaded
    if (!this.#book.open || isObserved(this.#actor.state)) return
    const { signal } = this.#actor.context
    await this.#inTurn(() => this.#settle({ signal, log: (line) => this.#note('INFO', line) }))
  }

  /**
   * Runs them as one job, one after the other. Failures: `wrong-state` (not permitted), `unknown-test`, `unsupported` (not offered),
   * `no-primary`, those of the queue. With `wait` it answers when the job has ended, whatever its tests say.
   */
  async begin({ user, asker, tests, wait }: ClusterProtocol['begin-trials']['in']): Promise<Result<TrialTicket>> {
    await this.#loaded
    const { state, queue, init } = this.#actor
    if (isObserved(state)) return observing(state)
    if (!this.#isPermitted())
      return fail('wrong-state', `${init.name} permits no tests: set test to true where nobody depends on the cluster`)
    const names = tests.length === 0 ? trialNames : tests
    for (const name of names) {
      const absent = absentTrials.get(name)
      if (absent !== undefined) return fail('unsupported', `${name} is not offered: ${absent}`)
      if (!findTrial(name)) return fail('unknown-test', `no test is called ${name}`)
    }
    const service = listServices(state).find(({ id }) => id === state.snapshot.primary)
    if (!service) return fail('no-primary', `${init.name} has no primary`)
    const runs: TrialRun[] = []
    const begun = queue.begin({
      ...{ service, task: 'named-test', user, asker, order: { tests: names }, deadlineMs: limitOf(names) },
      work: (run) => this.#inTurn(() => this.#runAll(names, { user, run, runs })),
    })
    if (!begun.ok) return begun
    await begun.value.written
    if (!wait) return ok({ job: begun.value.job, runs })
    const { job } = await begun.value.ended
    return ok({ job, runs })
  }

  /** What is known of them. */
  async report(): Promise<Result<TrialBook>> {
    await this.#loaded
    return ok(this.#book)
  }

  async #load(): Promise<void> {
    const { value, damage } = await readTrials(this.#actor.init.directory)
    if (value) this.#book = value
    for (const line of damage) this.#note('WARN', line)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #runAll(
    names: readonly string[],
    { user, run, runs }: { readonly user: string; readonly run: JobRun; readonly runs: TrialRun[] },
  ): Promise<Result<string>> {
    for (const name of names) {
      const settled = await this.#settle(run)
      if (!settled.ok) return settled
      if (run.signal.aborted) return fail('job-cancelled', `${name} and those after it did not run`)
      runs.push(await this.#runOne(name, { user, run }))
    }
    const text = runs.map(({ name, result = 'FAIL', message }) => `${result} ${name}${message ? `: ${message}` : ''}`)
    const failed = runs.filter(({ result }) => result !== 'PASS' && result !== 'SKIP').length
    return failed === 0 ? ok(text.join('; ')) : fail('step-failed', text.join('; '))
  }

  async #runOne(name: string, { user, run: job }: { readonly user: string; readonly run: JobRun }): Promise<TrialRun> {
    const trial = findTrial(name)
    const steps: readonly TrialStep[] = trial?.steps ?? []
    const first = beforeOf(this.#actor.state.snapshot)
    const ready = await new TrialWork(this.#actor, first, { user, signal: job.signal }).until(
      (judged) => judgeStart(trial ?? {}, judged),
      WHOLE_MS,
      job.signal,
    )
    const before = beforeOf(this.#actor.state.snapshot)
    const run = beginTrial({ ...before, name, user, job: job.id }, nextId(this.#book), now())
    if (!ready.ok) return this.#end({ ...run, result: 'SKIP', message: ready.failure.message }, job)
    this.#note('INFO', `Named test ${name} begins, asked by ${user}`)
    return this.#drive(run, steps, job)
  }

  /** Takes back what is left of an earlier run. Failure: something is left still. */
  async #settle(lines: Lines): Promise<Result<void>> {
    const { open } = this.#book
    if (!open) return ok(undefined)
    this.#note('INFO', `Named test ${open.name}: what it changed is taken back`)
    const { phase } = await this.#drive(interrupted(open, now()), [], lines)
    if (phase === 'ended') return ok(undefined)
    return fail(
      'wrong-state',
      `${open.name} left something changed, which could not be taken back yet: see its timeline`,
    )
  }

  /** To its end, or until what is left cannot be taken back. The manager's own end leaves it as it is on disk. */
  async #drive(begun: TrialRun, steps: readonly TrialStep[], lines: Lines): Promise<TrialRun> {
    const work = new TrialWork(this.#actor, begun, { user: begun.user, signal: lines.signal })
    let run = begun
    let failedInRow = 0
    while (!this.#actor.context.signal.aborted) {
      if (run.phase === 'testing') run = this.#stopped(run, lines.signal)
      const deed = nextDeed(run, steps)
      if (deed.type === 'end') return this.#close(run, work, lines)
      if (deed.type === 'undo' && failedInRow >= run.undo.length) return this.#leave(run)
      run = this.#withSettings(openDeed(run, deed, now()), deed)
      const written = await this.#write(withOpen(this.#book, run))
      lines.log(run.timeline.at(-1)?.text ?? '')
      const performed = await this.#perform(work, deed, written)
      // What ended with the manager is the next one's.
      if (this.#actor.context.signal.aborted) return run
      if (!performed.ok) lines.log(`failed: ${performed.failure.message}`)
      run = closeDeed(run, deed, { ...saidOf(performed), now: now() })
      failedInRow = deed.type === 'undo' && !performed.ok ? failedInRow + 1 : 0
    }
    return run
  }

  #perform(work: TrialWork, deed: TrialDeed, written: Result<void>): Promise<Result<unknown>> {
    if (deed.type === 'undo') return work.takeBack(deed.undo)
    // What is not recorded is not begun.
    if (!written.ok) return Promise.resolve(written)
    return deed.type === 'step' ? work.perform(deed.step) : Promise.resolve(ok(undefined))
  }

  /** The test ends where its job ends, and where the settings or the ownership no longer permit it. */
  #stopped(run: TrialRun, signal: AbortSignal): TrialRun {
    if (signal.aborted) return broken(run, 'its job was cancelled, or ran longer than its deadline')
    if (!this.#isPermitted()) return broken(run, 'test was set to false while it ran')
    return isObserved(this.#actor.state) ? broken(run, 'the cluster may not be changed any more') : run
  }

  #withSettings(run: TrialRun, deed: TrialDeed): TrialRun {
    if (deed.type !== 'step' || deed.step.do !== 'set') return run
    const { settings, trial } = this.#actor.state
    const changed = Object.entries(deed.step.settings).map(([name, value]) => {
      const before = trial?.saved[name as keyof TrialSettings] ?? settings[name as keyof TrialSettings]
      return [name, { before: String(before), during: String(value) }] as const
    })
    return { ...run, settings: { ...run.settings, ...Object.fromEntries(changed) } }
  }

  /** All is taken back: the cluster must be as it was. */
  async #close(run: TrialRun, work: TrialWork, lines: Lines): Promise<TrialRun> {
    const whole = await work.until(
      (judged) => judgeFacts([WHOLE, AT_HOME], judged),
      WHOLE_MS,
      this.#actor.context.signal,
    )
    if (this.#actor.context.signal.aborted) return run
    const text = whole.ok ? '' : `all is taken back, but the cluster is not as it was: ${whole.failure.message}`
    return this.#end(
      whole.ok ? run : { ...broken(run, text), message: [run.message, text].filter(Boolean).join('; ') },
      lines,
    )
  }

  async #end(run: TrialRun, lines: Lines): Promise<TrialRun> {
    const ended = endTrial(run, now())
    await this.#write(withEnded(this.#book, ended))
    const { name, result, message } = ended
    const text = `${name}: ${result}${message ? `: ${message}` : ''}`
    lines.log(text)
    this.#note(result === 'FAIL' ? 'WARN' : 'INFO', `Named test ${text}`)
    return ended
  }

  /** It stays open: taken back before the next test, and after a restart of the manager. */
  async #leave(run: TrialRun): Promise<TrialRun> {
    const left = run.undo.map((undo) => describeUndo(undo).toLowerCase()).join(', ')
    const text = `not taken back yet: ${left}; tried again before the next test and when the manager starts`
    const open = { ...broken(run, text), message: [run.message, text].filter(Boolean).join('; ') }
    await this.#write(withOpen(this.#book, open))
    this.#note('ERROR', `Named test ${run.name}: ${text}`)
    return open
  }

  async #write(book: TrialBook): Promise<Result<void>> {
    this.#book = book
    const written = await writeTrials(this.#actor.init.directory, book)
    if (!written.ok) this.#note('ERROR', written.failure.message)
    return written
  }

  #isPermitted(): boolean {
    return this.#actor.state.settings.test
  }

  #note(level: 'INFO' | 'WARN' | 'ERROR', text: string): void {
    this.#actor.tell('noted', { level, text })
  }
}

/** Longest duration of all of them, milliseconds. */
const limitOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (findTrial(name)?.steps.length ?? 0) * STEP_MS + MOST_UNDOS * UNDO_MS, 5 * SECOND)

const saidOf = (performed: Result<unknown>): Pick<Ended, 'failure' | 'detail'> => {
  if (!performed.ok) return { failure: performed.failure.message }
  return typeof performed.value === 'string' ? { detail: performed.value } : {}
}
