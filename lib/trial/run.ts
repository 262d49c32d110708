// The course of a named test: which step comes next, what is recorded before and after it, and how all of it is taken back. Pure.
import type { Before, TrialBook, TrialEntry, TrialRun, TrialUndo } from '../model/trial/trial.js'
import { TRIALS_KEPT } from '../model/trial/trial.js'
import { describeStep, describeUndo, type TrialStep, undoOf } from './step.js'

export interface TrialWish extends Before {
  readonly name: string
  readonly user: string
  readonly job: number
}

/** What is to be done now. */
export type TrialDeed =
  | { readonly type: 'step'; readonly step: TrialStep }
  | { readonly type: 'undo'; readonly undo: TrialUndo }
  | { readonly type: 'end' }

export const beginTrial = (wish: TrialWish, id: number, now: number): TrialRun => ({
  ...wish,
  ...{ id, startedAt: now, phase: 'testing', begun: 0, undo: [], timeline: [] },
})

/** The next deed. While it tests: the next step, and when there is none what it changed is taken back, the latest first. */
export function nextDeed(run: TrialRun, steps: readonly TrialStep[]): TrialDeed {
  const step = run.phase === 'testing' ? steps[run.begun] : undefined
  if (step) return { type: 'step', step }
  const undo = run.undo.at(-1)
  return undo ? { type: 'undo', undo } : { type: 'end' }
}

/** The run as it must be on disk before the deed is begun: with what takes it back. */
export function openDeed(run: TrialRun, deed: TrialDeed, now: number): TrialRun {
  if (deed.type === 'end') return run
  if (deed.type === 'undo')
    return noted({ ...run, phase: 'undoing' }, { text: describeUndo(deed.undo), undo: true, startedAt: now })
  const undo = undoOf(deed.step, run)
  return noted(
    { ...run, begun: run.begun + 1, undo: undo && !isIn(run.undo, undo) ? [...run.undo, undo] : run.undo },
    { text: describeStep(deed.step), startedAt: now },
  )
}

/** How a deed ended: `failure` is the reason why it failed, `detail` a line about its success. */
export interface Ended {
  readonly failure?: string
  readonly detail?: string
  readonly now: number
}

/**
 * The run after it. A step that failed ends the test. What was taken back is taken from the list; what could not be is tried again
 * when the rest is taken back.
 */
export function closeDeed(run: TrialRun, deed: TrialDeed, { failure, detail = failure, now }: Ended): TrialRun {
  if (deed.type === 'end') return run
  const timeline = run.timeline.map((entry, index) =>
    index === run.timeline.length - 1
      ? {
          ...entry,
          endedAt: now,
          outcome: failure === undefined ? ('done' as const) : ('failed' as const),
          ...(detail === undefined ? {} : { detail }),
        }
      : entry,
  )
  const closed = { ...run, timeline }
  if (deed.type === 'step')
    return failure === undefined ? closed : broken(closed, `${describeStep(deed.step)}: ${failure}`)
  const others = run.undo.slice(0, -1)
  return { ...closed, undo: failure === undefined ? others : [deed.undo, ...others] }
}

/** The test ends here, without having passed; what it changed is taken back. */
export const broken = (run: TrialRun, message: string): TrialRun => ({
  ...run,
  phase: 'undoing',
  result: run.result === 'SKIP' ? 'SKIP' : 'FAIL',
  message: run.message ?? message,
})

/** A run that was found on disk: whatever was begun may have been done. */
export function interrupted(run: TrialRun, now: number): TrialRun {
  const timeline = run.timeline.map((entry) =>
    entry.endedAt === undefined
      ? { ...entry, endedAt: now, outcome: 'failed' as const, detail: 'the manager ended meanwhile' }
      : entry,
  )
  return broken({ ...run, timeline }, 'the manager ended while the test ran; what it had changed was taken back')
}

/** Nothing is left to be taken back. Without another result it has passed. */
export const endTrial = (run: TrialRun, now: number): TrialRun => ({
  ...run,
  phase: 'ended',
  endedAt: now,
  result: run.result ?? 'PASS',
})

export const withOpen = ({ ended }: TrialBook, open: TrialRun): TrialBook => ({ ended, open })

export const withEnded = ({ ended }: TrialBook, run: TrialRun): TrialBook => ({
  ended: [...ended, run].slice(-TRIALS_KEPT),
})

export const nextId = ({ ended, open }: TrialBook): number => ((open ?? ended.at(-1))?.id ?? 0) + 1

const noted = (run: TrialRun, entry: TrialEntry): TrialRun => ({
  ...run,
  timeline: [...run.timeline, entry].slice(-MOST_ENTRIES),
})

/** Lines of a timeline that are kept: undoing is tried again after each restart. */
const MOST_ENTRIES = 100

const isIn = (list: readonly TrialUndo[], one: TrialUndo): boolean =>
  list.some((each) => JSON.stringify(each) === JSON.stringify(one))
