// The whole fleet on one slide: how many clusters are in each state, those in trouble by name, all others as marks.
import { useComputed } from '@preact/signals'
import { fleetStates } from '../../../../../lib/model/fleet/row.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { arrange } from '../../store/fleet/arrange.js'
import { fleet } from '../../store/fleet/fleet.js'
import { renderCount } from '../../text/numbers.js'
import { renderTrouble } from '../fleet/facts.js'

/** So many have a name on the wall: more could not be read from across a room. */
const MOST_NAMED = 24
/** So many marks fit; of a larger fleet the counts say it. */
const MOST_MARKS = 1_000

export function FleetSlide({ filter }: { readonly filter: string }) {
  const shown = useComputed(() => {
    void fleet.changes.value
    const { groups, shown: count } = arrange(fleet.list(), { filter, sort: '', grouped: false })
    const rows = groups.flatMap(({ names }) => names.flatMap((name) => fleet.row(name)?.peek() ?? []))
    const troubled = rows.filter(({ state, op }) => state !== 'healthy' || op !== null)
    return { rows, count, troubled }
  }).value
  const { rows, count, troubled } = shown
  const counted = fleetStates.map((state) => [state, rows.filter((row) => row.state === state).length] as const)
  return (
    <div class="wall">
      <header class="wall-counts">
        {counted.map(([state, of]) => (
          <div key={state} class={`wall-count state-${state} ${of === 0 ? 'wall-none' : ''}`}>
            <b class="number">{renderCount(of)}</b>
            <StateMark state={state} />
          </div>
        ))}
      </header>
      {troubled.length > 0 && (
        <ul class="wall-troubled">
          {troubled.slice(0, MOST_NAMED).map((row) => (
            <li key={row.name} class={`state-${row.state}`}>
              <i class="mark" aria-hidden="true" />
              <b>{row.name}</b>
              <span>{row.op ?? row.state}</span>
              <span class="wall-why">{renderTrouble(row)}</span>
            </li>
          ))}
        </ul>
      )}
      {troubled.length > MOST_NAMED && <p class="muted">and {renderCount(troubled.length - MOST_NAMED)} more</p>}
      {troubled.length === 0 && count > 0 && <p class="wall-calm">Nothing is missing on any cluster.</p>}
      {count === 0 && <p class="wall-calm">No cluster fits.</p>}
      {rows.length <= MOST_MARKS && (
        <div class="wall-marks" aria-hidden="true">
          {rows.map(({ name, state }) => (
            <i key={name} class={`wall-mark state-${state}`} />
          ))}
        </div>
      )}
    </div>
  )
}
