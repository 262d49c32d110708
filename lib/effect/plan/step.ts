// Performs the next commands of a plan, alone or side by side, and notes how each ended.
import { type Failure, fail, type Result } from '../../base/result.js'
import { sleep, type Timer } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import type { TripMs } from '../kit/context.js'
import type { Bound } from './bound.js'
import { limitOf, nearby } from './limits.js'
import type { Perform } from './perform.js'
import type { Progress, StepPlace } from './progress.js'

export interface StepRun {
  readonly perform: Perform
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly bound: Bound
  readonly tripMs?: TripMs
  readonly timer?: Timer
}

/** What an effect may need beyond its own limit; one that breaks its word is not waited for any longer. */
const OVERDUE_MS = 2_500

/**
 * Neighbours that may run together form one group, up to one that waits for all of it; every other command runs alone.
 * Indices into `commands`.
 */
export function groupsOf(commands: readonly Command[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const [index, command] of commands.entries()) {
    const before = commands[index - 1]
    if (command.concurrent && before?.concurrent && before.after !== 'group') groups.at(-1)?.push(index)
    else groups.push([index])
  }
  return groups
}

/** Answers the failures that count, in order; those of best-effort commands are only noted. */
export async function runGroup(run: StepRun, places: readonly StepPlace[]): Promise<readonly Failure[]> {
  await run.progress.start(places)
  const outcomes: Promise<Outcome>[] = []
  for (const place of places) outcomes.push(runAfter(run, place, [...outcomes]))
  return (await Promise.all(outcomes)).flatMap(({ failure }) => failure ?? [])
}

interface Outcome {
  /** What waits for it may run. */
  readonly passed: boolean
  /** Of a command that is not best-effort. */
  readonly failure?: Failure
}

async function runAfter(run: StepRun, place: StepPlace, before: readonly Promise<Outcome>[]): Promise<Outcome> {
  const after = run.progress.commandAt(place)?.after
  if (after !== undefined) {
    const awaited = await Promise.all(after === 'group' ? before : before.slice(-1))
    if (run.signal.aborted || !awaited.every(({ passed }) => passed)) {
      run.progress.settle(place, 'skipped', 'what it waits for did not go through')
      return run.signal.aborted ? { passed: false, failure: endedEarly } : { passed: false }
    }
    run.progress.enter(place)
  }
  const failure = await runStep(run, place)
  return failure ? { passed: false, failure } : { passed: true }
}

const endedEarly: Failure = { code: 'deadline-passed', message: 'the operation was ended' }

async function runStep(run: StepRun, place: StepPlace): Promise<Failure | undefined> {
  const { progress, bound } = run
  const command = progress.commandAt(place)
  if (!command) return undefined
  const outdated = await judgeAgain(run, command)
  const renew = bound.judging()
  const result = outdated ? await leaveOut(run, command, outdated) : await performInTime(run, command)
  if (result.ok) {
    if (command.type === 'reprobe') renew()
    progress.settle(place, 'done', result.value)
    return undefined
  }
  const { code, message } = result.failure
  progress.settle(place, outdated ? 'skipped' : 'failed', message)
  return command.bestEffort ? undefined : { code, message: `${command.type}: ${message}` }
}

/**
 * What cannot be taken back is judged again when this process, or its machine, was suspended since the plan was judged. The
 * failure is why it must not be done.
 */
async function judgeAgain(run: StepRun, command: Command): Promise<Result<never> | undefined> {
  const again = run.bound.requires(command)
  if (!again) return undefined
  const renew = run.bound.judging()
  const judged = await performInTime(run, again)
  if (!judged.ok) return judged
  renew()
  return undefined
}

/** A frozen server that is not opened is released all the same: its lock would hold up what it receives as a replica. */
async function leaveOut(run: StepRun, command: Command, outdated: Result<never>): Promise<Result<never>> {
  if (outdated.ok || command.type !== 'unfreeze' || !command.writable) return outdated
  const released = await performInTime(run, { ...command, writable: false })
  const { code, message } = outdated.failure
  return released.ok ? outdated : fail(code, `${message}; not released: ${released.failure.message}`)
}

async function performInTime(
  { perform, signal, tripMs = nearby, timer }: StepRun,
  command: Command,
): Promise<Result<string>> {
  const settled = new AbortController()
  const overdue = async () => {
    await sleep(limitOf(command, tripMs).limitMs + OVERDUE_MS, settled.signal, timer)
    return fail('deadline-passed', 'it did not end in time')
  }
  try {
    return await Promise.race([perform(command, signal), overdue()])
  } catch (error) {
    return fail('internal', error instanceof Error ? error.message : String(error))
  } finally {
    settled.abort()
  }
}
