// Checksums of a cluster's tables: what was compared and what differs, down to the rows; compared again and repaired from here.
import {
  type ChecksumState,
  type ComparedTable,
  checksumStates,
  countStates,
  filterTables,
  nameOfTable,
  readChecksums,
  type ServerVerdict,
} from '../../model/upkeep/checksums.js'
import { useQuery } from '../../parts/address.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { AsOf, NotRead } from '../../parts/reading/as-of.js'
import { ActionButton } from '../../plan/action-button.js'
import { useReading } from '../../store/reading.js'
import { renderCount } from '../../text/numbers.js'
import { compareAll } from './checksum-actions.js'
import { RunLine, useOpenJob } from './run-line.js'
import { stateWords, TableSheet, verdictText } from './table-sheet.js'
import { TablesFrame } from './tables-frame.js'

export function page({ params: { cluster = '' } }: PageProps) {
  const { query, setQuery } = useQuery()
  const { q = '', state = '', schema = '', table = '' } = query
  const reading = useReading('GET /api/clusters/:cluster/checksums', { params: { cluster }, every: 'live' })
  const job = useOpenJob(cluster, 'checksum')
  const tables = readChecksums(reading.value)
  const shown = filterTables(tables, { words: q, state })
  return (
    <TablesFrame cluster={cluster} view="">
      <Panel
        title="Checksums of tables"
        stale={reading.isStale}
        aside={
          <>
            <AsOf reading={reading} />
            <ActionButton
              action={compareAll(cluster)}
              refused={job ? `Job ${job.id} compares tables already.` : undefined}
            />
          </>
        }
      >
        {job && <RunLine cluster={cluster} job={job} what="checksum" {...doneOf(tables, job.id)} />}
        {reading.value === undefined && <NotRead reading={reading} />}
        {reading.value !== undefined && tables.length > 0 && (
          <Narrow tables={tables} words={q} state={state} onChange={setQuery} />
        )}
        {reading.value !== undefined && (
          <Table
            caption="Tables that were compared, what differs first"
            rows={shown}
            keyOf={nameOfTable}
            columns={columns}
            onOpen={(one) => setQuery({ schema: one.schema, table: one.table })}
            isSelected={(one) => one.schema === schema && one.table === table}
            empty={
              tables.length === 0
                ? 'No table was compared yet. A checksum locks and writes nothing, and rests while a replica is late.'
                : 'No table fits.'
            }
          />
        )}
      </Panel>
      {schema !== '' && table !== '' && (
        <TableSheet
          key={`${schema} ${table}`}
          cluster={cluster}
          name={{ schema, table }}
          isBusy={job !== undefined}
          onClose={() => setQuery({ schema: undefined, table: undefined })}
        />
      )}
    </TablesFrame>
  )
}

/** Tables that this job has ended; how many are left is not known of tables that were never compared. */
function doneOf(tables: readonly ComparedTable[], id: string): { readonly done?: string } {
  const own = tables.filter(({ job }) => job === id)
  const ended = own.filter(({ state }) => state !== 'running' && state !== 'waiting').length
  const current = own.find(({ state }) => state === 'running')
  if (ended === 0 && !current) return {}
  const at = current ? `, ${nameOfTable(current)} is compared (${renderCount(current.rows ?? 0)} rows so far)` : ''
  return { done: `${ended} ${ended === 1 ? 'table' : 'tables'} compared${at}` }
}

interface NarrowProps {
  readonly tables: readonly ComparedTable[]
  readonly words: string
  readonly state: string
  readonly onChange: ReturnType<typeof useQuery>['setQuery']
}

function Narrow({ tables, words, state, onChange }: NarrowProps) {
  const counts = countStates(tables)
  return (
    <search class="table-search">
      <input
        type="search"
        aria-label="Search tables"
        placeholder="schema.table"
        spellcheck={false}
        autocomplete="off"
        value={words}
        onInput={(event) => onChange({ q: event.currentTarget.value })}
      />
      {checksumStates
        .filter((each) => counts[each] > 0 || each === state)
        .map((each) => (
          <button
            key={each}
            type="button"
            class="button"
            aria-pressed={each === state}
            onClick={() => onChange({ state: each === state ? undefined : each })}
          >
            {renderCount(counts[each])} {stateWords[each][1]}
          </button>
        ))}
    </search>
  )
}

const columns: readonly Column<ComparedTable>[] = [
  {
    key: 'state',
    head: 'State',
    sort: ({ state }) => checksumStates.indexOf(state),
    cell: ({ state }) => <CheckMark of={state} />,
  },
  { key: 'table', head: 'Table', sort: nameOfTable, cell: (table) => <OpenName of={table} /> },
  {
    key: 'rows',
    head: 'Rows',
    align: 'end',
    sort: ({ rows }) => rows,
    cell: ({ rows }) => rows !== undefined && renderCount(rows),
  },
  {
    key: 'at',
    head: 'Compared',
    sort: ({ endedAt }) => endedAt,
    cell: ({ endedAt }) => endedAt !== undefined && <Moment at={endedAt} />,
  },
  {
    key: 'servers',
    head: 'Found',
    wide: true,
    cell: ({ servers, reason }) => (
      <>
        {reason !== undefined && <div>{reason}</div>}
        {servers.filter(isNotable).map((server) => (
          <div key={server.server}>
            {server.name}: {verdictText(server)}
          </div>
        ))}
      </>
    ),
  },
]

const isNotable = ({ verdict, open }: ServerVerdict): boolean => verdict !== 'equal' || open > 0

const CheckMark = ({ of }: { readonly of: ChecksumState }) => (
  <StateMark state={stateWords[of][0]} word={stateWords[of][1]} />
)

const OpenName = ({ of }: { readonly of: ComparedTable }) => <span class="mono table-name">{nameOfTable(of)}</span>
