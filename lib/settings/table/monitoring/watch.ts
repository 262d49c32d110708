// What is read besides the state of replication: variables, schema, queries, logs, disks.
import { setting } from '../../kit/row.js'
import { boolean, integer } from '../../kit/shape.js'

export const watchSettings = {
  'monitoring-variable-diff': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Compares variables of primary and replicas.',
  }),
  'monitoring-query-rules': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Reads the query rules of ProxySQL.',
  }),
  'monitoring-processlist': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Reads the process list.',
  }),
  'monitoring-processlist-limit': setting({
    shape: integer({ min: 1, unit: 'rows', quoted: true }),
    default: 50,
    scope: 'cluster',
    apply: 'live',
    doc: 'Rows of the process list that are shown.',
  }),
  'monitoring-processlist-inactive': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Shows sleeping connections in the process list.',
  }),
  'monitoring-queries': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Reads statement digests.',
  }),
  'monitoring-performance-schema': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Uses the performance schema.',
  }),
  'monitoring-innodb-status': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    json: 'monitoringInnoDBStatus',
    doc: 'Reads the engine status.',
  }),
  'monitoring-erreur-log-length': setting({
    shape: integer({ unit: 'lines' }),
    default: 20,
    scope: 'cluster',
    apply: 'live',
    was: ['monitoring-error-log-length'],
    doc: 'Lines of the error log that are shown.',
  }),
  'monitoring-long-query-log-length': setting({
    shape: integer({ unit: 'queries' }),
    default: 200,
    scope: 'cluster',
    apply: 'live',
    doc: 'Entries of the slow log that are shown.',
  }),
}
