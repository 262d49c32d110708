// One line for each backup; what its proof checked is one click away.
import type { Backup } from '../../model/upkeep/backups.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { Table } from '../../parts/list/table.js'
import type { Action } from '../../plan/action.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { renderBytes, renderDuration } from '../../text/numbers.js'

export interface BackupsTableProps {
  readonly backups: readonly Backup[]
  readonly proofOf: (id: string) => Action
}

const marks = { valid: 'healthy', running: 'unknown', failed: 'broken' } as const

export const BackupsTable = ({ backups, proofOf }: BackupsTableProps) => (
  <Table
    caption="Backups, newest first"
    rows={backups}
    keyOf={({ id }) => id}
    empty="There is none."
    columns={[
      {
        key: 'state',
        head: 'State',
        sort: ({ state }) => state,
        cell: ({ state }) => <StateMark state={marks[state]} word={state} />,
      },
      {
        key: 'kind',
        head: 'Kind',
        sort: ({ kind }) => kind,
        cell: ({ kind, tool, isIncremental }) => (
          <>
            {kind} <span class="muted">{tool}</span> {isIncremental && <Tag>incremental</Tag>}
          </>
        ),
      },
      {
        key: 'begun',
        head: 'Begun',
        sort: ({ startedAt }) => startedAt,
        cell: ({ startedAt }) => <Moment at={startedAt} />,
      },
      {
        key: 'took',
        head: 'Took',
        align: 'end',
        sort: ({ tookMs }) => tookMs ?? -1,
        cell: ({ tookMs }) => tookMs !== undefined && renderDuration(tookMs),
      },
      {
        key: 'size',
        head: 'Size',
        align: 'end',
        sort: ({ size }) => size ?? -1,
        cell: ({ size }) => size !== undefined && renderBytes(size),
      },
      { key: 'source', head: 'Of', sort: ({ source }) => source, cell: ({ source }) => source },
      {
        key: 'places',
        head: 'Where',
        cell: ({ places, path, encryption }) => (
          <span title={path}>
            {places.join(', ')} {encryption !== undefined && <Tag>{encryption}</Tag>}
          </span>
        ),
      },
      {
        key: 'gtid',
        head: 'Position',
        cell: ({ gtid }) => gtid !== undefined && <code class="backup-gtid">{gtid}</code>,
      },
      {
        key: 'proof',
        head: 'Proof',
        wide: true,
        sort: ({ proof }) => proof?.at ?? 0,
        cell: ({ proof, state }) =>
          proof ? <ProofCell proof={proof} /> : state === 'valid' && <span class="muted">never proven</span>,
      },
      ...(me.value?.readOnly === false
        ? [
            {
              key: 'prove',
              head: 'Prove',
              cell: ({ id, state }: Backup) =>
                state === 'valid' && <ActionButton action={proofOf(id)}>Prove</ActionButton>,
            },
          ]
        : []),
    ]}
  />
)

function ProofCell({ proof }: { readonly proof: NonNullable<Backup['proof']> }) {
  const { at, isProven, restoreMs, replayedTo, checks } = proof
  return (
    <details class="proof">
      <summary>
        <StateMark state={isProven ? 'healthy' : 'broken'} word={isProven ? 'proven' : 'refuted'} /> <Moment at={at} />
        {restoreMs !== undefined && <span class="muted"> in {renderDuration(restoreMs)}</span>}
      </summary>
      <ul>
        {checks.map(({ name, passed, detail }) => (
          <li key={name}>
            <StateMark state={passed ? 'healthy' : 'broken'} word={name} /> <span class="muted">{detail}</span>
          </li>
        ))}
        {replayedTo !== undefined && (
          <li class="muted">
            Binary logs were replayed up to <Moment at={replayedTo} as="time" />.
          </li>
        )}
      </ul>
    </details>
  )
}
