// Above the fleet: how many are shown, ready filters, facets, the order and the form.
import { useComputed } from '@preact/signals'
import type { Changes } from '../../parts/address.js'
import { Menu, type MenuItem } from '../../parts/overlay/menu.js'
import { hasTerm, turnTerm } from '../../store/fleet/arrange.js'
import { fleet } from '../../store/fleet/fleet.js'
import { renderCount } from '../../text/numbers.js'
import { type Facet, facets, optionsOf } from './facets.js'

export interface ToolbarProps {
  readonly query: Readonly<Record<string, string>>
  readonly setQuery: (changes: Changes) => void
  readonly shown: number
  readonly total: number
  readonly fault: string | undefined
}

/** Questions that are asked every day. */
const ready: readonly (readonly [text: string, filter: string])[] = [
  ['In trouble', '-state:healthy'],
  ['Under way', 'has:op'],
  ['Lagging', 'lag>5'],
  ['Would lose data', 'loss>0'],
  ['Manual failover', 'mode:manual'],
]

const sorts: readonly (readonly [sort: string, text: string])[] = [
  ['', 'Trouble first'],
  ['name', 'Name'],
  ['-lag', 'Lag'],
  ['-loss', 'Loss'],
  ['-wps', 'Writes'],
  ['-at', 'Changed last'],
]

export function Toolbar({ query, setQuery, shown, total, fault }: ToolbarProps) {
  const { q = '', sort = '', as = 'tiles', by = '' } = query
  const isAll = useComputed(() => fleet.known.value)
  return (
    <div class="toolbar">
      <p class="toolbar-count" role="status">
        {!isAll.value
          ? ''
          : shown === total
            ? `${renderCount(total)} clusters`
            : `${renderCount(shown)} of ${renderCount(total)}`}
      </p>
      <div class="toolbar-ready">
        {ready.map(([text, filter]) => (
          <button
            key={filter}
            type="button"
            class="button button-quiet"
            aria-pressed={q === filter}
            onClick={() => setQuery({ q: q === filter ? '' : filter })}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="toolbar-facets">
        {facets.map((facet) => (
          <Menu key={facet.key} label={facet.title} items={() => facetItems(facet, q, (next) => setQuery({ q: next }))}>
            {facet.title} ▾
          </Menu>
        ))}
      </div>
      <label class="toolbar-sort">
        <span class="hidden">Order</span>
        <select value={sort} onChange={(event) => setQuery({ sort: event.currentTarget.value })}>
          {sorts.every(([each]) => each !== sort) && <option value={sort}>{sort}</option>}
          {sorts.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="button"
        aria-pressed={by === 'tag'}
        onClick={() => setQuery({ by: by === 'tag' ? '' : 'tag' })}
      >
        By tag
      </button>
      <button
        type="button"
        class="button"
        data-key="t"
        aria-pressed={as === 'table'}
        title="Table (t)"
        onClick={() => setQuery({ as: as === 'table' ? '' : 'table' })}
      >
        Table
      </button>
      {fault !== undefined && (
        <p class="toolbar-fault" role="alert">
          The filter is not applied: {fault}
        </p>
      )}
    </div>
  )
}

function facetItems({ key, valuesOf }: Facet, filter: string, onFilter: (filter: string) => void): readonly MenuItem[] {
  const options = optionsOf(fleet.list(), valuesOf)
  if (options.length === 0) return [{ text: 'None', onChoose: () => {}, permission: { allowed: false } }]
  return options.map(({ value, count }) => {
    const term = `${key}:${value}`
    return {
      text: `${value} (${renderCount(count)})`,
      checked: hasTerm(filter, term),
      onChoose: () => onFilter(turnTerm(filter, term)),
    }
  })
}
