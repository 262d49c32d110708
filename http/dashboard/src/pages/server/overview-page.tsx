// A server at a glance: role, replication, position, versions, what it does now, and what can be done with it.
import type { Channel, Server } from '../../model/cluster/server.js'
import type { Details } from '../../model/server/details.js'
import { Panel } from '../../parts/basic/panel.js'
import { Tag } from '../../parts/basic/tag.js'
import { Facts } from '../../parts/list/facts.js'
import { type Column, Table } from '../../parts/list/table.js'
import type { PageProps } from '../../parts/page-props.js'
import { ActionButton } from '../../plan/action-button.js'
import { me } from '../../store/me.js'
import { renderBytes, renderCount, renderDuration } from '../../text/numbers.js'
import { groupsOf } from './actions/server-actions.js'
import { Activity } from './activity.js'
import { ServerFrame } from './kit/frame.js'
import { useSubject } from './kit/subject.js'

export function page(props: PageProps) {
  const subject = useSubject(props)
  const { server, details, cluster } = subject
  return (
    <ServerFrame subject={subject}>
      {server && details && (
        <>
          <div class="split">
            <Panel title="Server" stale={subject.isDown}>
              <Facts facts={serverFacts(server, details)} />
            </Panel>
            <Panel title="Binary log and positions" stale={subject.isDown}>
              <Facts facts={positionFacts(server, details)} />
            </Panel>
          </div>
          {server.channels.length > 0 && (
            <Panel title="Replication" stale={subject.isDown} class="flush">
              <Table
                caption="Replication channels"
                columns={channelColumns(cluster)}
                rows={server.channels}
                keyOf={({ name }) => name}
              />
            </Panel>
          )}
          <Activity subject={subject} />
          {me.value?.readOnly === false && (
            <Panel title="Actions">
              <div class="action-groups">
                {groupsOf(cluster, server).map(({ kind, title, meaning, offers }) => (
                  <section key={kind} class={`action-group action-group-${kind}`} aria-label={title}>
                    <h3>{title}</h3>
                    <p class="muted">{meaning}</p>
                    <div class="action-list">
                      {offers.map(({ action, refused }) => (
                        <ActionButton key={action.title} action={action} refused={refused}>
                          {action.title.replace(`: ${server.name}`, '')}
                        </ActionButton>
                      ))}
                    </div>
                  </section>
                ))}
              </div>
            </Panel>
          )}
        </>
      )}
    </ServerFrame>
  )
}

const semiSyncWords = {
  acknowledged: 'a commit waits for a replica',
  acknowledging: 'acknowledges to its source',
  off: 'configured, not in force',
} as const

const serverFacts = (server: Server, details: Details) =>
  [
    ['Role', server.role],
    ['Address', server.address],
    ['Host', details.hostname],
    ['Version', server.version],
    ['Read-only', server.readOnly === undefined ? undefined : server.readOnly ? 'yes' : 'no'],
    ['Semi-sync', server.semiSync && semiSyncWords[server.semiSync]],
    ['In elections', server.rating ?? 'neither preferred nor ignored'],
    ['Server id', details.serverId],
    ['UUID', details.uuid],
    ['Queries a second', server.queriesPerSecond === undefined ? undefined : renderCount(server.queriesPerSecond)],
    ['Probe takes', server.probeMs === undefined ? undefined : `${server.probeMs.toFixed(1)} ms`],
    ['Failed probes in a row', details.failedProbes],
    [
      'Event scheduler',
      details.isEventSchedulerOn === undefined ? undefined : details.isEventSchedulerOn ? 'on' : 'off',
    ],
  ] as const

const positionFacts = (server: Server, details: Details) =>
  [
    ['GTID', server.gtid && <span class="mono">{server.gtid}</span>],
    ['Binary log', details.binaryLog && `${details.binaryLog} at ${details.binaryLogPosition ?? '?'}`],
    [
      'Binary logs kept',
      details.binaryLogFiles === undefined
        ? undefined
        : `${details.binaryLogFiles} files${details.binaryLogBytes === undefined ? '' : `, ${renderBytes(details.binaryLogBytes)}`}`,
    ],
    ['Relay logs', details.relayLogBytes === undefined ? undefined : renderBytes(details.relayLogBytes)],
    ['Readers of the binary log', details.binaryLogReaders],
    [
      'Replication settings',
      details.replicationWords.length === 0 ? undefined : (
        <span class="row">
          {details.replicationWords.map((word) => (
            <Tag key={word}>{word.toLowerCase().replaceAll('_', ' ')}</Tag>
          ))}
        </span>
      ),
    ],
  ] as const

const threadTones = { running: 'good', connecting: 'warning', stopped: 'error' } as const

const channelColumns = (cluster: string): readonly Column<Channel>[] => [
  { key: 'name', head: 'Channel', cell: ({ name }) => name || 'default' },
  {
    key: 'source',
    head: 'Source',
    cell: ({ source, sourceHost, sourcePort }) =>
      source === undefined ? (
        <>
          {sourceHost}:{sourcePort} <span class="muted">outside the cluster</span>
        </>
      ) : (
        <a href={`/c/${encodeURIComponent(cluster)}/s/${encodeURIComponent(source)}`}>
          {sourceHost}:{sourcePort}
        </a>
      ),
  },
  { key: 'io', head: 'Receives', cell: ({ io }) => <Tag tone={threadTones[io]}>{io}</Tag> },
  { key: 'sql', head: 'Applies', cell: ({ sql }) => <Tag tone={threadTones[sql]}>{sql}</Tag> },
  {
    key: 'lag',
    head: 'Lag',
    align: 'end',
    cell: ({ lag }) => (lag === undefined ? <span class="muted">not reported</span> : renderDuration(lag * 1_000)),
  },
  {
    key: 'error',
    head: 'Error',
    wide: true,
    cell: ({ error }) => (error === undefined ? null : <span class="log-error">{error}</span>),
  },
]
