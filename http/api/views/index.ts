// The renderers of all views: run in the thread that owns the cluster, once per change and only when it is read.
import type { ClusterView } from '../../../actors/protocol/cluster.js'
import { renderAlerts, renderStatus } from './cluster/alerts.js'
import { renderBackups } from './cluster/backups.js'
import { renderCluster } from './cluster/cluster.js'
import { renderConditions } from './cluster/conditions.js'
import { renderCrashes } from './cluster/crash.js'
import { renderExplain } from './cluster/explain.js'
import { renderGateway } from './cluster/gateway.js'
import { renderJobs } from './cluster/jobs.js'
import type { ViewInput } from './kit/input.js'
import { renderLogs } from './kit/logs.js'
import { renderProxies } from './server/proxy.js'
import { renderQueryRules } from './server/query-rules.js'
import { renderMaster, renderServers, renderSlaves } from './server/server.js'

export type { LogLine } from '../../../actors/protocol/manager/log-line.js'
export type { Availability, ViewInput } from './kit/input.js'

export type ViewRenderer = (input: ViewInput) => Uint8Array

const json =
  (render: (input: ViewInput) => unknown): ViewRenderer =>
  (input) =>
    Buffer.from(JSON.stringify(render(input)))

/** View → bytes: JSON for the wire. */
export const renderClusterViews: Readonly<Record<ClusterView, ViewRenderer>> = {
  cluster: json(renderCluster),
  fleet: json(({ fleetRow }) => fleetRow),
  status: json(renderStatus),
  servers: json(renderServers),
  master: json(renderMaster),
  slaves: json(renderSlaves),
  proxies: json(renderProxies),
  queryrules: json(renderQueryRules),
  alerts: json(renderAlerts),
  logs: json(renderLogs),
  crashes: json(renderCrashes),
  explain: json(renderExplain),
  jobs: json(renderJobs),
  backups: json(renderBackups),
  gateway: json(renderGateway),
  conditions: json(renderConditions),
}
