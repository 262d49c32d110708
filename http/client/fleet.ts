// The fleet as the client shows it: how bad each cluster is, and what is wrong with it. Pure.
import { type FindingCode, findings as registry } from '../../lib/model/findings.js'
import { parseFilter } from '../../lib/model/fleet/filter.js'
import { type FleetRow, type FleetState, fleetStates } from '../../lib/model/fleet/row.js'

export { sortByTrouble } from '../../lib/model/fleet/order.js'

export type Grade = 'bad' | 'odd' | 'good'

const grades: Readonly<Record<FleetState, Grade>> = {
  ...{ down: 'bad', broken: 'bad', unknown: 'bad', degraded: 'odd', healthy: 'good' },
}

export const gradeOf = ({ state }: Pick<FleetRow, 'state'>): Grade => grades[state]

/** Whether the filter selects it; a filter that is being typed and is not complete yet selects every cluster. */
export function matches(row: FleetRow, filter: string): boolean {
  const parsed = parseFilter(filter)
  return !parsed.ok || parsed.matches(row)
}

/** What is wrong with it, or under way, in one sentence; '' where nothing is. */
export function problemOf({ state, worst, op, flags }: FleetRow): string {
  // A newer manager may have findings that this client does not know.
  if (worst !== null) return `${worst} ${registry[worst as FindingCode]?.sentence ?? ''}`.trimEnd()
  if (state === 'unknown') return 'Its actor does not answer.'
  if (op !== null) return `${op} is running.`
  return flags.join(', ')
}

/** How many clusters there are in each state, the worst first. */
export const countStates = (
  fleet: readonly FleetRow[],
): readonly { readonly state: FleetState; readonly count: number }[] =>
  fleetStates.flatMap((state) => {
    const count = fleet.filter((row) => row.state === state).length
    return count === 0 ? [] : [{ state, count }]
  })
