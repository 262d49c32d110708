// The monitoring loop: cadence, scripts on findings, captures, alerts.
import { secret } from '../../base/secret.js'
import { setting } from '../kit.js'
import { codes } from '../list-shape.js'
import { boolean, credential, integer, text } from '../shape.js'

export const monitoringSettings = {
  'monitoring-ticker': setting({
    shape: integer({ min: 1, max: 3600, unit: 'seconds' }),
    default: 2,
    scope: 'cluster',
    apply: 'live',
    doc: 'Time between two looks at everything; a lost connection is noticed at once regardless.',
  }),
  'monitoring-wait-retry': setting({
    shape: integer({ unit: 'passes' }),
    default: 60,
    scope: 'cluster',
    apply: 'live',
    doc: 'Passes (monitoring-ticker) that rolling work waits for a state, or for a replica that does not get nearer, before it stops.',
  }),
  'monitoring-pause': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The manager does nothing to the cluster on its own; it is still looked at, and persons may act.',
  }),
  'monitoring-query-timeout': setting({
    shape: integer({ min: 100, unit: 'milliseconds' }),
    default: 2000,
    scope: 'cluster',
    apply: 'live',
    doc: 'Longest time of a statement that is asked on request; looks have deadlines of their own.',
  }),
  'monitoring-write-heartbeat': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Writes a heartbeat row through the proxies.',
  }),
  'monitoring-write-heartbeat-credential': setting({
    shape: credential(),
    default: secret(''),
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Account of that heartbeat.',
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
    doc: 'Runs when a finding opens; arguments: cluster, address of the manager, code.',
  }),
  'monitoring-close-state-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    doc: 'Runs when a finding closes; same arguments.',
  }),
  'monitoring-scheduler': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Runs the scheduled tasks.',
  }),
  'monitoring-capture': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Writes the state of the cluster to a file when a trigger code opens.',
  }),
  'monitoring-capture-trigger': setting({
    shape: codes(),
    default: ['ERR00076', 'ERR00041'],
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Codes that start such a capture.',
  }),
  'monitoring-capture-file-keep': setting({
    shape: integer({ unit: 'files' }),
    default: 5,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Capture files kept.',
  }),
  'monitoring-alert-trigger': setting({
    shape: codes(),
    default: ['ERR00027', 'ERR00042', 'ERR00087'],
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Codes that send alerts.',
  }),
}
