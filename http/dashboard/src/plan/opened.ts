// Which plan sheet is open: alone, since the shell watches it from the first page on and loads the rest when one opens.
import { signal } from '@preact/signals'
import type { Action } from './action.js'
import type { SheetState } from './sheet-state.js'

export interface Sheet {
  readonly action: Action
  readonly state: SheetState
  /** Called once with what the manager answered when it has done it. */
  readonly onAnswer?: OnAnswer
}

export type OnAnswer = (answer: unknown) => void

/** What is shown, if anything. */
export const sheet = signal<Sheet | undefined>(undefined)
