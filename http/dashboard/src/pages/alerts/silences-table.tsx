// Silences: running, planned, and ended ones behind a fold; each with its end.
import { type Silence, sortSilences } from '../../model/upkeep/alert-board.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { type Column, Table } from '../../parts/list/table.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { endSilence } from './alert-actions.js'

export interface SilencesTableProps {
  readonly silences: readonly Silence[]
}

export function SilencesTable({ silences }: SilencesTableProps) {
  const sorted = sortSilences(silences)
  const live = sorted.filter(({ state }) => state !== 'ended')
  const ended = sorted.filter(({ state }) => state === 'ended')
  const end: Column<Silence> = {
    key: 'end',
    head: 'End',
    cell: ({ id, cluster }) => <ActionButton action={endSilence(cluster, id)}>End</ActionButton>,
  }
  return (
    <>
      <Table
        caption="Silences that run or are planned"
        rows={live}
        keyOf={({ id }) => id}
        empty="Nothing is silenced."
        columns={[...columns, ...(me.value?.readOnly === false ? [end] : [])]}
      />
      {ended.length > 0 && (
        <details>
          <summary>{ended.length} ended in the last seven days</summary>
          <Table caption="Silences that have ended" rows={ended} keyOf={({ id }) => id} limit={50} columns={columns} />
        </details>
      )}
    </>
  )
}

const words = {
  running: ['degraded', 'silent'],
  planned: ['unknown', 'planned'],
  ended: ['unknown', 'ended'],
} as const

const columns: readonly Column<Silence>[] = [
  {
    key: 'state',
    head: 'State',
    cell: ({ state }) => <StateMark state={words[state][0]} word={words[state][1]} />,
  },
  {
    key: 'cluster',
    head: 'Cluster',
    sort: ({ cluster }) => cluster,
    cell: ({ cluster }) =>
      cluster === '' ? <strong>all clusters</strong> : <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>,
  },
  {
    key: 'what',
    head: 'What',
    cell: ({ codes, servers }) => (
      <>
        {codes.length === 0 ? 'all codes' : <span class="mono">{codes.join(', ')}</span>}
        {servers.length > 0 && <span class="muted"> on {servers.join(', ')}</span>}
      </>
    ),
  },
  { key: 'reason', head: 'Reason', wide: true, cell: ({ reason }) => reason },
  { key: 'owner', head: 'By', sort: ({ owner }) => owner, cell: ({ owner }) => owner },
  {
    key: 'from',
    head: 'From',
    sort: ({ startsAt }) => startsAt,
    cell: ({ startsAt }) => <Moment at={startsAt} as="time" />,
  },
  { key: 'until', head: 'Until', sort: ({ endsAt }) => endsAt, cell: ({ endsAt }) => <Moment at={endsAt} as="time" /> },
]
