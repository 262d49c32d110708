// Where alerts go, and what became of the latest message to each.
import { type Receiver, renderClusters } from '../../model/upkeep/alert-board.js'
import { Empty } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { StateMark } from '../../parts/basic/state-mark.js'
import { Tag } from '../../parts/basic/tag.js'
import { Table } from '../../parts/list/table.js'
import { ActionButton } from '../../plan/action-button.js'
import { may, me } from '../../store/me.js'
import { sendTest } from './alert-actions.js'

export function ReceiversTable({ receivers }: { readonly receivers: readonly Receiver[] }) {
  if (receivers.length === 0)
    return (
      <Empty>
        No receiver is configured: nobody is notified. Settings such as mail-to, alert-slack-url or alert-webhook-url
        add one.
      </Empty>
    )
  return (
    <Table
      caption="Receivers of alerts"
      rows={receivers}
      keyOf={({ channel, receiver, onlyEscalations }) => `${channel} ${receiver} ${onlyEscalations}`}
      columns={[
        { key: 'state', head: 'State', cell: (each) => <Standing receiver={each} /> },
        { key: 'channel', head: 'Channel', sort: ({ channel }) => channel, cell: ({ channel }) => channel },
        {
          key: 'receiver',
          head: 'Receiver',
          sort: ({ receiver }) => receiver,
          wide: true,
          cell: ({ receiver, onlyEscalations }) => (
            <>
              {receiver} {onlyEscalations && <Tag>escalations only</Tag>}
            </>
          ),
        },
        {
          key: 'clusters',
          head: 'Of',
          cell: ({ clusters }) => <span title={clusters.filter(Boolean).join(', ')}>{renderClusters(clusters)}</span>,
        },
        {
          key: 'sent',
          head: 'Last accepted',
          sort: ({ sentAt }) => sentAt ?? 0,
          cell: ({ sentAt }) =>
            sentAt === undefined ? <span class="muted">none since the start</span> : <Moment at={sentAt} />,
        },
        {
          key: 'waiting',
          head: 'Waiting',
          align: 'end',
          sort: ({ waiting }) => waiting,
          cell: ({ waiting }) => waiting,
        },
        ...(me.value?.readOnly === false
          ? [
              {
                key: 'test',
                head: 'Test',
                cell: (each: Receiver) => {
                  const named = each.clusters.filter((name) => name !== '')
                  const cluster = named.find((name) => may('cluster-alert', name).allowed) ?? named[0]
                  return cluster === undefined || each.onlyEscalations ? null : (
                    <ActionButton action={sendTest(cluster, each)}>Send a test</ActionButton>
                  )
                },
              },
            ]
          : []),
      ]}
    />
  )
}

function Standing({ receiver: { problem, retryAt, failedAt, sentAt } }: { readonly receiver: Receiver }) {
  if (problem !== undefined)
    return (
      <span class="receiver-problem">
        <StateMark state="broken" word="failing" />
        <small>
          {problem}
          {retryAt !== undefined && (
            <>
              {' · '}
              next try <Moment at={retryAt} as="time" />
            </>
          )}
        </small>
      </span>
    )
  if (sentAt === undefined) return <StateMark state="unknown" word={failedAt === undefined ? 'unused' : 'given up'} />
  return <StateMark state="healthy" word="accepts" />
}
