// Binary logs: their enforced format, and when they are purged.
import { setting } from '../kit.js'
import { boolean, integer } from '../shape.js'

export const binlogSettings = {
  'force-binlog-row': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Sets binlog_format to ROW on every server.',
  }),
  'force-binlog-annotate': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes every server write the statement beside its row events.',
  }),
  'force-binlog-compress': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes every server compress its binary log.',
  }),
  'force-binlog-slowqueries': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    was: ['force-binlog-slow-queries'],
    doc: 'Makes every server log the slow statements that it replicates.',
  }),
  'force-binlog-checksum': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Makes every server write checksums in its binary log.',
  }),
  'force-binlog-purge': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Purges binary logs by their total size.',
  }),
  'force-binlog-purge-replicas': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'On replicas too.',
  }),
  'force-binlog-purge-on-restore': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'During a restore too.',
  }),
  'force-binlog-purge-total-size': setting({
    shape: integer({ min: 1, unit: 'GB' }),
    default: 30,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'The total size that is kept.',
  }),
  'force-binlog-purge-min-replica': setting({
    shape: integer({ unit: 'replicas' }),
    default: 1,
    scope: 'cluster',
    apply: 'live',
    used: false,
    doc: 'Replicas that must be connected for a purge.',
  }),
}
