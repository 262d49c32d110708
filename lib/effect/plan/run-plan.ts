// Runs a plan: in order, journaled, undone when it fails before the new primary is writable, finished after that.
import { done, type Failure } from '../../base/result.js'
import type { Command } from '../../model/operation/command.js'
import type { Operation, OperationStep, Plan } from '../../model/operation/operation.js'
import type { TripMs } from '../kit/context.js'
import { openLimit } from '../kit/limit.js'
import { Bound } from './bound.js'
import { nearby, wayOf } from './limits.js'
import { lossesOf } from './losses.js'
import type { Perform } from './perform.js'
import { onlyReads, Progress, type ProgressParts, type StepPlace } from './progress.js'
import { groupsOf, runGroup } from './step.js'

export interface PlanRun extends ProgressParts {
  /** The operation as it begins: phase `running`, one waiting step per command, its deadline. */
  readonly operation: Operation
  readonly plan: Plan
  readonly perform: Perform
  /** The way to the servers; they are nearby when absent. The operation's deadline, and the limits of its steps, grow with it. */
  readonly tripMs?: TripMs
  /** Ends the operation early: undone before the point of no return, without effect after it. */
  readonly signal: AbortSignal
  /** The system's clock, milliseconds. */
  readonly wall?: () => number
}

type BoundRun = PlanRun & { readonly bound: Bound }

/** Resolves with the ended operation; never throws. The journal holds its end by then. */
export async function runPlan(given: PlanRun): Promise<Operation> {
  const { plan, now, tripMs = nearby } = given
  const operation = { ...given.operation, deadlineAt: given.operation.deadlineAt + wayOf(plan.commands, tripMs) }
  const run = { ...given, operation }
  const progress = new Progress(run)
  const bound = new Bound(run)
  const { steps: _, ...head } = operation
  const started = progress.begin([{ type: 'begin', operation: operation.id, at: now(), head, plan }])
  // A full disk of the manager is no reason to leave a cluster without a primary.
  const written = plan.kind === 'failover' ? done : await started
  if (!written.ok) return progress.end(endedBy('failed', written.failure))
  const failure = await runCommands({ ...run, bound }, progress)
  if (failure === undefined) return progress.end({ phase: 'succeeded', ...shortfall(progress.operation) })
  if (hasCrossed(progress.operation)) return progress.end(endedBy('failed', failure))
  const kept = await takeBack({ ...run, bound }, progress, failure)
  return kept ? goOn({ ...run, bound }, progress, kept) : undoPlan({ ...run, bound }, progress, failure)
}

/**
 * Before the point of no return the first failure or the deadline ends it; from there on everything is tried. Answers
 * the first failure that counts.
 */
async function runCommands(run: BoundRun, progress: Progress): Promise<Failure | undefined> {
  const limit = openLimit(run)
  const within = { ...run, progress, signal: limit.signal }
  try {
    let first: Failure | undefined
    for (const group of groupsOf(run.plan.commands)) {
      if (hasCrossed(progress.operation)) limit.close()
      else if (limit.signal.aborted) return limit.failure()
      const failures = await runGroup(within, placesOf(group))
      first ??= failures[0]
      if (first && !hasCrossed(progress.operation)) return limit.signal.aborted ? limit.failure() : first
    }
    return first
  } finally {
    limit.close()
  }
}

/** Only of changes that moved the role: a repair that did not reach its end failed. */
function shortfall({ kind, steps }: Operation): Pick<Operation, 'losses'> {
  const losses = kind === 'failover' || kind === 'switchover' ? lossesOf(steps) : []
  return losses.length === 0 ? {} : { losses }
}

/** Undoes what was done, step by step, whatever fails on the way. Not needed when there were only probes. */
async function undoPlan(run: BoundRun, progress: Progress, failure: Failure): Promise<Operation> {
  const { undo } = run.plan
  const unchanged = progress.operation.steps.every(({ command, state }) => state === 'waiting' || onlyReads(command))
  if (undo.length === 0) return progress.end(endedBy('failed', failure))
  if (unchanged) return progress.end(endedBy('rolled-back', failure))
  // Someone may have given the role to another server meanwhile: then the old primary is not opened again.
  run.bound.doubt()
  const places = await progress.undo(undo, failure.message)
  const within = { ...run, progress, signal: unending() }
  const failures: Failure[] = []
  for (const group of groupsOf(undo)) {
    const at = group.flatMap((index) => places[index] ?? [])
    failures.push(...(await runGroup(within, at)))
    // What is left would give the old primary a role that another server has.
    const refused = at.map((place) => progress.stepAt(place)).find((step) => step?.state === 'skipped')
    if (refused)
      return progress.end(
        endedBy('failed', { ...failure, message: `${failure.message}; not undone: ${refused.message}` }),
      )
  }
  if (failures.length === 0) return progress.end(endedBy('rolled-back', failure))
  const rest = failures.map(({ message }) => message).join('; ')
  return progress.end(endedBy('failed', { ...failure, message: `${failure.message}; not undone: ${rest}` }))
}

/**
 * Before the role goes back: the new primary is closed, unless it takes writes, or has taken some. Opening it may have gone through
 * although it failed; and a person may have opened it meanwhile. Answers why the role stays; undefined where it goes back.
 */
async function takeBack(run: BoundRun, progress: Progress, failure: Failure): Promise<Failure | undefined> {
  const { kind, oldPrimary, newPrimary, steps } = progress.operation
  const moves = kind === 'switchover' || kind === 'failover'
  if (!moves || oldPrimary === undefined || newPrimary === undefined || run.plan.undo.length === 0) return undefined
  const tried = steps.some(({ command, state }) => state === 'failed' && opens(command, newPrimary))
  const parted = steps.some(({ command, state }) => isPerformed(state) && parts(command, newPrimary))
  if (!tried && !parted) return undefined
  const places = progress.add([{ type: 'take-back', server: newPrimary, oldPrimary }])
  const [kept] = await runGroup({ ...run, progress, signal: unending() }, places)
  return kept && { code: kept.code, message: `${failure.message}; ${kept.message}` }
}

/**
 * The new primary keeps the role, as if opening it had gone through: what takes writes, or took some, is not given up. What the plan
 * would say of it is left out, since it is not what happened.
 */
async function goOn(run: BoundRun, progress: Progress, kept: Failure): Promise<Operation> {
  const at = run.plan.commands.findIndex((command) => opens(command, progress.operation.newPrimary))
  progress.settle({ list: 'commands', index: at }, 'done', kept.message)
  const rest = groupsOf(run.plan.commands)
    .map((group) => group.filter((index) => index > at && !isReport(run.plan.commands[index])))
    .filter((group) => group.length > 0)
  const within = { ...run, progress, signal: unending() }
  // It was closed to be asked; it stays open where it is.
  const opening = run.plan.commands
    .filter((_, index) => index === at)
    .map((command) => ({ ...command, bestEffort: true }))
  await runGroup(within, progress.add(opening))
  for (const group of rest) await runGroup(within, placesOf(group))
  return progress.end(endedBy('failed', kept))
}

/** It says what the plan has reached, or writes on the new primary. */
const isReport = (command: Command | undefined): boolean =>
  command?.type === 'report' || command?.type === 'mark-primary'

const unending = (): AbortSignal => new AbortController().signal

const placesOf = (group: readonly number[]): readonly StepPlace[] => group.map((index) => ({ list: 'commands', index }))

/** Whether the new primary was opened for writes: from there on an operation only goes forward. */
const hasCrossed = ({ newPrimary, steps }: Operation): boolean =>
  steps.some(({ command, state }) => state === 'done' && opens(command, newPrimary))

const isPerformed = (state: OperationStep['state']): boolean => state === 'done' || state === 'failed'

const parts = (command: Command, newPrimary: string): boolean =>
  command.type === 'promote' && command.server === newPrimary

const opens = (command: Command, newPrimary: string | undefined): boolean =>
  command.type === 'make-writable' && command.server === newPrimary

const endedBy = (phase: Operation['phase'], { code, message }: Failure) => ({ phase, message, failure: code })
