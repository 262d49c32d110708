// How an old primary or an empty server comes back.
import { setting } from '../../kit/row.js'
import { boolean, text } from '../../kit/shape.js'

export const rejoinSettings = {
  autorejoin: setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'An old primary that is not ahead comes back as a replica on its own.',
  }),
  'autorejoin-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'Runs before a server rejoins; arguments: its host, the host of its new source, its port, the port of that.',
  }),
  'autorejoin-backup-binlog': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'Saves the transactions an old primary has and the new one has not.',
  }),
}
