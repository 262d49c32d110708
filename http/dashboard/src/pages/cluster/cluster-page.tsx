// One cluster: its topology, whether it would survive, what is wrong, what runs, what can be done.
import { useComputed } from '@preact/signals'
import type { ProxyServer } from '../../model/cluster/proxy.js'
import type { Server } from '../../model/cluster/server.js'
import { Failed, Loading } from '../../parts/basic/empty.js'
import { useLoaded } from '../../parts/basic/loaded.js'
import { Panel } from '../../parts/basic/panel.js'
import { Facts } from '../../parts/list/facts.js'
import { permissionFor } from '../../plan/action-button.js'
import { progressOfRolling } from '../../plan/progress.js'
import { useCluster } from '../../store/cluster/live.js'
import { useRollingReply } from '../../store/cluster/rolling.js'
import { me } from '../../store/me.js'
import { renderClock } from '../../text/moments.js'
import { renderShort } from '../../text/numbers.js'
import type { PageProps } from '../pages.js'
import type { ActionsPanel } from './overview/actions-panel.js'
import { FindingsPanel } from './overview/findings-panel.js'
import { ReadinessPanel } from './overview/readiness-panel.js'
import { RunningPanel } from './overview/running-panel.js'
import { ServersTable } from './overview/servers-table.js'
import type { TopologyView } from './topology/topology-view.js'
import '../../plan/progress.css'
import './cluster.css'

export function page({ params: { cluster = '' } }: PageProps) {
  const live = useCluster(cluster)
  const rollingReply = useRollingReply(cluster)
  const rolling = useComputed(() => progressOfRolling(rollingReply.value, cluster))
  const { servers, proxies, findings, readiness, facts, stream } = live
  const isStale = useComputed(() => stream.value.type === 'lost' && servers.value.failure !== undefined).value
  if (!servers.value.value)
    return servers.value.failure ? (
      <Failed failure={servers.value.failure} onRetry={live.refresh} />
    ) : (
      <Loading what={`Reading ${cluster}`} />
    )
  const list = servers.value.value
  const known = facts.value.value
  const mayAct = me.value?.readOnly === false
  return (
    <div class="page cluster-page">
      {isStale && servers.value.at !== undefined && (
        <p class="stale-note" role="status">
          The manager does not answer: this is the state of {renderClock(servers.value.at)}.
        </p>
      )}
      <div class="cluster-top">
        <div class="cluster-main">
          <Panel
            title="Topology"
            stale={isStale}
            class="cluster-topology"
            aside={
              <span class="row">
                <span class="muted">{[known?.topology, `${list.length} servers`].filter(Boolean).join(', ')}</span>
                <a href={`/c/${encodeURIComponent(cluster)}/topology`}>Full screen</a>
              </span>
            }
          >
            <Topology
              cluster={cluster}
              servers={list}
              proxies={proxies.value.value ?? []}
              {...(mayAct
                ? {
                    moves: {
                      readiness: readiness.value.value,
                      allowsTiers: known?.allowsTiers,
                      denied: (action) => permissionFor(action).reason,
                    },
                  }
                : {})}
            />
          </Panel>
          <Panel title="Servers" stale={isStale}>
            <ServersTable cluster={cluster} servers={list} />
          </Panel>
          {proxies.value.value !== undefined && proxies.value.value.length > 0 && (
            <Panel
              title="Proxies"
              stale={isStale}
              aside={<a href={`/c/${encodeURIComponent(cluster)}/proxies`}>Wanted and seen</a>}
            >
              <Proxies proxies={proxies.value.value} servers={list} />
            </Panel>
          )}
          <Past cluster={cluster} servers={list} />
        </div>
        <div class="cluster-side">
          <RunningPanel readiness={readiness.value.value} rolling={rolling.value} isStale={isStale} />
          <ReadinessPanel readiness={readiness.value} facts={known} isStale={isStale} />
          <FindingsPanel {...{ cluster, servers: list, isStale }} findings={findings.value.value ?? []} />
        </div>
      </div>
      <Actions cluster={cluster} servers={list} readiness={readiness.value.value} facts={known} />
      {known && (
        <Panel title="Cluster" stale={isStale}>
          <Facts
            facts={[
              ['Form', known.topology],
              ['Failover', known.failoverMode],
              ['Failovers so far', known.failovers],
              ['Availability', known.uptime === undefined ? undefined : `${known.uptime} %`],
              ['Queries/s', known.queriesPerSecond === undefined ? undefined : renderShort(known.queriesPerSecond)],
              ['Connections', known.connections === undefined ? undefined : renderShort(known.connections)],
              ['Orchestrator', known.orchestrator],
            ]}
          />
        </Panel>
      )}
    </div>
  )
}

const loadTopology = () => import('./topology/topology-view.js')
// Beside the first reading of the cluster, not after it.
void loadTopology().catch(() => undefined)
const loadPast = () => import('../charts/cluster-past.js')
const loadActions = () => import('./overview/actions-panel.js')
const loadProxies = () => import('./overview/proxies-table.js')

function Topology(props: Parameters<typeof TopologyView>[0]) {
  const Part = useLoaded(loadTopology)?.TopologyView
  return Part ? <Part {...props} /> : <Loading what="Drawing the topology" />
}

function Past(props: { readonly cluster: string; readonly servers: readonly Server[] }) {
  const Part = useLoaded(loadPast)?.ClusterPast
  return Part ? <Part {...props} /> : null
}

function Proxies(props: { readonly proxies: readonly ProxyServer[]; readonly servers: readonly Server[] }) {
  const Part = useLoaded(loadProxies)?.ProxiesTable
  return Part ? <Part {...props} /> : null
}

function Actions(props: Parameters<typeof ActionsPanel>[0]) {
  const Part = useLoaded(loadActions)?.ActionsPanel
  return Part ? <Part {...props} /> : null
}
