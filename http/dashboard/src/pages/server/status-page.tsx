// The status of a server: each value, and the rate of each counter between the two last readings.
import { useRef } from 'preact/hooks'
import { type Counter, rateCounters, readValues, type Values } from '../../model/server/variables.js'
import { useQuery } from '../../parts/address.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { renderShort } from '../../text/numbers.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'

interface Pair {
  readonly at: number
  readonly values: Values
  readonly before?: { readonly at: number; readonly values: Values }
}

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { query, setQuery } = useQuery()
  const reading = useOfServer('GET /api/clusters/:cluster/servers/:server/status', subject, { every: 'live' })
  const pair = useRef<Pair | undefined>(undefined)
  const { at } = reading
  const pairOf = (values: Values): Pair => {
    const known = pair.current
    if (known && known.at === at) return known
    pair.current = { at: at ?? 0, values, ...(known ? { before: { at: known.at, values: known.values } } : {}) }
    return pair.current
  }
  const onlyMoving = query.moving === '1'
  return (
    <ServerFrame subject={subject}>
      <ReadPanel title="Status" reading={reading} read={(reply) => pairOf(readValues(reply))}>
        {({ values, before, at: now }) => {
          const wanted = (query.q ?? '').toLowerCase()
          const counters = rateCounters(values, before?.values, before ? (now - before.at) / 1_000 : 0)
          const shown = counters.filter(({ name, rate = 0 }) => name.includes(wanted) && (!onlyMoving || rate > 0))
          return (
            <>
              <search class="server-filter">
                <input
                  type="search"
                  aria-label="Filter status"
                  placeholder="name"
                  value={query.q ?? ''}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <button
                  type="button"
                  class="button"
                  aria-pressed={onlyMoving}
                  onClick={() => setQuery({ moving: onlyMoving ? undefined : '1' })}
                >
                  Moving only
                </button>
                <span class="muted number">
                  {shown.length} of {counters.length}
                </span>
              </search>
              <Table
                caption="Status"
                columns={columns}
                rows={shown}
                keyOf={({ name }) => name}
                empty="No value fits."
              />
            </>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}

const columns: readonly Column<Counter>[] = [
  { key: 'name', head: 'Name', cell: ({ name }) => <span class="mono">{name}</span>, sort: ({ name }) => name },
  {
    key: 'value',
    head: 'Value',
    cell: ({ value }) => <span class="mono statement">{value}</span>,
    sort: ({ value }) => (value !== '' && Number.isFinite(Number(value)) ? Number(value) : value),
  },
  {
    key: 'rate',
    head: 'A second',
    align: 'end',
    wide: true,
    cell: ({ rate }) => (rate === undefined ? null : renderShort(rate)),
    sort: ({ rate }) => rate,
  },
]
