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
    doc: 'Enables annotation of row events on every server.',
  }),
  'force-binlog-compress': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Enables compression of the binary log on every server.',
  }),
  'force-binlog-slowqueries': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    was: ['force-binlog-slow-queries'],
    doc: 'Enables the slow log for replicated statements on every server.',
  }),
  'force-binlog-checksum': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'Enables checksums in the binary log on every server.',
  }),
  'backup-mysqlbinlog-path': setting({
    shape: text(),
    default: '',
    scope: 'server',
    apply: 'restart',
    doc: 'The program mysqlbinlog; empty: by the search path.',
  }),
}
