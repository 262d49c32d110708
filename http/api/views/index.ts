// The renderers of all views: run in the thread that owns the cluster, once per change and only when somebody reads.
import type { ClusterView } from '../../../actors/protocol/cluster.js'
import { renderAlerts, renderStatus } from './alerts.js'
import { renderCluster } from './cluster.js'
import { renderCrashes } from './crash.js'
import { renderExplain } from './explain.js'
import { renderGateway } from './gateway.js'
import type { ViewInput } from './input.js'
import { renderJobs } from './jobs.js'
import { renderLogs } from './logs.js'
import { renderMetrics } from './metrics.js'
import { renderProxies } from './proxy.js'
import { renderQueryRules } from './query-rules.js'
import { renderMaster, renderServers, renderSlaves } from './server.js'

export type { LogLine } from '../log-line.js'
export type { Availability, ViewInput } from './input.js'

export type ViewRenderer = (input: ViewInput) => Uint8Array

const json =
  (render: (input: ViewInput) => unknown): ViewRenderer =>
  (input) =>
    Buffer.from(JSON.stringify(render(input)))

/** View → bytes: JSON for the wire, except `metrics`, which is a frame of lib/metrics/frames.ts. */
export const renderClusterViews: Readonly<Record<ClusterView, ViewRenderer>> = {
  cluster: json(renderCluster),
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
  metrics: renderMetrics,
  gateway: json(renderGateway),
}
