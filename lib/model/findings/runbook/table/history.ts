// Pages of findings about transactions that are on the wrong server, missing, or unreachable.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, type Page, shell, sql } from '../kit/page.js'
import { channels, compareSets, errorLog, failoverOnRequest, overview, refill } from '../kit/steps.js'

/** Why a flashback would not be possible, and what to do: of the primary and of its replicas. */
const noFlashback = {
  causes: [
    'binlog_format is not ROW, or binlog_row_image is not FULL.',
    'The server is MySQL, which has no tool that reverses a binary log.',
  ],
  check: [sql("SHOW GLOBAL VARIABLES LIKE 'binlog_%'")],
  act: [
    'On MariaDB, here and in its option file (force-binlog-row does the first):',
    sql('SET GLOBAL binlog_format = ROW'),
    sql('SET GLOBAL binlog_row_image = FULL'),
    'Otherwise permit another way:',
    cli('setting switch autorejoin-mysqldump on'),
  ],
  avoid: ['Do not rely on a flashback of events that were written before the change.'],
} as const

export const historyPages = {
  ERR00117: {
    means:
      'The primary is without transactions that it once had or that other servers hold: acknowledged data are missing on the server that takes the writes. A closed primary is not opened while this is so.',
    causes: [
      'A crash with innodb_flush_log_at_trx_commit or sync_binlog below 1 took the last transactions (WARN0007, WARN0064).',
      'Its data folder is an older copy: a snapshot, a restored backup.',
      'RESET MASTER was run on it, or it was opened by hand before it had applied everything.',
    ],
    check: [
      'The transactions, the cause and who holds them are in the detail.',
      ...overview,
      ...compareSets,
      ...errorLog,
    ],
    act: [
      'If a server holds them: move the role to it. This is a failover on request.',
      ...failoverOnRequest,
      'If the primary is right and the others are to be given up: replace the data of each by a copy of the primary.',
      ...refill,
      'Then accept the loss:',
      cli('cluster reset-failover-control'),
    ],
    avoid: [
      'Do not accept the loss first: the manager then opens the primary, and the transactions are lost for good.',
      'Do not restart the other servers: they hold the only copies.',
    ],
  },
  ERR00124: {
    means:
      'A former primary has lost transactions that it wrote itself, while others have them. Its receiver asks the source for everything but its own, so it does not get them back by replication.',
    causes: ['A crash without synced logs.', 'Its data folder is an older copy (a snapshot, a restored backup).'],
    check: ['The transactions are in the detail.', ...compareSets, ...errorLog],
    act: [
      'Wait some minutes: where the server wrote nothing else without them, the manager has them fetched.',
      cli('wait --for no-findings=ERR00124 --timeout 5m'),
      'If it stays:',
      ...refill,
    ],
    avoid: ['Do not promote it.', 'Do not read from it: rows are missing.'],
  },
  ERR00125: {
    means:
      'The source has deleted binary logs that the replica still needs (error 1236). The replica cannot continue, and gets older for good.',
    causes: [
      'The replica was away for longer than the source keeps its binary logs.',
      'PURGE BINARY LOGS, or a full disk that was cleared by it.',
      'After a failover: the new primary has shorter logs than the old one.',
      'After a failover to a server that also replicates from another cluster and had deleted the binary logs of what came from there (the detail says so): no other server of this cluster ever had that, so all of them are refused.',
    ],
    check: [
      ...channels,
      'On the source, what is there and for how long it is kept:',
      sql('SHOW BINARY LOGS'),
      sql("SHOW GLOBAL VARIABLES LIKE 'binlog_expire_logs_seconds'"),
      'Whether another replica still has the logs: then repoint this one to it.',
    ],
    act: [
      'Where all replicas are refused, begin with one at once: until then no server could take over (ERR00192).',
      ...refill,
      'Where the manager provisions its services (prov-orchestrator is local, or onpremise with onpremise-ssh), it can also recreate it from another server:',
      cli('server reprovision <server> --plan'),
      cli('server reprovision <server>'),
      'Then keep logs for longer than a replica may be away:',
      sql('SET GLOBAL binlog_expire_logs_seconds = 604800'),
    ],
    avoid: ['Do not set its position forward to the oldest log that is left: everything between is missing, silently.'],
  },
  ERR00126: {
    means:
      'The replica asks its source for a position that the source does not have: their histories diverged (error 1236). One of the two has transactions that the other will never get.',
    causes: [
      'Writes were made on the replica, or on an old primary after a failover.',
      'The source was restored from a backup, or RESET MASTER was run on it.',
    ],
    check: [...channels, ...compareSets, 'Which transactions, and who holds them:', cli('cluster alerts')],
    act: [
      'If the source is without them (ERR00117 is open too), move the role to a server that has them:',
      ...failoverOnRequest,
      'If the replica has too many, save what is needed of them, then:',
      ...refill,
    ],
    avoid: ['Do not set MASTER_USE_GTID=no or another position to make it run: the data differ and nothing shows it.'],
  },
  ERR00128: {
    means:
      'The server holds GTIDs under which the primary wrote other transactions, and it went on after them: replication runs, and the transactions of the primary with these GTIDs are missing on it for good. It serves no reads and is not elected. One that does not replicate is not made a replica, since it would pass over them.',
    causes: [
      'RESET MASTER (RESET BINARY LOGS AND GTIDS) was run on the primary while the server held transactions of it.',
      'The primary lost its last transactions in a crash and took writes again, and the server held them.',
      'The primary came back with older data (a copy, a snapshot) and gave the GTIDs again before the manager ran: its binary log is not the one that was seen. Which of the GTIDs in the detail they are is not to be seen.',
      'It followed a former primary that did so.',
    ],
    check: [
      ...compareSets,
      'Tables whose rows differ (each on both servers, with writes stopped):',
      sql('CHECKSUM TABLE <database>.<table>'),
    ],
    act: [
      'Replace its data with a copy of the primary:',
      ...refill,
      'Where the tables are equal, since a person deleted the log and set its GTIDs again: accept it as it is.',
      cli('cluster reset-failover-control'),
    ],
    avoid: [
      'Do not accept it without having compared the tables: it serves reads and may be elected from then on.',
      'Do not restart its replication or set its position: nothing sends it what it passed over.',
      'Do not promote it: its data are those of neither history.',
    ],
  },
  ERR00127: {
    means:
      'A member has no transactions although the primary has: it is empty, or its history was deleted. It is not made a replica, since replication from the start of the binary logs rarely contains everything.',
    causes: [
      'A new server was added to the cluster.',
      'Its data folder is not mounted, and it started with an empty one.',
      'RESET MASTER was run on it.',
    ],
    check: [
      sql('SHOW DATABASES'),
      'Whether its data folder is the one you expect:',
      sql('SELECT @@global.datadir'),
      shell('findmnt --target /var/lib/mysql'),
    ],
    act: [
      'If the volume is not mounted: stop the server, mount it, start the server.',
      'If it is new, fill it from the primary:',
      ...refill,
      'If all servers are new, form the topology:',
      cli('replication bootstrap master-slave --plan'),
    ],
    avoid: [
      'Do not make it a replica by hand with an empty position: tables created before the oldest binary log are missing.',
    ],
  },
  ERR00151: {
    means:
      'A replica stopped with error 1950: its position is behind its own binary log, so that it would log transactions again that it has. Nothing is lost.',
    causes: [
      'server_id was changed while the server ran.',
      'It was made a replica by hand without its position after it had been a primary.',
    ],
    check: [...channels, mariadb('SELECT @@global.gtid_slave_pos, @@global.gtid_binlog_pos, @@global.server_id')],
    act: [
      'Wait: the manager restores the position where the source has everything that the replica has.',
      cli('wait --for no-findings=ERR00151 --timeout 2m'),
      'If the cluster is paused or only observed, by hand:',
      mariadb('STOP SLAVE; SET GLOBAL gtid_slave_pos = @@global.gtid_binlog_pos; START SLAVE'),
    ],
    avoid: ['Do not set gtid_strict_mode=OFF: the transactions would be applied twice.'],
  },
  WARN0091: {
    means:
      'The replica has transactions that the primary does not have. Its data may differ, and it is not elected while check-replication-errant-trx is on; if it were promoted, others could not follow it.',
    causes: [
      'A person or a job wrote to the replica: a fix by hand, ANALYZE or OPTIMIZE without NO_WRITE_TO_BINLOG, a grant.',
      'It is an old primary that had not sent its last transactions.',
    ],
    check: [
      'The transactions are in the detail. What they changed, row by row:',
      cli('server divergence <replica>'),
      ...compareSets,
    ],
    act: [
      'If the primary is to have them too:',
      cli('server divergence-plan <replica> apply'),
      cli('server settle-divergence <replica> apply --confirm <plan> --wait'),
      'If they are to be gone, the same with undo. If they changed nothing that matters (a grant, an ANALYZE), the same with neutralise.',
      'If that is refused, or to be sure of the data:',
      ...refill,
    ],
    avoid: [
      'Do not switch off check-replication-errant-trx to elect it: the other replicas cannot follow it then.',
      'server reprovision refuses it as long as the transactions are only there.',
    ],
  },
  WARN0049: {
    means:
      'This replica may be the next primary. If it dies and comes back with transactions of its own, autorejoin-flashback cannot undo them, and the next way that the settings permit is taken, or none.',
    ...noFlashback,
  },
  WARN0061: {
    means:
      'If this primary dies and comes back with transactions of its own, autorejoin-flashback cannot undo them, and the next way that the settings permit is taken, or none.',
    ...noFlashback,
  },
  WARN0182: {
    means:
      'A server has transactions that no other one has, and nothing of them is kept outside of it. If its disk is lost, so are they. No way back that removes its data is taken before they are saved.',
    causes: [
      'autorejoin-backup-binlog is off.',
      'The server was never the primary under this manager, so since when it differs is not recorded.',
    ],
    check: [cli('cluster crashes'), cli('server way-back <server>')],
    act: [
      'Let the manager save them:',
      cli('setting switch autorejoin-backup-binlog on'),
      'Or bring the server back, which saves them first:',
      cli('reseed <server> --plan'),
    ],
    avoid: ['Do not delete its binary logs, and do not reset it by hand.'],
  },
  WARN0186: {
    means:
      'A server that is to become a replica, mostly an old primary, has transactions that the present primary is missing. They were perhaps acknowledged to clients. It stays out, closed for writes, until a person decides.',
    causes: [
      'The primary died before its last transactions were sent (asynchronous replication, or semi-sync that had fallen back).',
      'Clients wrote to the old primary after the failover.',
    ],
    check: [
      'How many, and which folder has them as SQL (the column SAVED IN; tail.sql in it). Without tail.sql only a list was saved: WARN0267.',
      cli('cluster crashes'),
      ...compareSets,
    ],
    act: [
      'Read tail.sql with the owner of the application and apply on the primary what is needed: not blindly, since rows may have changed since.',
      ...refill,
    ],
    avoid: [
      'Do not make it a replica by hand: its surplus rows stay, and replication stops at the first conflict.',
      'Do not erase it before tail.sql is saved.',
    ],
  },
  WARN0267: {
    means:
      'The server has transactions that no other one has, and the manager could save only a list of them: which tables and positions, not the rows. The binary log of the server is the only copy of the rows.',
    causes: [
      "The manager's account is missing REPLICATION SLAVE (WARN0266).",
      'Neither mariadb-binlog nor mysqlbinlog is installed on the host of the manager, or backup-mysqlbinlog-path names another program.',
    ],
    check: [
      'Where the list is, and what it could not copy:',
      cli('cluster crashes'),
      cli('cluster logs --limit 100'),
      'What the account may do on the server:',
      sql('SHOW GRANTS FOR <account>'),
    ],
    act: [
      'Grant what is missing, on the primary and on this server:',
      sql("GRANT REPLICATION SLAVE ON *.* TO '<account>'@'%'"),
      'Then read the rows, and let the manager bring the server back: it saves them whole first, and removes nothing before that.',
      cli('server divergence <server>'),
      cli('reseed <server> --method dump --plan'),
      cli('reseed <server> --method dump'),
    ],
    avoid: [
      'Do not run RESET MASTER or PURGE BINARY LOGS on it, and do not replace its data: the rows would be lost.',
      'Do not wait longer than binlog_expire_logs_seconds: the server deletes the log itself.',
    ],
  },
  WARN0251: {
    means:
      'A server follows the wrong source or none, and the manager could correct that but is kept from it; the detail has the reason.',
    causes: [
      'autorejoin is off.',
      'The cluster is paused (ERR00120) or only observed (WARN0350), or another manager acts (ERR00022).',
      'It is writable and was never a member.',
    ],
    check: [...overview, ...channels],
    act: [
      'Remove the reason:',
      cli('setting switch autorejoin on'),
      cli('setting switch monitoring-pause off'),
      'If it is writable and was never a member, find out who uses it, then close it:',
      sql('SET GLOBAL read_only = ON'),
    ],
    avoid: ['Do not close a server that others use for something else.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
