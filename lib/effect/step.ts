// Performs the next commands of a plan, alone or side by side, and notes how each ended.
import { type Failure, fail, type Result } from '../base/result.js'
import { sleep } from '../base/time.js'
import type { Command } from '../model/command.js'
import { defaultLimits, type Perform } from './perform.js'
import type { Progress, StepPlace } from './progress.js'

export interface StepRun {
  readonly perform: Perform
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** What an effect may need beyond its own limit; one that breaks its word is not waited for any longer. */
const OVERDUE_MS = 2_500

/** Neighbours that may run together form one group; every other command runs alone. Indices into `commands`. */
export function groupsOf(commands: readonly Command[]): readonly (readonly number[])[] {
  const groups: number[][] = []
  for (const [index, command] of commands.entries()) {
    if (command.concurrent && commands[index - 1]?.concurrent) groups.at(-1)?.push(index)
    else groups.push([index])
  }
  return groups
}

/** Answers the failures that count, in order; those of best-effort commands are only noted. */
export async function runGroup(
  run: StepRun,
  list: StepPlace['list'],
  indices: readonly number[],
): Promise<readonly Failure[]> {
  const places = indices.map((index) => ({ list, index }))
  await run.progress.start(places)
  const failures = await Promise.all(places.map((place) => runStep(run, place)))
  return failures.filter((failure) => failure !== undefined)
}

async function runStep({ perform, progress, signal }: StepRun, place: StepPlace): Promise<Failure | undefined> {
  const command = progress.commandAt(place)
  if (!command) return undefined
  const result = await performInTime(perform, command, signal)
  if (result.ok) {
    progress.settle(place, 'done', result.value)
    return undefined
  }
  const { code, message } = result.failure
  progress.settle(place, 'failed', message)
  return command.bestEffort ? undefined : { code, message: `${command.type}: ${message}` }
}

async function performInTime(perform: Perform, command: Command, signal: AbortSignal): Promise<Result<string>> {
  const settled = new AbortController()
  const overdue = async () => {
    await sleep((command.timeoutMs ?? defaultLimits[command.type]) + OVERDUE_MS, settled.signal)
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
