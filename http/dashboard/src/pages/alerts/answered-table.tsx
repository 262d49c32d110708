// Open alerts that someone takes care of, that are silenced, or that nobody answered in time.
import type { Answered } from '../../model/upkeep/alert-board.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { type Column, Table } from '../../parts/list/table.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { takeBack } from './alert-actions.js'

export interface AnsweredTableProps {
  readonly answered: readonly Answered[]
}

export function AnsweredTable({ answered }: AnsweredTableProps) {
  const back: Column<Answered> = {
    key: 'back',
    head: 'Acknowledgement',
    cell: ({ cluster, code, server, acknowledged }) =>
      acknowledged && cluster !== '' && <ActionButton action={takeBack(cluster, code, server)}>Take back</ActionButton>,
  }
  return (
    <Table
      caption="Open alerts that were answered or escalated"
      rows={answered}
      keyOf={({ cluster, code, server }) => `${cluster} ${code} ${server}`}
      empty="No open alert is acknowledged, silenced or escalated."
      columns={[
        {
          key: 'code',
          head: 'Alert',
          sort: ({ code }) => code,
          cell: ({ code, severity }) => (
            <a class="alert-code" href={`/findings?code=${encodeURIComponent(code)}`}>
              <StateMark state={severity === 'error' ? 'broken' : 'degraded'} word={severity} compact />
              {code}
            </a>
          ),
        },
        {
          key: 'cluster',
          head: 'Cluster',
          sort: ({ cluster }) => cluster,
          cell: ({ cluster, server }) => (
            <>
              {cluster === '' ? 'the manager' : <a href={`/c/${encodeURIComponent(cluster)}`}>{cluster}</a>}
              {server !== undefined && <span class="muted"> / {server}</span>}
            </>
          ),
        },
        { key: 'text', head: 'What', wide: true, cell: ({ text }) => text },
        {
          key: 'since',
          head: 'Open since',
          sort: ({ since }) => since ?? 0,
          cell: ({ since }) => since !== undefined && <Moment at={since} />,
        },
        { key: 'answer', head: 'Answer', wide: true, cell: (alert) => <Answer alert={alert} /> },
        ...(me.value?.readOnly === false ? [back] : []),
      ]}
    />
  )
}

/** Who takes care of it or why it is silent, in one line each. */
export const Answer = ({ alert: { acknowledged, silenced, escalatedAt } }: { readonly alert: Answered }) => (
  <span class="answers">
    {acknowledged && (
      <span>
        <Tag tone="good">acknowledged</Tag> {acknowledged.owner}: {acknowledged.reason}
      </span>
    )}
    {silenced && (
      <span>
        <Tag tone="note">silenced</Tag> {silenced.by}: {silenced.reason}
        {silenced.endsAt !== undefined && (
          <span class="muted">
            {' '}
            until <Moment at={silenced.endsAt} as="time" />
          </span>
        )}
      </span>
    )}
    {escalatedAt !== undefined && (
      <span>
        <Tag tone="error">escalated</Tag> <Moment at={escalatedAt} />
      </span>
    )}
  </span>
)
