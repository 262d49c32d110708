// Pages of advice on the settings of replicas and primaries.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, mysql, type Page, type Step, sql } from '../kit/page.js'
import { channels } from '../kit/steps.js'

const optionFile = 'Write it to the option file of every server, too: a value that is only set is gone after a restart.'

const drift: readonly Step[] = [
  'What the server runs with, compared with its tags:',
  cli('configuration drift <server>'),
]

const flushes = {
  causes: ['It was relaxed for speed, or for a bulk load, and left so.', 'The option file has 0 or 2.'],
  check: [sql("SHOW GLOBAL VARIABLES LIKE 'innodb_flush_log_at_trx_commit'"), ...drift],
  act: [
    sql('SET GLOBAL innodb_flush_log_at_trx_commit = 1'),
    'To have the manager keep it so on all servers:',
    cli('setting switch force-sync-innodb on'),
    optionFile,
  ],
} as const

const checksums = {
  causes: ['The option file has binlog_checksum=NONE, often for an old replica or tool.'],
  check: [sql("SHOW GLOBAL VARIABLES LIKE 'binlog_checksum'"), ...drift],
  act: [
    'It begins a new binary log file:',
    sql('SET GLOBAL binlog_checksum = CRC32'),
    'To have the manager keep it so:',
    cli('setting switch force-binlog-checksum on'),
    optionFile,
  ],
  avoid: ['Do not enable it while a tool that reads binary logs without checksums is connected.'],
} as const

const annotations = {
  causes: ['binlog_annotate_row_events is OFF in the option file.'],
  check: [mariadb("SHOW GLOBAL VARIABLES LIKE 'binlog_annotate_row_events'"), ...drift],
  act: [
    mariadb('SET GLOBAL binlog_annotate_row_events = ON'),
    'To have the manager keep it so:',
    cli('setting switch force-binlog-annotate on'),
    optionFile,
  ],
  avoid: ['Nothing is at risk: leave it until the next change of the option file.'],
} as const

const logUpdates = {
  causes: ['log_slave_updates (log_replica_updates) is missing in the option file, the default of MariaDB.'],
  check: [sql("SHOW GLOBAL VARIABLES LIKE 'log_slave_updates'"), ...drift],
  act: [
    'It needs a restart. Set it in the option file, on a primary after a switchover:',
    cli('server restart <server>'),
    'By the configurator, on every server one after the other:',
    cli('rolling restart'),
  ],
  avoid: ['Do not restart the primary for it without a switchover.'],
} as const

const strict = {
  causes: ['gtid_strict_mode is OFF, the default of MariaDB.'],
  check: [mariadb("SHOW GLOBAL VARIABLES LIKE 'gtid_strict_mode'"), ...drift],
  act: [
    mariadb('SET GLOBAL gtid_strict_mode = ON'),
    'To have the manager keep it so:',
    cli('setting switch force-slave-gtid-mode-strict on'),
    optionFile,
  ],
  avoid: [
    'If replication stops with error 1950 afterwards, do not disable it again: the histories differ already (ERR00151, WARN0091).',
  ],
} as const

const crashSafe = {
  causes: ['relay_log_recovery is OFF in the option file.'],
  check: [sql("SHOW GLOBAL VARIABLES LIKE 'relay_log_recovery'"), ...drift],
  act: [
    'It needs a restart. Set relay_log_recovery=ON in the option file, then one server after the other:',
    cli('rolling restart'),
  ],
  avoid: ['Do not restart the primary for it without a switchover.'],
} as const

export const advicePages = {
  WARN0050: {
    means:
      'The replica gets heartbeats from its source more rarely than failover-falsepositive-heartbeat-timeout expects. In peace nothing happens; when the primary falls silent, its testimony comes late and delays the failover.',
    causes: [
      'The default heartbeat period of the database (half of slave_net_timeout, 30 s).',
      'The replica was defined by hand.',
    ],
    check: [...channels, sql("SHOW GLOBAL VARIABLES LIKE '%net_timeout'")],
    act: [
      'Let the manager set it:',
      cli('setting switch force-slave-heartbeat on'),
      'Or by hand on the replica:',
      mariadb('STOP SLAVE; CHANGE MASTER TO MASTER_HEARTBEAT_PERIOD=1; START SLAVE'),
      mysql('STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_HEARTBEAT_PERIOD=1; START REPLICA'),
    ],
    avoid: [
      'Do not raise failover-falsepositive-heartbeat-timeout to silence it: every failover then waits for that time.',
    ],
  },
  WARN0051: {
    means:
      'The replica follows by file and position. It cannot be repointed to another primary without finding the position by hand, and is not elected (ERR00033).',
    causes: ['It was set up by file and position.', 'It was repointed by hand without MASTER_USE_GTID.'],
    check: channels,
    act: [
      mariadb('STOP SLAVE; CHANGE MASTER TO MASTER_USE_GTID=slave_pos; START SLAVE'),
      mysql('STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION=1; START REPLICA'),
      'Or let the manager do it:',
      cli('setting switch force-slave-gtid-mode on'),
    ],
    avoid: ['On MySQL, do not do it before gtid_mode is ON on all servers.'],
  },
  WARN0052: {
    means:
      'The replica does not flush InnoDB at each commit. If its host crashes it repeats or loses its last transactions; after a failover to it the same holds for acknowledged writes.',
    ...flushes,
    avoid: ['Accept it knowingly on replicas that are never elected (server set-ignored).'],
  },
  WARN0064: {
    means:
      'The primary does not flush InnoDB at each commit: if its host crashes, up to a second of acknowledged writes is gone from it (ERR00117).',
    ...flushes,
    avoid: ['Do not set it on a host with slow disks without checking the commit times.'],
  },
  WARN0053: {
    means:
      'The binary log of the replica has no checksums: damage on disk or on the way is applied instead of being found.',
    ...checksums,
  },
  WARN0065: {
    means:
      'The binary log of the primary has no checksums: damage on disk or on the way is applied by replicas instead of being found.',
    ...checksums,
  },
  WARN0055: {
    means:
      'The binary log of the replica does not contain the statements of row events: after a failover, finding what changed a row is harder.',
    ...annotations,
  },
  WARN0067: {
    means:
      'The binary log of the primary does not contain the statements of row events: finding what changed a row is harder.',
    ...annotations,
  },
  WARN0057: {
    means:
      'The replica does not log what it replicates: no server can replicate from it, and it is not elected if others have to follow (ERR00040).',
    ...logUpdates,
  },
  WARN0069: {
    means:
      'The primary does not log what it replicates: when it returns as a replica after a failover, it cannot be promoted again.',
    ...logUpdates,
  },
  WARN0058: {
    means: 'The replica accepts transactions out of order: divergence from the primary is not noticed when it happens.',
    ...strict,
  },
  WARN0070: {
    means: 'The primary has no GTID strict mode: when it becomes a replica, divergence is not noticed when it happens.',
    ...strict,
  },
  WARN0059: {
    means:
      'After a crash of its host the replica can stop or apply transactions twice: its relay logs are not rebuilt from the source.',
    ...crashSafe,
  },
  WARN0071: {
    means:
      'When the primary returns as a replica and its host crashes, its relay logs are not rebuilt from the source.',
    ...crashSafe,
  },
} as const satisfies Partial<Record<FindingCode, Page>>
