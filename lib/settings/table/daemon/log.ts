// The log: where it goes, how much of it.
import { setting } from '../../kit/row.js'
import { boolean, filePath, integer } from '../../kit/shape.js'

export const logSettings = {
  'log-file': setting({
    shape: filePath(),
    default: '',
    scope: 'server',
    apply: 'restart',
    doc: 'File the log goes to as well, as JSON lines; empty: none.',
  }),
  'log-file-level': setting({
    shape: integer({ max: 4 }),
    default: 2,
    scope: 'server',
    apply: 'live',
    doc: 'Verbosity of the file.',
  }),
  'log-level': setting({
    shape: integer({ max: 4 }),
    default: 3,
    scope: 'cluster',
    apply: 'live',
    doc: 'Verbosity: 1 errors, 2 warnings, 3 events, 4 everything.',
  }),
  'timeline-keep': setting({
    shape: integer({ min: 1, max: 3_650, unit: 'days' }),
    default: 30,
    scope: 'cluster',
    apply: 'live',
    doc: 'How long entries of the timeline are kept.',
  }),
  'timeline-size': setting({
    shape: integer({ min: 1, max: 1_024, unit: 'MB' }),
    default: 4,
    scope: 'cluster',
    apply: 'live',
    doc: 'Size of the timeline’s files of a cluster, and of the manager; the oldest entries go first.',
  }),
  'monitoring-recording': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Records every message that the decisions of a cluster are made by, without secrets and statements of users, so that manager replay FILE shows what was decided, and why (share/doc/replay.md).',
  }),
  'monitoring-recording-size': setting({
    shape: integer({ min: 1, max: 1_024, unit: 'MB' }),
    default: 4,
    scope: 'cluster',
    apply: 'live',
    doc: 'Size of the recording’s files of a cluster, packed; the oldest messages go first.',
  }),
  'log-rotate-max-size': setting({
    shape: integer({ min: 1, unit: 'MB' }),
    default: 5,
    scope: 'server',
    apply: 'restart',
    doc: 'Size at which a new file is begun.',
  }),
  'log-rotate-max-backup': setting({
    shape: integer({ unit: 'files' }),
    default: 7,
    scope: 'server',
    apply: 'restart',
    doc: 'Old files kept.',
  }),
  'log-rotate-max-age': setting({
    shape: integer({ unit: 'days' }),
    default: 7,
    scope: 'server',
    apply: 'restart',
    doc: 'Days an old file is kept; 0: without limit.',
  }),
}
