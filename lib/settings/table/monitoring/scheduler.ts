// Scheduled tasks and when they run.

import { cron } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean } from '../../kit/shape.js'

export const schedulerSettings = {
  'scheduler-db-servers-optimize': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Rebuilds the tables of the replicas, one after another, by schedule; requires monitoring-scheduler.',
  }),
  'scheduler-db-servers-optimize-cron': setting({
    shape: cron(),
    default: '0 0 3 1 * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
  'scheduler-rolling-restart': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Restarts the servers one after another by schedule; requires monitoring-scheduler.',
  }),
  'scheduler-rolling-restart-cron': setting({
    shape: cron(),
    default: '0 30 11 * * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
  'scheduler-rolling-reprov': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Reprovisions the servers one after another, by schedule; requires monitoring-scheduler.',
  }),
  'scheduler-rolling-reprov-cron': setting({
    shape: cron(),
    default: '0 30 10 * * 5',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
}
