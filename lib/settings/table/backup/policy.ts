// What backups a cluster is to have, and when they are made.
import { cron } from '../../kit/list-shape.js'
import { setting } from '../../kit/row.js'
import { boolean, integer } from '../../kit/shape.js'

export const backupPolicySettings = {
  'backup-max-age': setting({
    shape: integer({ min: 0, max: 87_600, unit: 'hours' }),
    default: 192,
    scope: 'cluster',
    apply: 'live',
    doc: 'Longest age of the newest valid backup (WARN0101), and of the newest of each kind that is made by schedule (WARN0111, WARN0112); 0: not judged.',
  }),
  'backup-recovery-point': setting({
    shape: integer({ min: 0, max: 604_800, unit: 'seconds' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'How far stored binary logs may be behind the primary (WARN0403); 0: not judged.',
  }),
  'backup-recovery-time': setting({
    shape: integer({ min: 0, max: 604_800, unit: 'seconds' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long the latest proof of a backup may have taken to a server that answers (WARN0402); 0: not judged.',
  }),
  'backup-proof-age': setting({
    shape: integer({ min: 0, max: 87_600, unit: 'hours' }),
    default: 0,
    scope: 'cluster',
    apply: 'live',
    doc: 'Longest age of the latest proof that a backup restores (WARN0401); 0: not judged.',
  }),
  'scheduler-backup-proof': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Proves the newest valid backup by schedule, as C/actions/prove-backup does: restored into a scratch server on the host of the manager, with low priority and a small buffer pool. Requires monitoring-scheduler.',
  }),
  'scheduler-backup-proof-cron': setting({
    shape: cron(),
    default: '0 0 5 * * 0',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
  'scheduler-db-servers-logical-backup': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes logical backups by schedule; requires monitoring-scheduler. None begins while the disk of the working directory is fuller than backup-disk-threshold-crit.',
  }),
  'scheduler-db-servers-logical-backup-cron': setting({
    shape: cron(),
    default: '0 0 1 * * 6',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
  'scheduler-db-servers-physical-backup': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes physical backups by schedule; requires monitoring-scheduler.',
  }),
  'scheduler-db-servers-physical-backup-cron': setting({
    shape: cron(),
    default: '0 0 0 * * 0-4',
    scope: 'cluster',
    apply: 'live',
    doc: 'When.',
  }),
}
