// The condition of a server or proxy as one of the states that marks show, and its urgency.
import type { State } from '../state.js'
import type { Condition } from './server.js'

export const stateOfCondition: Readonly<Record<Condition, State>> = {
  well: 'healthy',
  away: 'unknown',
  late: 'degraded',
  unsure: 'unknown',
  error: 'broken',
  down: 'down',
}

const order: readonly Condition[] = ['well', 'away', 'late', 'unsure', 'error', 'down']

/** Larger is worse. */
export const urgencyOf = (condition: Condition): number => order.indexOf(condition)
