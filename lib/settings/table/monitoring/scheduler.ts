// Scheduled tasks and when they run.

import { cron } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer } from '../../kit/shape.js'

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
  'scheduler-sla-rotate': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Ends the period of the availability figures by schedule and begins another; does not require monitoring-scheduler. The latest 24 periods are kept.',
  }),
  'scheduler-sla-rotate-cron': setting({
    shape: cron(),
    default: '0 0 0 1 * *',
    scope: 'cluster',
    apply: 'live',
    doc: 'When; a moment that passed while the manager was down is made up for.',
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
  'scheduler-alert-disable': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sends no alerts of the cluster during a window that begins by schedule; what is still open at its end is sent then. Requires monitoring-scheduler.',
  }),
  'scheduler-alert-disable-cron': setting({
    shape: cron(),
    default: '0 0 0 * * 0-4',
    scope: 'cluster',
    apply: 'live',
    doc: 'When the window begins.',
  }),
  'scheduler-alert-disable-time': setting({
    shape: integer({ min: 1, max: 604_800, unit: 'seconds' }),
    default: 3600,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long it lasts.',
  }),
}
