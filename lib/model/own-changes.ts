// Everything that the manager changes without being asked, one row each: share/doc/changes.md is printed from it.
import type { CommandType } from './operation/command.js'

/** Where a change is made. `own`: in the working directory of the manager, which hosts may download from. */
export type ChangedPlace = 'databases' | 'hosts' | 'proxies' | 'own'

export interface OwnChange {
  readonly place: ChangedPlace
  readonly what: string
  readonly when: string
  /** Settings that decide whether it is done, with the value that leaves it undone; none where only observing does. */
  readonly off: readonly (readonly [setting: string, value: string])[]
  /** The commands that plans do it with. */
  readonly commands: readonly CommandType[]
}

const manualMode = ['failover-mode', 'manual'] as const
const paused = ['monitoring-pause', 'true'] as const

export const ownChanges: readonly OwnChange[] = [
  {
    place: 'databases',
    what: 'Failover: the replicas stop receiving, the old primary is set read-only, the candidate applies what it received, ends its replication and is opened for writes, the others follow it.',
    when: 'The primary is proven dead, and every rule of `failover/explain` is clear.',
    off: [manualMode, paused],
    commands: [
      'stop-receiving',
      'apply-received',
      'promote',
      'make-writable',
      'fence',
      'repoint',
      'mark-primary',
      'take-back',
    ],
  },
  {
    place: 'databases',
    what: 'Return of the role to the preferred primary, by a switchover: writes are blocked by a global read lock for its duration.',
    when: 'The preferred server follows the primary and is up to date.',
    off: [['failover-switch-to-prefered', 'false'], paused],
    commands: ['guard-long-writes', 'freeze', 'unfreeze', 'catch-up', 'take-back'],
  },
  {
    place: 'databases',
    what: 'A second writable server is set read-only.',
    when: 'It is not the primary. Either of the two settings turns it off; an old primary that returns is closed whatever they are.',
    off: [['failover-readonly-state', 'false'], ['force-slave-readonly', 'false'], paused],
    commands: ['fence', 'make-read-only'],
  },
  {
    place: 'databases',
    what: 'A former primary of MySQL is set super_read_only.',
    when: 'It was replaced by a failover or a switchover, and started with read_only and without super_read_only. Any other replica is left alone (WARN0273).',
    off: [['failover-readonly-state', 'false'], ['force-slave-readonly', 'false'], paused],
    commands: ['make-read-only'],
  },
  {
    place: 'databases',
    what: 'The primary is opened for writes.',
    when: 'It is read-only, the manager knows it as the primary, and no other server holds transactions that it lost.',
    off: [paused],
    commands: ['make-writable'],
  },
  {
    place: 'databases',
    what: 'A server follows the primary: an old primary that returned, a server whose source is gone, one without a source.',
    when: 'It has no transaction that the primary is missing.',
    off: [['autorejoin', 'false'], paused],
    commands: ['repoint', 'start-replication', 'stop-replication'],
  },
  {
    place: 'databases',
    what: 'The replication position of a server is set to the end of its own binary log.',
    when: 'It stopped with error 1950, and its source has everything that it has.',
    off: [paused],
    commands: ['repoint'],
  },
  {
    place: 'databases',
    what: 'Replication is started.',
    when: 'A server restarted and does not replicate, an interrupted operation left it stopped, or its error matches `replication-restart-on-sqlerror-match`.',
    off: [['replication-restart-on-sqlerror-match', "''"], paused],
    commands: ['start-replication'],
  },
  {
    place: 'databases',
    what: 'The sides of semi-synchronous replication are switched on and off.',
    when: 'The role moved, the primary restarted without its side, or a replica has the side of a primary; on replicas also with `force-slave-semisync`.',
    off: [['force-slave-semisync', 'false'], paused],
    commands: ['set-semi-sync'],
  },
  {
    place: 'databases',
    what: 'Variables are set: `sync_binlog=1`, `innodb_flush_log_at_trx_commit=1`, `binlog_format=ROW`, `gtid_strict_mode=ON` and others that the settings name.',
    when: 'A server has another value.',
    off: [
      ['force-sync-binlog', 'false'],
      ['force-sync-innodb', 'false'],
      ['force-binlog-row', 'false'],
      ['force-binlog-annotate', 'false'],
      ['force-binlog-compress', 'false'],
      ['force-binlog-slowqueries', 'false'],
      ['force-binlog-checksum', 'false'],
      ['force-slave-gtid-mode-strict', 'false'],
      ['force-slave-strict', 'false'],
      ['force-slave-idempotent', 'false'],
      ['force-slave-parallel-mode', "''"],
      paused,
    ],
    commands: ['set-variables'],
  },
  {
    place: 'databases',
    what: 'The parameters of replication channels are changed: heartbeat, GTID, delay.',
    when: 'A replica has others; a delay only where `replication-delayed-hosts` lists it.',
    off: [
      ['force-slave-heartbeat', 'false'],
      ['force-slave-gtid-mode', 'false'],
      ['replication-delayed-hosts', "''"],
      paused,
    ],
    commands: ['repoint', 'renew-login'],
  },
  {
    place: 'databases',
    what: 'The event scheduler is switched off on the old primary and on on the new one; events are enabled there.',
    when: 'The role moves. MariaDB: off on a former primary always, since its events may write although it is read-only.',
    off: [
      ['failover-event-scheduler', 'false'],
      ['failover-event-status', 'false'],
    ],
    commands: ['set-events', 'enable-events'],
  },
  {
    place: 'databases',
    what: 'Sessions of clients are ended on the old primary.',
    when: 'A switchover succeeded, and `switchover-end-sessions` is on.',
    off: [['switchover-end-sessions', 'false']],
    commands: ['end-sessions'],
  },
  {
    place: 'databases',
    what: 'Dynamic variables of the configuration are set.',
    when: 'Tags or resources changed. Identity, `sql_mode`, character sets, and durability and memory downwards never.',
    off: [['prov-db-apply-dynamic-config', 'false']],
    commands: [],
  },
  {
    place: 'databases',
    what: 'Rows are written to the schema `manager_traffic`.',
    when: 'The settings ask for it.',
    off: [['test-inject-traffic', 'false']],
    commands: [],
  },
  {
    place: 'databases',
    what: 'Tables are optimised, servers restarted or filled again, one after the other.',
    when: 'A schedule of the settings is due.',
    off: [
      ['scheduler-rolling-restart', 'false'],
      ['scheduler-rolling-reprov', 'false'],
    ],
    commands: [],
  },
  {
    place: 'databases',
    what: 'A cluster that a person asked to form or to remove: all of its replication.',
    when: 'Never without a request.',
    off: [],
    commands: ['forget-history'],
  },
  {
    place: 'proxies',
    what: 'Routes are set: writes to the primary, reads to healthy replicas, maintenance; where the kind of proxy has them, users and rules.',
    when: 'They differ: at each change, and every 15 passes.',
    off: [
      ['haproxy', 'false'],
      ['proxysql', 'false'],
      ['maxscale', 'false'],
    ],
    commands: ['route-writes'],
  },
  {
    place: 'hosts',
    what: 'Scripts of the settings are run on the machine of the manager.',
    when: 'A finding opens or closes, a server or proxy changes its state, the role moves.',
    off: [
      ['monitoring-open-state-script', "''"],
      ['monitoring-close-state-script', "''"],
      ['db-servers-state-change-script', "''"],
      ['failover-pre-script', "''"],
      ['failover-post-script', "''"],
      ['autorejoin-script', "''"],
    ],
    commands: ['run-script'],
  },
  {
    place: 'own',
    what: 'Configuration archives of every server, with certificates and keys of an own authority.',
    when: 'A cluster is first connected; tags, resources or certificates change.',
    off: [],
    commands: [],
  },
  {
    place: 'own',
    what: 'Tags and sizes are read from the servers and saved as settings of the cluster, with the values that they run with.',
    when: 'A cluster is first connected, and no tags were set.',
    off: [['prov-db-tags', 'any list']],
    commands: [],
  },
  {
    place: 'own',
    what: 'Flags by which hosts fetch a configuration, restart or are provisioned again.',
    when: 'Settings changed that need it.',
    off: [['prov-db-start-fetch-config', 'false']],
    commands: [],
  },
  {
    place: 'own',
    what: 'State, journal, crash records, and the binary log that only an old primary has.',
    when: 'Always; the binary log when an old primary returns with transactions of its own.',
    off: [['autorejoin-backup-binlog', 'false']],
    commands: ['record-crash', 'save-tail'],
  },
]
