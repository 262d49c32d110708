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
  'autorejoin-flashback': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'What an old primary wrote alone is undone on it by its binary log (MariaDB, row events), proven by comparing its tables with the new primary, and it returns as a replica.',
  }),
  'autorejoin-flashback-on-sync': setting({
    shape: boolean(),
    default: true,
    scope: 'cluster',
    apply: 'live',
    doc: 'autorejoin-flashback also applies when the new primary was a semi-synchronous replica that had acknowledged everything.',
  }),
  'autorejoin-flashback-on-unsync': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'autorejoin-flashback also applies when the new primary was not in sync: what is undone may have been acknowledged to clients.',
  }),
  'autorejoin-mysqldump': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The data of a server that cannot follow are replaced by a dump of a healthy replica, or of the primary where there is none. What only it has is saved before.',
  }),
  'autorejoin-logical-backup': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The data of a server that cannot follow are replaced by the newest stored logical backup whose position the primary can continue. What only it has is saved before. WARN0190: there is none.',
  }),
  'autorejoin-physical-backup': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'A server that cannot follow is recreated by the orchestrator and filled from another one, or its schemas are replaced by the newest stored physical backup with the stored binary logs after it, whichever is faster. What only it has is saved before.',
  }),
  'autorejoin-zfs-flashback': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The file system of the data of a server that cannot follow goes back to its newest ZFS snapshot from before it left the history of the cluster (job zfssnapback on its host); later snapshots of it are destroyed. What only it has is saved before.',
  }),
  'autorejoin-force-restore': setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'The data of an old primary are replaced in any case; it never follows with what it has. By the ways that the other settings permit, or, where they permit none, by the cheapest copy. What only it has is saved before.',
  }),
  autoseed: setting({
    shape: boolean(),
    default: false,
    scope: 'cluster',
    apply: 'live',
    doc: 'An empty server is filled, by the cheapest copy that is possible, and becomes a replica.',
  }),
  'backup-load-script': setting({
    shape: text(),
    default: '',
    scope: 'cluster',
    apply: 'live',
    machine: 'program',
    doc: 'Fills a server that cannot follow when no other way is possible; arguments: its host, the host of the primary, its port, the port of the primary. It ends with 0 when the server holds a copy with its replication position.',
  }),
}
