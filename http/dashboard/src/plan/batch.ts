// One action after another, each with a plan of its own that was shown before: planned, confirmed, followed to its end, until one fails or a person stops them.
import { type Failure, isSilence } from '../client/failure.js'
import { type Plan, readPlan } from '../model/plan.js'
import { type Action, clusterOf } from './action.js'
import { follow, idOfAnswer, progressOfAnswer, readerOf } from './follow.js'
import type { Progress } from './progress.js'
import { planAction, runAction } from './send.js'

export type LineState =
  | { readonly type: 'unplanned' }
  | { readonly type: 'planning' }
  | { readonly type: 'planned'; readonly plan: Plan }
  /** The manager gave no plan. */
  | { readonly type: 'refused'; readonly failure: Failure }
  | { readonly type: 'running'; readonly plan: Plan; readonly progress?: Progress }
  | { readonly type: 'ended'; readonly plan: Plan; readonly progress?: Progress }
  | { readonly type: 'failed'; readonly plan: Plan; readonly failure: Failure }
  /** It was sent, and no answer came: it may have been done. */
  | { readonly type: 'unknown'; readonly plan: Plan }

/** How one action ended. */
export type LineEnd = Extract<LineState, { readonly type: 'ended' | 'failed' | 'unknown' }>

export interface Line {
  readonly key: string
  readonly action: Action
}

/** What a run needs of the world; a spec gives another one. */
export interface BatchWorld {
  plan(action: Action): Promise<LineState>
  /** Runs exactly this plan and settles at the end of what it began. */
  apply(action: Action, plan: Plan, onProgress: (progress: Progress) => void): Promise<LineEnd>
}

export interface BatchWatch {
  onState(key: string, state: LineState): void
  /** Asked before each action: what runs is not interrupted. */
  isStopped(): boolean
}

const PLANS_AT_ONCE = 4

/** Plans all lines, a few at once; those that are possible can be run. */
export async function planLines(lines: readonly Line[], world: BatchWorld, watch: BatchWatch): Promise<void> {
  const left = [...lines]
  const work = async () => {
    for (let line = left.shift(); line && !watch.isStopped(); line = left.shift()) {
      watch.onState(line.key, { type: 'planning' })
      watch.onState(line.key, await world.plan(line.action))
    }
  }
  await Promise.all(Array.from({ length: PLANS_AT_ONCE }, work))
}

export interface PlannedLine extends Line {
  readonly plan: Plan
}

/** Ends after a line that did not succeed, unless `goOn`. True when every line succeeded. */
export async function runLines(
  lines: readonly PlannedLine[],
  { world, watch, goOn }: { readonly world: BatchWorld; readonly watch: BatchWatch; readonly goOn: boolean },
): Promise<boolean> {
  let isGood = true
  for (const { key, action, plan } of lines) {
    if (watch.isStopped()) return false
    watch.onState(key, { type: 'running', plan })
    const end = await world.apply(action, plan, (progress) => watch.onState(key, { type: 'running', plan, progress }))
    watch.onState(key, end)
    if (hasSucceeded(end)) continue
    isGood = false
    if (!goOn) return false
  }
  return isGood
}

/** Losses are no success: a person is to read them before the next cluster has its turn. */
export const hasSucceeded = (state: LineState): boolean =>
  state.type === 'ended' && (state.progress === undefined || state.progress.ending === 'succeeded')

/** A plan that is possible and asks for no name to be typed: those need a sheet of their own. */
export const canRun = (state: LineState): state is Extract<LineState, { readonly type: 'planned' }> =>
  state.type === 'planned' && state.plan.possible && state.plan.confirm !== 'name'

const MINUTE = 60_000

/** The manager. */
export const manager: BatchWorld = {
  async plan(action) {
    const reply = await planAction(action, { timeoutMs: 2 * MINUTE })
    if (!reply.ok) return { type: 'refused', failure: reply.failure }
    const plan = readPlan(reply.value)
    const failure = { status: 0, code: 'no-plan', text: 'The manager answered with something that is no plan.' }
    return plan ? { type: 'planned', plan } : { type: 'refused', failure }
  },

  async apply(action, plan, onProgress) {
    const reply = await runAction(action, plan, { timeoutMs: 10 * MINUTE })
    if (!reply.ok) {
      const { failure } = reply
      return isSilence(failure) ? { type: 'unknown', plan } : { type: 'failed', plan, failure }
    }
    const id = idOfAnswer(action, reply.value, reply.location)
    if (id === undefined) return { type: 'ended', plan }
    const first = progressOfAnswer(action, reply.value)
    if (first) onProgress(first)
    return { type: 'ended', plan, progress: await endOf(action, id, onProgress) }
  },
}

/** Settles when the work has ended; it is followed as long as that takes. */
function endOf(action: Action, id: string, onProgress: (progress: Progress) => void): Promise<Progress> {
  return new Promise((resolve) => {
    const over = new AbortController()
    follow(clusterOf(action), readerOf(action, id), {
      signal: over.signal,
      onRead: (progress) => {
        onProgress(progress)
        if (progress.ending === 'running') return
        over.abort()
        resolve(progress)
      },
    })
  })
}
