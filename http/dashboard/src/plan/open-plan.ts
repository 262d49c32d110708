// Opens the plan sheet of an action; what the sheet is made of is loaded with the first one.
import type { Action } from './action.js'
import { type OnAnswer, sheet } from './opened.js'

/** Shows what the action would do. Nothing is done before it is confirmed. */
export function openPlan(action: Action, onAnswer?: OnAnswer): void {
  sheet.value = { action, state: { type: 'planning' }, ...(onAnswer ? { onAnswer } : {}) }
  import('./sheet.js').then(
    ({ beginPlan }) => beginPlan(action),
    () => undefined, // the sheet needs the same file, and its host says that it could not be loaded
  )
}
