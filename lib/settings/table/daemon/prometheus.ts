// Metrics for Prometheus: which of the servers' figures are exported, and where people find the longer history.
import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { oneOf, text } from '../../kit/shape.js'

/** Pages link to it: no login in it, since every user sees it; no query, since each link has its own. */
const pageAddress = text({
  pattern: /^$|^https?:\/\/[^\s/?#@"'<>\\]+(\/[^\s?#"'<>\\]*)?$/,
  allowed: 'an http(s) address without login, query and fragment, or nothing',
})

const dashboard = text({ pattern: /^[\w-]{1,40}$/, allowed: 'the uid of a dashboard: letters, digits, - and _' })

export const prometheusSettings = {
  'prometheus-metrics': setting({
    shape: oneOf(['usual', 'all']),
    default: 'usual',
    scope: 'server',
    apply: 'live',
    doc: 'Status and variables of servers at /api/prometheus. usual: those that dashboards and alerts query, at most 300 series a server; all: every numeric one, up to a thousand. A scrape with ?full gets all.',
  }),
  'prometheus-metrics-extra': setting({
    shape: list({
      pattern: /^mysql_global_(status|variables)_[a-z0-9_]*$/,
      allowed: 'beginnings of families such as mysql_global_status_performance_',
    }),
    default: [],
    scope: 'server',
    apply: 'live',
    doc: 'Beginnings of further families that are exported besides the usual ones.',
  }),
  'prometheus-url': setting({
    shape: pageAddress,
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Address of Prometheus as users reach it: charts of the dashboard link there for what is older than two days; empty: no link.',
  }),
  'grafana-url': setting({
    shape: pageAddress,
    default: '',
    scope: 'server',
    apply: 'live',
    doc: 'Address of Grafana as users reach it: charts of the dashboard link to its dashboards, with cluster, server and time; empty: no link.',
  }),
  'grafana-cluster-dashboard': setting({
    shape: dashboard,
    default: 'manager-clusters',
    scope: 'server',
    apply: 'live',
    doc: 'Uid of the dashboard of a cluster (variable `cluster`); the default is that of share/grafana/clusters.json.',
  }),
  'grafana-server-dashboard': setting({
    shape: dashboard,
    default: 'manager-servers',
    scope: 'server',
    apply: 'live',
    doc: 'Uid of the dashboard of a server (variables `cluster` and `instance`); the default is that of share/grafana/servers.json.',
  }),
} as const
