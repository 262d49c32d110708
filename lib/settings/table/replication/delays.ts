// Statistics of how far replicas are behind.
import { setting } from '../../kit/row.js'
import { boolean, integer } from '../../kit/shape.js'

export const delaySettings = {
  'delay-stat-capture': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Counts by the hour how far each replica is behind, at the interval monitoring-ticker; delayStat of C/topology/servers has the figures, which survive a restart of the manager.',
  }),
  'delay-stat-rotate': setting({
    shape: integer({ min: 1, max: 720, unit: 'hours' }),
    default: 72,
    scope: 'cluster',
    apply: 'live',
    doc: 'Hours that are kept.',
  }),
  'print-delay-stat': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Logs the figures of the running hour (module task); requires delay-stat-capture.',
  }),
  'print-delay-stat-history': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Logs the hours before it as well.',
  }),
  'print-delay-stat-interval': setting({
    shape: integer({ min: 1, unit: 'minutes' }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    doc: 'Minutes between two such lines.',
  }),
}
