// Metrics for Prometheus: which of the servers' figures are exported.
import { list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { oneOf } from '../../kit/shape.js'

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
} as const
