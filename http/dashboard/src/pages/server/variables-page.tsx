// The variables of a server: what it runs with, what its generated configuration says, what other servers run with.
import { readDrift } from '../../model/server/drift.js'
import { readDiffering, readValues } from '../../model/server/variables.js'
import { useQuery } from '../../parts/address.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { useReading } from '../../store/reading.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'

interface Row {
  readonly name: string
  readonly value: string
  readonly expected?: string
  readonly others: readonly (readonly [server: string, value: string])[]
}

const filters = { all: 'All', drift: 'Other than configured', servers: 'Other than other servers' } as const

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { cluster, server } = subject
  const { query, setQuery } = useQuery()
  const reading = useOfServer('GET /api/clusters/:cluster/servers/:server/variables', subject)
  const drift = useOfServer('GET /api/clusters/:cluster/servers/:server/variables-drift', subject, {
    when: !subject.isDown,
  })
  const differing = useReading('GET /api/clusters/:cluster/diffvariables', { params: { cluster } })
  const expected = new Map(readDrift(drift.value).differences.map((each) => [each.name, each.expected]))
  const others = new Map(readDiffering(differing.value).map(({ name, values }) => [name, values]))
  const only = query.only ?? 'all'
  return (
    <ServerFrame subject={subject}>
      <ReadPanel
        title="Variables"
        reading={reading}
        read={readValues}
        aside={
          <button type="button" class="button" onClick={reading.reload}>
            Read again
          </button>
        }
      >
        {(values) => {
          const rows = [...values].map(
            ([name, value]): Row => ({
              ...{ name, value, others: others.get(name) ?? [] },
              ...(expected.has(name) ? { expected: expected.get(name) ?? '' } : {}),
            }),
          )
          const wanted = (query.q ?? '').toLowerCase()
          const shown = rows.filter(
            (row) =>
              (only !== 'drift' || row.expected !== undefined) &&
              (only !== 'servers' || row.others.length > 0) &&
              `${row.name} ${row.value}`.toLowerCase().includes(wanted),
          )
          return (
            <>
              <search class="server-filter">
                <input
                  type="search"
                  aria-label="Filter variables"
                  placeholder="name or value"
                  value={query.q ?? ''}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                {Object.entries(filters).map(([key, text]) => (
                  <button
                    key={key}
                    type="button"
                    class="button"
                    aria-pressed={only === key}
                    onClick={() => setQuery({ only: key === 'all' ? undefined : key })}
                  >
                    {text}
                  </button>
                ))}
                <span class="muted number">
                  {shown.length} of {rows.length}
                </span>
                {server && expected.size > 0 && (
                  <a
                    href={`/c/${encodeURIComponent(cluster)}/configuration/drift?server=${encodeURIComponent(server.name)}`}
                  >
                    Review the drift
                  </a>
                )}
              </search>
              <Table
                caption="Variables"
                columns={columns}
                rows={shown}
                keyOf={({ name }) => name}
                empty="No variable fits."
              />
            </>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}

const columns: readonly Column<Row>[] = [
  { key: 'name', head: 'Variable', cell: ({ name }) => <span class="mono">{name}</span>, sort: ({ name }) => name },
  {
    key: 'value',
    head: 'Value',
    wide: true,
    cell: ({ value, expected, others }) => (
      <>
        <span class="mono statement">{value}</span>
        {expected !== undefined && <Tag tone="warning">configured: {expected}</Tag>}
        {others.length > 0 && (
          <small class="muted"> {others.map(([name, other]) => `${name}: ${other}`).join(', ')}</small>
        )}
      </>
    ),
    sort: ({ value }) => (value !== '' && Number.isFinite(Number(value)) ? Number(value) : value),
  },
]
