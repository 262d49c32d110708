// Binary logs: their enforced format, and when they are purged.
import { setting } from '../../kit/row.js'
import { boolean, text } from '../../kit/shape.js'

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
  'backup-mysqlbinlog-path': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    doc: 'The program mysqlbinlog; empty: by the search path.',
  }),
}
