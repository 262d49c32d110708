// The states of a cluster in words for descriptions.
import type { FleetState } from '../../../../lib/model/fleet/row.js'

export type State = FleetState

/** What each state means. */
export const stateMeaning: Readonly<Record<State, string>> = {
  down: 'No server takes writes.',
  broken: 'Writes are taken, and an error needs a person.',
  unknown: 'The manager has no verdict yet.',
  degraded: 'Writes are taken, and something is missing: a replica, redundancy, a backup.',
  healthy: 'Nothing is missing.',
}
