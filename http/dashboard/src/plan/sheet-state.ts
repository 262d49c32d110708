// What the plan sheet shows, as a function of what happened: asked, planned, sent, running, ended, refused, or not known. Pure.
import { type Failure, isSilence } from '../client/failure.js'
import { comparePlans, mayRun, type Plan } from '../model/plan.js'
import type { Progress } from './progress.js'

export type SheetState =
  | { readonly type: 'planning'; readonly before?: Plan; readonly why?: string }
  /** No plan was obtained; without one nothing can be confirmed. */
  | { readonly type: 'unplanned'; readonly failure: Failure }
  | {
      readonly type: 'planned'
      readonly plan: Plan
      /** The confirmed plan was refused because the situation has changed: what the manager said, and what differs. */
      readonly changed?: { readonly why: string; readonly changes: readonly string[] }
    }
  | { readonly type: 'sent'; readonly plan: Plan; readonly at: number }
  | { readonly type: 'running'; readonly plan: Plan; readonly at: number; readonly progress: Progress }
  | {
      readonly type: 'ended'
      readonly plan: Plan
      readonly at: number
      readonly endedAt: number
      readonly progress?: Progress
    }
  /** The manager answered, and did not do it, or says that it failed. */
  | {
      readonly type: 'refused'
      readonly plan: Plan
      readonly at: number
      readonly failure: Failure
      readonly progress?: Progress
    }
  /** It was sent and no answer came: it may have been done. `found`: work that began since. */
  | { readonly type: 'unknown'; readonly plan: Plan; readonly at: number; readonly found?: Progress }

export type SheetEvent =
  | { readonly type: 'planned'; readonly plan: Plan }
  | { readonly type: 'unplanned'; readonly failure: Failure }
  | { readonly type: 'again' }
  | { readonly type: 'confirmed'; readonly at: number }
  | { readonly type: 'answered'; readonly at: number; readonly progress?: Progress }
  | { readonly type: 'refused'; readonly failure: Failure }
  | { readonly type: 'progressed'; readonly progress: Progress; readonly at: number }

export const firstState: SheetState = { type: 'planning' }

/** Events that do not fit the state are passed over: an answer of a sheet that was closed and opened again. */
export function stepSheet(state: SheetState, event: SheetEvent): SheetState {
  switch (event.type) {
    case 'again':
      return state.type === 'sent' || state.type === 'running' ? state : { type: 'planning' }
    case 'planned':
      return state.type === 'planning' ? plannedFrom(state, event.plan) : state
    case 'unplanned':
      return state.type === 'planning' ? { type: 'unplanned', failure: event.failure } : state
    case 'confirmed':
      return state.type === 'planned' && mayRun(state.plan) ? { type: 'sent', plan: state.plan, at: event.at } : state
    case 'answered':
      return state.type === 'sent' ? answered(state, event) : state
    case 'refused':
      return state.type === 'sent' ? refused(state, event.failure) : state
    case 'progressed':
      return progressed(state, event.progress, event.at)
  }
}

type In<T extends SheetState['type']> = Extract<SheetState, { readonly type: T }>

function plannedFrom({ before, why }: In<'planning'>, plan: Plan): SheetState {
  if (before === undefined || why === undefined) return { type: 'planned', plan }
  return { type: 'planned', plan, changed: { why, changes: comparePlans(before, plan) } }
}

function answered({ plan, at }: In<'sent'>, event: Extract<SheetEvent, { type: 'answered' }>): SheetState {
  if (event.progress === undefined) return { type: 'ended', plan, at, endedAt: event.at }
  return progressed({ type: 'running', plan, at, progress: event.progress }, event.progress, event.at)
}

function refused({ plan, at }: In<'sent'>, failure: Failure): SheetState {
  if (failure.code === 'plan-changed') return { type: 'planning', before: plan, why: failure.text }
  return isSilence(failure) ? { type: 'unknown', plan, at } : { type: 'refused', plan, at, failure }
}

function progressed(state: SheetState, progress: Progress, at: number): SheetState {
  if (state.type === 'unknown') return { ...state, found: progress }
  // The answer and the events of the work come in any order.
  const isResumed = state.type === 'ended' && state.progress?.ending === 'interrupted'
  if (state.type !== 'running' && state.type !== 'sent' && !isResumed) return state
  const { plan } = state
  if (progress.ending === 'running') return { type: 'running', plan, at: state.at, progress }
  return { type: 'ended', plan, at: state.at, endedAt: progress.endedAt ?? at, progress }
}

/** Whether closing the sheet would hide something that runs. */
export const isUnderWay = ({ type }: SheetState): boolean => type === 'sent' || type === 'running'
