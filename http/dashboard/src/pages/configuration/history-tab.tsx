// Who changed which setting, and the way back to what was before.
import { type Change, readChanges } from '../../model/configuration/settings.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { Moment } from '../../parts/basic/moment.js'
import { Panel } from '../../parts/basic/panel.js'
import { Table } from '../../parts/list/table.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { useReading } from '../../store/reading.js'
import { undoChange } from './setting-actions.js'

/** Without a cluster: the history of the server scope. */
export function HistoryTab({ cluster }: { readonly cluster?: string }) {
  const isGlobal = cluster === undefined
  const ofManager = useReading('GET /api/clusters/settings/history', { when: isGlobal })
  const ofCluster = useReading('GET /api/clusters/:cluster/settings/history', {
    params: { cluster: cluster ?? '' },
    when: !isGlobal,
  })
  const reading = isGlobal ? ofManager : ofCluster
  if (reading.value === undefined)
    return reading.failure ? <Failed failure={reading.failure} onRetry={reading.reload} /> : <Loading />
  return (
    <Panel title="Changes" stale={reading.isStale}>
      <Table
        caption="Changes of settings"
        columns={[
          { key: 'at', head: 'When', cell: ({ at }) => <Moment at={at} as="time" />, sort: ({ at }) => at },
          { key: 'user', head: 'Who', cell: ({ user }) => user, sort: ({ user }) => user },
          {
            key: 'name',
            head: 'Setting',
            cell: ({ name }) => <span class="mono">{name}</span>,
            sort: ({ name }) => name,
          },
          { key: 'action', head: 'What', cell: ({ action }) => action },
          { key: 'before', head: 'Before', cell: ({ before }) => <span class="mono setting-value">{before}</span> },
          {
            key: 'after',
            head: 'After',
            wide: true,
            cell: ({ after }) => <span class="mono setting-value">{after}</span>,
          },
          ...(me.value?.readOnly === false
            ? [
                {
                  key: 'undo',
                  head: 'Undo',
                  cell: (change: Change) => <ActionButton action={undoChange(change, cluster)}>Undo</ActionButton>,
                },
              ]
            : []),
        ]}
        rows={readChanges(reading.value)}
        keyOf={({ id }) => String(id)}
        empty="Nothing was changed at run time."
      />
    </Panel>
  )
}
