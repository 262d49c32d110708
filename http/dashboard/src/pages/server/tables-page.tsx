// The largest tables of a server.
import { readTables, type TableSize } from '../../model/server/logs.js'
import { useQuery } from '../../parts/address.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { renderBytes, renderShort } from '../../text/numbers.js'
import { ReadPanel, ServerFrame } from './kit/frame.js'
import { useOfServer, useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { query, setQuery } = useQuery()
  const reading = useOfServer('GET /api/clusters/:cluster/servers/:server/tables', subject)
  return (
    <ServerFrame subject={subject}>
      <ReadPanel
        title="Tables"
        reading={reading}
        read={readTables}
        isEmpty={(tables) => tables.length === 0}
        empty="It has no table."
      >
        {(tables) => {
          const wanted = (query.q ?? '').toLowerCase()
          const shown = tables.filter(({ schema, name }) => `${schema}.${name}`.toLowerCase().includes(wanted))
          return (
            <>
              <search class="server-filter">
                <input
                  type="search"
                  aria-label="Filter tables"
                  placeholder="schema.table"
                  value={query.q ?? ''}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <span class="muted number">{shown.length} tables</span>
              </search>
              <Table
                caption="Tables"
                columns={columns}
                rows={shown}
                keyOf={({ schema, name }) => `${schema}.${name}`}
                sort={{ key: 'size', down: true }}
                empty="No table fits."
              />
            </>
          )
        }}
      </ReadPanel>
    </ServerFrame>
  )
}

const bytes = (value: number | undefined) => (value === undefined ? null : renderBytes(value))
const sizeOf = ({ data, index }: TableSize) => (data === undefined ? undefined : data + (index ?? 0))

const columns: readonly Column<TableSize>[] = [
  {
    key: 'name',
    head: 'Table',
    cell: ({ schema, name }) => `${schema}.${name}`,
    sort: ({ schema, name }) => `${schema}.${name}`,
  },
  { key: 'engine', head: 'Engine', cell: ({ engine }) => engine ?? null, sort: ({ engine }) => engine },
  {
    key: 'rows',
    head: 'Rows',
    align: 'end',
    hint: 'As its statistics estimate',
    cell: ({ rows }) => (rows === undefined ? null : renderShort(rows)),
    sort: ({ rows }) => rows,
  },
  { key: 'data', head: 'Data', align: 'end', cell: ({ data }) => bytes(data), sort: ({ data }) => data },
  { key: 'index', head: 'Indexes', align: 'end', cell: ({ index }) => bytes(index), sort: ({ index }) => index },
  { key: 'size', head: 'Together', align: 'end', cell: (row) => bytes(sizeOf(row)), sort: sizeOf },
]
