// Keeps a running operation and its journal in step: which command runs, and how each ended.
import { fail, type Result } from '../../base/result.js'
import { SECOND, sleep, type Timer } from '../../base/time.js'
import type { Command, CommandType } from '../../model/operation/command.js'
import type { Operation, OperationStep } from '../../model/operation/operation.js'
import type { Journal, JournalEntry } from '../../store/index.js'

export interface ProgressParts {
  readonly operation: Operation
  readonly journal: Journal
  readonly now: () => number
  /** What its waits end by; the machine's when absent. */
  readonly timer?: Timer
  /** Called with changes of the operation, before its end at the latest. */
  readonly onStep?: (operation: Operation) => void
  /** For specs: called with each entry that is in the file; the process may end there. */
  readonly afterJournal?: (entry: JournalEntry) => void
}

/** A disk that hangs must not hold up an operation for longer. */
const JOURNAL_MS = SECOND

type List = 'commands' | 'undo'

/** A step by its place: `commands` come first in the operation's steps, `undo` after them. */
export interface StepPlace {
  readonly list: List
  readonly index: number
}

/** Commands that change nothing. */
const readers: ReadonlySet<CommandType> = new Set(['reprobe', 'guard-long-writes', 'check-login', 'check-logs'])

export const onlyReads = ({ type }: Command): boolean => readers.has(type)

export class Progress {
  #operation: Operation
  readonly #parts: ProgressParts
  readonly #commands: number
  /** Written with the next entry: one write and one sync between two commands. */
  #unwritten: JournalEntry[] = []
  #sync: Promise<unknown> = Promise.resolve()
  #pendingReport: NodeJS.Immediate | undefined
  /** The first failure of the journal: entries are still handed to it, but no longer waited for. */
  #broken: Result<never> | undefined

  constructor(parts: ProgressParts) {
    this.#parts = parts
    this.#operation = parts.operation
    this.#commands = parts.operation.steps.length
  }

  get operation(): Operation {
    return this.#operation
  }

  /** Writes the operation's first entries; what changes anything waits until they are on disk, probes do not. */
  begin(entries: readonly JournalEntry[]): Promise<Result<void>> {
    const started = this.record(entries)
    this.#sync = started
    return started
  }

  /** Writes entries that must be on disk before anything else happens. */
  async record(entries: readonly JournalEntry[]): Promise<Result<void>> {
    const written = await this.#write(entries)
    return written.ok ? this.#within(this.#parts.journal.sync()) : written
  }

  /**
   * Notes that the commands start. What was noted before is on disk by then, unless they change nothing; these lines are
   * handed to the system before the commands run and reach the disk while they do.
   */
  async start(places: readonly StepPlace[]): Promise<void> {
    const commands = places.map((place) => this.commandAt(place))
    if (!commands.every((command) => command && onlyReads(command))) await this.#sync
    const at = this.#parts.now()
    const written = await this.#write(
      places.map((place) => ({ type: 'started', operation: this.#operation.id, at, ...place })),
    )
    if (written.ok) this.#sync = this.#within(this.#parts.journal.sync())
    for (const place of places)
      if (this.commandAt(place)?.after === undefined) this.#update(place, { state: 'running', startedAt: at })
    this.#report()
  }

  /** What a started command had to wait for is through. */
  enter(place: StepPlace): void {
    this.#update(place, { state: 'running', startedAt: this.#parts.now() })
    this.#report()
  }

  settle(place: StepPlace, state: 'done' | 'failed' | 'skipped', message: string): void {
    const at = this.#parts.now()
    const { startedAt = at } = this.stepAt(place) ?? {}
    const tookMs = at - startedAt
    this.#unwritten.push({ type: 'settled', operation: this.#operation.id, at, ...place, state, tookMs, message })
    this.#update(place, { state, message, ...(state === 'skipped' ? {} : { tookMs }) })
    this.#report()
  }

  /** From here on steps of the list `undo` run; what has not run of the plan is skipped. Answers their places. */
  async undo(commands: readonly Command[], reason: string): Promise<readonly StepPlace[]> {
    const steps = this.#operation.steps.map((step): OperationStep => {
      return step.state === 'waiting' ? { ...step, state: 'skipped' } : step
    })
    this.#operation = { ...this.#operation, steps }
    const places = this.add(commands)
    await this.#write([{ type: 'undo', operation: this.#operation.id, at: this.#parts.now(), reason }])
    return places
  }

  /** Adds steps to the list `undo`, without a word that the plan is undone; answers their places. */
  add(commands: readonly Command[]): readonly StepPlace[] {
    const first = this.#operation.steps.length - this.#commands
    const added = commands.map((command): OperationStep => ({ command, state: 'waiting' }))
    this.#operation = { ...this.#operation, steps: [...this.#operation.steps, ...added] }
    return commands.map((_, index) => ({ list: 'undo', index: first + index }))
  }

  /** The end is on disk when this resolves. */
  async end(ending: Pick<Operation, 'phase' | 'message' | 'failure' | 'losses'>): Promise<Operation> {
    if (this.#pendingReport) this.#reportNow()
    const endedAt = this.#parts.now()
    const steps = this.#operation.steps.map((step): OperationStep => {
      return step.state === 'waiting' ? { ...step, state: 'skipped' } : step
    })
    this.#operation = { ...this.#operation, ...ending, steps, endedAt }
    await this.record([{ type: 'end', operation: this.#operation.id, at: endedAt, result: this.#operation }])
    void this.#parts.journal.compact()
    return this.#operation
  }

  async #write(entries: readonly JournalEntry[]): Promise<Result<void>> {
    const all = [...this.#unwritten.splice(0), ...entries]
    const writing = this.#parts.journal.write(all)
    const written = this.#broken ?? (await this.#within(writing))
    if (written.ok) for (const entry of all) this.#parts.afterJournal?.(entry)
    return written
  }

  commandAt(place: StepPlace): Command | undefined {
    return this.stepAt(place)?.command
  }

  async #within(work: Promise<Result<void>>): Promise<Result<void>> {
    const result = await within(work, this.#parts.timer)
    if (!result.ok) this.#broken = result
    return result
  }

  #place({ list, index }: StepPlace): number {
    return list === 'commands' ? index : this.#commands + index
  }

  stepAt(place: StepPlace): OperationStep | undefined {
    return this.#operation.steps[this.#place(place)]
  }

  #update(place: StepPlace, change: Partial<OperationStep>): void {
    const at = this.#place(place)
    const steps = this.#operation.steps.map((step, index) => (index === at ? { ...step, ...change } : step))
    this.#operation = { ...this.#operation, steps }
  }

  /** Statements to servers are sent first: changes are reported in the next turn, several at once. */
  #report(): void {
    this.#pendingReport ??= setImmediate(() => this.#reportNow())
  }

  #reportNow(): void {
    clearImmediate(this.#pendingReport)
    this.#pendingReport = undefined
    this.#parts.onStep?.(this.#operation)
  }
}

async function within(work: Promise<Result<void>>, timer?: Timer): Promise<Result<void>> {
  const settled = new AbortController()
  const late = async () => {
    // In halves: where this thread was suspended for the whole time, the disk may have answered long ago.
    await sleep(JOURNAL_MS / 2, settled.signal, timer)
    await sleep(JOURNAL_MS / 2, settled.signal, timer)
    return fail('file-unwritable', 'the journal is not written in time')
  }
  try {
    return await Promise.race([work, late()])
  } finally {
    settled.abort()
  }
}
