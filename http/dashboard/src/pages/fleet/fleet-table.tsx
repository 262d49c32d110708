// The fleet as a dense table: one line a cluster, sorted by any column, only the lines in sight drawn.
import { computed, type ReadonlySignal, type Signal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'
import { parseSort, renderSort, turnSort } from '../../parts/list/order.js'
import { VirtualList } from '../../parts/list/virtual-list.js'
import { now } from '../../store/clock.js'
import { fleet } from '../../store/fleet/fleet.js'
import { renderAge, renderShort } from '../../text/numbers.js'
import { renderFindings, renderLag } from './facts.js'
import { GroupHead } from './group-head.js'
import { makeLines } from './lines.js'
import { type ClustersProps, keyOfLine, remInPixels } from './tiles.js'
import { useStepping } from './use-stepping.js'

interface FleetColumn {
  readonly key: string
  readonly head: string
  /** Key of the order; none: not sortable. */
  readonly sort?: string
  readonly text: (row: FleetRow) => string
  readonly isNumber?: boolean
}

const columns: readonly FleetColumn[] = [
  { key: 'primary', head: 'Primary', sort: 'primary', text: ({ primary }) => primary },
  { key: 'up', head: 'Up', sort: 'up', text: ({ up, of }) => `${up} of ${of}`, isNumber: true },
  { key: 'lag', head: 'Lag', sort: 'lag', text: ({ lag }) => (lag === null ? '' : renderLag(lag)), isNumber: true },
  { key: 'loss', head: 'Loss now', sort: 'loss', text: ({ loss }) => countOf(loss), isNumber: true },
  { key: 'semi', head: 'Semi-sync', text: ({ semi }) => (semi === 'none' ? '' : semi) },
  { key: 'worst', head: 'Findings', sort: 'worst', text: renderFindings },
  { key: 'op', head: 'Operation', text: ({ op }) => op ?? '' },
  { key: 'mode', head: 'Failover', text: ({ mode, flags }) => [mode, ...flags].join(', ') },
  { key: 'wps', head: 'Writes/s', sort: 'wps', text: ({ wps }) => countOf(wps), isNumber: true },
  {
    key: 'at',
    head: 'State for',
    sort: 'at',
    text: ({ at }) => renderAge(Math.max(0, now.value - at)),
    isNumber: true,
  },
  { key: 'tags', head: 'Tags', text: ({ tags }) => tags.join(', ') },
]

const countOf = (value: number | null): string => (value === null ? '' : renderShort(value))

const LINE_HEIGHT = 1.625
const HEAD_HEIGHT = 2.25

export interface FleetTableProps extends ClustersProps {
  readonly sort: string
  readonly onSort: (sort: string) => void
}

export function FleetTable({ groups, grouped, hold, sort, onSort }: FleetTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const lines = makeLines(groups, { columns: 1, heads: grouped })
  const { onKeyDown, scrollTo } = useStepping(lines, frame)
  const rem = remInPixels()
  return (
    <div
      ref={frame}
      class="fleet-table"
      role="table"
      aria-label="Clusters"
      aria-rowcount={lines.length + 1}
      onPointerMove={hold}
      onKeyDown={(event) => {
        hold()
        onKeyDown(event)
      }}
    >
      <Heads sort={sort} onSort={onSort} />
      <VirtualList
        count={lines.length}
        label="Clusters"
        role="rowgroup"
        heightOf={(index) => (lines[index]?.type === 'head' ? HEAD_HEIGHT : LINE_HEIGHT) * rem}
        keyOf={(index) => keyOfLine(lines[index], index)}
        scrollTo={scrollTo}
        line={(index) => {
          const line = lines[index]
          if (line?.type === 'head') return <GroupHead tag={line.tag} count={line.count} />
          const row = fleet.row(line?.names[0] ?? '')
          return row && <FleetLine key={line?.names[0]} row={row} line={index} />
        }}
      />
    </div>
  )
}

function Heads({ sort, onSort }: Pick<FleetTableProps, 'sort' | 'onSort'>) {
  const by = parseSort(sort)
  const head = (key: string | undefined, text: string) => (
    <span
      key={text}
      role="columnheader"
      aria-sort={key !== undefined && by?.key === key ? (by.down ? 'descending' : 'ascending') : undefined}
    >
      {key === undefined ? (
        text
      ) : (
        <button type="button" class="sorts" onClick={() => onSort(renderSort(turnSort(by, key)))}>
          {text}
          {by?.key === key && (by.down ? ' ↓' : ' ↑')}
        </button>
      )}
    </span>
  )
  return (
    <div class="fleet-line fleet-heads" role="row">
      {head('trouble', 'State')}
      {head('name', 'Cluster')}
      {columns.map(({ sort: key, head: text }) => head(key, text))}
    </div>
  )
}

function FleetLine({ row, line }: { readonly row: Signal<FleetRow>; readonly line: number }) {
  const { name } = row.peek()
  const shown = useMemo(
    () => ({
      class: computed(() => `state state-${row.value.state}`),
      state: computed(() => row.value.state),
      cells: columns.map((column): ReadonlySignal<string> => computed(() => column.text(row.value))),
    }),
    [row],
  )
  return (
    <div class="fleet-line" role="row" aria-rowindex={line + 2}>
      <span role="cell" class={shown.class}>
        <i class="mark" aria-hidden="true" />
        {shown.state}
      </span>
      <span role="cell">
        <a href={`/c/${encodeURIComponent(name)}`} data-line={line} data-at={0}>
          {name}
        </a>
      </span>
      {columns.map(({ key, isNumber }, index) => (
        <span key={key} role="cell" class={isNumber ? 'number' : undefined}>
          {shown.cells[index]}
        </span>
      ))}
    </div>
  )
}
