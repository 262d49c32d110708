// Pages of findings about semi-synchronous replication and what a crash can lose.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, mysql, type Page, type Step, shell, sql } from '../kit/page.js'
import { channels, overview } from '../kit/steps.js'

const semiSync: readonly Step[] = [
  'The semi-sync variables and counters of the server:',
  sql("SHOW GLOBAL VARIABLES LIKE 'rpl_semi_sync%'"),
  sql("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'"),
]

const installed: readonly Step[] = [
  'On MySQL the plug-ins must be installed first:',
  mysql("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'"),
  mysql("INSTALL PLUGIN rpl_semi_sync_replica SONAME 'semisync_replica.so'"),
]

const policy = 'The promise is chosen by durability-policy: lossless, semi-sync, async or observed.'

export const durabilityPages = {
  ERR00141: {
    means:
      'The primary does not do what durability-policy promises. With lossless or semi-sync: a crash now can lose writes that were acknowledged to clients; with async: commits wait although they should not.',
    causes: [
      'Semi-sync fell back to asynchronous, since no replica acknowledged in time (WARN0234).',
      'Someone changed its variables, or the server restarted without them in its option file.',
      'The account of the manager may not set them (ERR00008).',
    ],
    check: ['The differences are in the detail.', ...semiSync, ...overview],
    act: [
      'Restore a replica that acknowledges: start its replication.',
      cli('server start-slave <server>'),
      'The manager sets what its account may. By hand, for lossless:',
      mariadb('SET GLOBAL rpl_semi_sync_master_enabled = ON'),
      mariadb('SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC'),
      mariadb('SET GLOBAL rpl_semi_sync_master_timeout = 4294967295'),
      ...installed,
      'Or choose another promise, knowing what it allows to be lost:',
      cli('setting set durability-policy semi-sync'),
    ],
    avoid: ['With lossless, do not expect writes to continue without a replica: that they stop is the promise.'],
  },
  WARN0250: {
    means:
      'This replica would not keep durability-policy as a primary: after a failover to it, commits would not wait as promised.',
    causes: [
      'Semi-sync is not installed or disabled on it.',
      'Its timeout or wait point differ from those that the policy needs.',
      'The account of the manager may not set them.',
    ],
    check: ['The differences are in the detail.', ...semiSync],
    act: [
      'The manager sets them where its account may. By hand:',
      mariadb('SET GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD'),
      mysql('SET GLOBAL rpl_semi_sync_replica_enabled = ON'),
      ...installed,
    ],
    avoid: ['Do not forget the option file: at the next start the server has the old values.'],
  },
  WARN0268: {
    means:
      'A session of another program holds a lock on the replica, whether anything waits for it yet or not. With FLUSH TABLES WITH READ LOCK, or in the last stage of BACKUP STAGE, nothing commits there: as the primary the server would let every client wait. With LOCK INSTANCE FOR BACKUP newer versions of MySQL do not let the applier be stopped (error 3857): a failover to it that failed with that is tried again as soon as the lock is gone (`explain` names the session meanwhile), and a replica is not repointed until then. A failover prefers an equal replica without such a lock.',
    causes: [
      'A backup of the replica that takes long, or whose client hangs and keeps its session.',
      'A session that someone left open with such a lock.',
    ],
    check: [
      'The session is in the detail: its connection id, its account and host, and for how long it has been idle or in its statement.',
      'Locks are read every five seconds where the server lists them, every second while the primary fails. MariaDB lists them with a plugin only; without it a lock is seen when an applier waits for it (WARN0257), so not on the replica of an idle primary:',
      mariadb("INSTALL SONAME 'metadata_lock_info'"),
      mysql("SELECT * FROM performance_schema.metadata_locks WHERE OBJECT_TYPE IN ('GLOBAL', 'BACKUP LOCK')"),
    ],
    act: [
      'If the backup still works, wait for it; the finding closes within five seconds of its end.',
      'If the primary is dead, or the backup hangs, end its session; the backup is lost:',
      sql('KILL <id>'),
      cli('query kill-thread <server> <thread>'),
      'Take backups of a replica that is not the only candidate.',
    ],
    avoid: ['Do not end the session while the backup is near its end and the primary is healthy.'],
  },
  WARN0257: {
    means:
      'The applier of the replica, or one of its workers, stands behind a lock of the server. It receives and acknowledges, but applies nothing. If it is the only candidate, a failover waits for the lock (60 s and twice its delay, then it is undone and begins again): no server takes writes until then. A switchover to it is refused.',
    causes: [
      'A backup with FLUSH TABLES WITH READ LOCK, BACKUP STAGE, LOCK INSTANCE FOR BACKUP or LOCK TABLES that takes long, or whose client hangs and keeps its session.',
      'A session that someone left open with such a lock.',
      'A long statement or an open transaction on a table that a replicated ALTER TABLE changes.',
    ],
    check: [
      'The lock, and the session that holds it, are in the detail: its connection id, its account and host, and for how long it has been idle or in its statement.',
      'MariaDB names the holder for certain only with a plugin. Without it the detail says which sessions may hold the lock: all that nothing else explains. To install it:',
      mariadb("INSTALL SONAME 'metadata_lock_info'"),
      mysql("SELECT * FROM performance_schema.metadata_locks WHERE LOCK_STATUS = 'GRANTED'"),
      'What the sessions do:',
      cli('server processlist <server>'),
    ],
    act: [
      'If the backup still works, wait for it. It is at its end when its lock is a short one.',
      'If the primary is dead, or the backup hangs, end its session. The backup is lost, the replica applies at once, and a failover that waits completes:',
      sql('KILL <id>'),
      cli('query kill-thread <server> <thread>'),
      'The manager does not end the session of a backup, whatever waits for it.',
      'Take backups of a replica that is not the only candidate, or by a method that locks for moments (mariadb-backup, a dump with --single-transaction).',
    ],
    avoid: [
      'Do not stop or restart the replica to get rid of the lock: STOP SLAVE waits for the same lock.',
      'Do not force the primary role away from it: what it received and has not applied may exist nowhere else.',
    ],
  },
  WARN0258: {
    means:
      'Sessions of the server have been in the same commit for two seconds or more, seen twice. None waits for the acknowledgement of a replica (that is semi-synchronous replication), for a lock, or for free space (WARN0100): what is left is the disk that the binary log and the redo log are written and synced to. Clients whose timeout is shorter get no answer, although the server answers every probe.',
    causes: [
      'A disk, a controller or a volume of the network that is failing, rebuilding or throttled.',
      'Something else that writes much on the same disk: a backup, a dump, a copy, another server.',
      'A burst of writes beyond what the disk syncs in a second.',
    ],
    check: [
      'On its host, how long requests to the disk take, and who makes them:',
      shell('iostat -x 1 5'),
      shell('iotop -obn 3'),
      shell('dmesg -T | tail -50'),
      'What commits:',
      cli('server processlist <server>'),
    ],
    act: [
      'End or throttle what keeps the disk busy.',
      'If the disk fails or stays slow, move the role to a replica on another disk. The old primary may need several times its usual time for each step of becoming a replica; the manager goes on with it:',
      cli('switchover --plan'),
      cli('switchover'),
    ],
    avoid: [
      'Do not switch sync_binlog or innodb_flush_log_at_trx_commit off to be faster: a crash then loses transactions that were confirmed.',
      'Do not kill the sessions that commit: their transactions may be in the binary log already.',
    ],
  },
  WARN0254: {
    means:
      'With durability-policy lossless or semi-sync a commit waits for a replica. This one replicates, and acknowledges, as soon as its process starts. If it is down while the primary falls silent, it may start on the side of a primary that is isolated and acknowledge there, so the manager waits for a person (ERR00140) instead of failing over. A primary that refuses connections is replaced all the same.',
    causes: [
      'skip-slave-start (MySQL 8.0.26 and later: skip-replica-start) is not in its option file.',
      'MariaDB does not show that option: the manager knows it only of a server that it saw start. Restart the server once.',
    ],
    check: [
      'The option file of the server; MySQL shows it as a variable, MariaDB does not:',
      sql("SHOW GLOBAL VARIABLES LIKE 'skip_%_start'"),
      ...channels,
    ],
    act: [
      'With the configurator, add the tag noslavestart to prov-db-tags. Else add skip-slave-start to the [mysqld] section of its option file.',
      'Restart the server while the manager watches it. The manager starts its replication.',
      'The price: after a start of the server its replication waits for the manager; while no manager runs, start it by hand:',
      mariadb('START SLAVE'),
      mysql('START REPLICA'),
      'Without the option the price is the other one: a silent primary is replaced by a person while such a replica is down. To accept that, add WARN0254 to monitoring-ignore-errors.',
    ],
    avoid: ['Do not set it where no manager runs: replicas that restarted would stay behind without an error.'],
  },
  WARN0007: {
    means:
      'The primary does not sync its binary log at each commit (sync_binlog is not 1). If its host crashes, transactions that replicas already have can be missing on it.',
    causes: ['It was relaxed for speed, or for a bulk load, and left so.'],
    check: [sql("SHOW GLOBAL VARIABLES LIKE 'sync_binlog'"), cli('setting history --name force-sync-binlog')],
    act: [
      sql('SET GLOBAL sync_binlog = 1'),
      'To have the manager keep it so on all servers:',
      cli('setting switch force-sync-binlog on'),
    ],
    avoid: ['Do not set it on a host with slow disks without checking the commit times.'],
  },
  WARN0048: {
    means: 'This replica does not acknowledge: it does not count for semi-synchronous commits of the primary.',
    causes: [
      'rpl_semi_sync_slave_enabled is OFF, or the plug-in is missing (MySQL).',
      'Asynchronous replication is intended, and durability-policy does not say so.',
    ],
    check: [...semiSync],
    act: [
      mariadb('SET GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD'),
      ...installed,
      mysql('SET GLOBAL rpl_semi_sync_replica_enabled = ON'),
      'To have the manager keep it so:',
      cli('setting switch force-slave-semisync on'),
      'If asynchronous replication is intended, say so, and this advice ends:',
      cli('setting set durability-policy async'),
    ],
    avoid: ['Do not enable it on a distant replica alone: each commit then waits for the longest way.'],
  },
  WARN0060: {
    means:
      'The primary commits without waiting for a replica. If it crashes, the last acknowledged writes can be lost; how many depends on the lag of the replicas at that moment.',
    causes: [
      'Semi-sync was never enabled.',
      'The server restarted without it in its option file.',
      'Asynchronous replication is intended, and durability-policy does not say so.',
    ],
    check: [...semiSync, 'What would be lost now:', cli('explain')],
    act: [
      'Enable the replicas first (WARN0048), then the primary:',
      mariadb('SET GLOBAL rpl_semi_sync_master_enabled = ON'),
      ...installed,
      mysql('SET GLOBAL rpl_semi_sync_source_enabled = ON'),
      'To have the manager keep a promise:',
      cli('setting set durability-policy semi-sync'),
      'If asynchronous replication is intended:',
      cli('setting set durability-policy async'),
    ],
    avoid: [
      'Do not enable it on the primary while no replica acknowledges: each commit then waits for the timeout once.',
    ],
  },
  WARN0230: {
    means:
      'The primary waits for acknowledgements after the commit (AFTER_COMMIT): other clients can read a transaction that no replica has. If the primary crashes then, what they read is gone.',
    causes: ['An old option file, or the default of old releases.'],
    check: semiSync,
    act: [
      mariadb('SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC'),
      mysql('SET GLOBAL rpl_semi_sync_source_wait_point = AFTER_SYNC'),
      'Set it in the option file of every server, too.',
    ],
    avoid: ['Do not change it only on the primary: the next one has the old value.'],
  },
  WARN0231: {
    means:
      'The replica has the semi-sync side of a primary enabled. Where it logs what it replicates, its applier waits for acknowledgements that nobody sends, and falls behind.',
    causes: ['It is a former primary.', 'The option file enables both sides on all servers.'],
    check: [...semiSync, ...channels],
    act: [
      'The manager disables it. If it is paused, by hand:',
      mariadb('SET GLOBAL rpl_semi_sync_master_enabled = OFF'),
      mysql('SET GLOBAL rpl_semi_sync_source_enabled = OFF'),
    ],
    avoid: ['Do not disable the side of the replica (rpl_semi_sync_slave_enabled) with it.'],
  },
  WARN0233: {
    means:
      'The replica acknowledges transactions to the primary and does not apply them: its SQL thread is stopped. Commits count as safe, but a failover could not promote this server until it applies again.',
    causes: [
      'A replication error: duplicate key, missing row, missing table.',
      'A person stopped only the SQL thread.',
    ],
    check: channels,
    act: [
      'Correct the error (ERR00042 has the steps), or start the thread:',
      cli('server start-slave <server>'),
      'If it takes long and another replica acknowledges, take this one out of the acknowledgements:',
      mariadb('SET GLOBAL rpl_semi_sync_slave_enabled = OFF; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD'),
    ],
    avoid: ['Do not reset the relay logs of this server: they may hold the only copy of acknowledged writes.'],
  },
  WARN0234: {
    means:
      'Semi-sync is enabled on the primary and has fallen back to asynchronous: no replica acknowledged in time. Writes continue; a crash now can lose acknowledged ones. It returns when a replica acknowledges.',
    causes: [
      'All acknowledging replicas are down, stopped or cut off.',
      'A replica or the network is so slow that the timeout passes.',
    ],
    check: [...semiSync, ...overview, ...channels],
    act: [
      'Restore a replica that acknowledges:',
      cli('server start-slave <server>'),
      'If replicas are only slow, raise the timeout (milliseconds):',
      mariadb('SET GLOBAL rpl_semi_sync_master_timeout = 10000'),
      mysql('SET GLOBAL rpl_semi_sync_source_timeout = 10000'),
      policy,
    ],
    avoid: ['Do not restart the primary while this is open: what no replica has received is only there.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
