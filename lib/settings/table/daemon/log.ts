// The log: where it goes, how much of it.
import { setting } from '../../kit/row.js'
import { filePath, integer } from '../../kit/shape.js'

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
