// The monitoring loop: cadence, scripts on findings, captures, alerts.

import { codes, list } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer, text } from '../../kit/shape.js'

export const monitoringSettings = {
  'cluster-tags': setting({
    shape: list({ pattern: /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,39}$/u, allowed: 'words such as prod or eu-west' }),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Words by which views of the whole fleet group and select clusters (tag:prod).',
  }),
  'monitoring-ticker': setting({
    shape: integer({ min: 1, max: 3600, unit: 'seconds' }),
    default: 2,
    scope: 'cluster',
    apply: 'live',
    doc: 'Interval between full polls; a lost connection is noticed immediately.',
  }),
  'monitoring-wait-retry': setting({
    shape: integer({ unit: 'passes' }),
    default: 60,
    scope: 'cluster',
    apply: 'live',
    doc: 'Passes (monitoring-ticker) that a rolling operation waits for a state, or for a replica that does not catch up, before it stops.',
  }),
  'monitoring-pause': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The manager takes no automatic action on the cluster; it is still monitored, and users may act.',
  }),
  'monitoring-observe': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The manager changes nothing on databases, hosts and proxies, runs no script and builds no archive; actions are refused. What it would do is reported as findings. An operation that is running is finished.',
  }),
  'monitoring-query-timeout': setting({
    shape: integer({ min: 100, unit: 'milliseconds' }),
    default: 2000,
    scope: 'cluster',
    apply: 'live',
    doc: 'Timeout of a statement run on request; probes have their own timeouts.',
  }),
  'monitoring-check-grants': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: "Checks that the monitor's account has the privileges it needs.",
  }),
  'monitoring-ignore-errors': setting({
    shape: codes(),
    default: [],
    scope: 'cluster',
    apply: 'live',
    doc: 'Findings that are not reported.',
  }),
  'monitoring-open-state-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'Runs when a finding opens; arguments: cluster, address of the manager, code.',
  }),
  'monitoring-close-state-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'Runs when a finding closes; same arguments.',
  }),
  'monitoring-scheduler': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Runs the scheduled tasks.',
  }),
}
