// Pages of findings about servers that cannot be elected.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, mysql, type Page, sql } from '../kit/page.js'
import { channels, compareSets, failoverOnRequest, overview, refill } from '../kit/steps.js'

export const electionPages = {
  ERR00033: {
    means:
      'The server has no coordinates by which it could be compared with the others: it does not replicate by GTID, or replicates from no member. It is not elected.',
    causes: [
      'The replica was set up by file and position.',
      'GTIDs are disabled (MySQL: gtid_mode is not ON).',
      'It is standalone.',
    ],
    check: [...channels, ...compareSets.slice(1)],
    act: [
      'Change the replica to GTIDs:',
      mariadb('STOP SLAVE; CHANGE MASTER TO MASTER_USE_GTID=slave_pos; START SLAVE'),
      mysql('STOP REPLICA; CHANGE REPLICATION SOURCE TO SOURCE_AUTO_POSITION=1; START REPLICA'),
      'Or let the manager do it:',
      cli('setting switch force-slave-gtid-mode on'),
    ],
    avoid: ['Do not promote it by hand: what it is missing is unknown.'],
  },
  ERR00190: {
    means:
      'The replica has several replication channels. The one of this cluster is the one whose source is a server of the cluster, and of several the one named by replication-source-name. Here that does not decide, or the channel to another cluster has the configured name: after a promotion it would be taken for the own one. The server is not elected, and its source is not changed.',
    causes: [
      'Two channels follow servers of this cluster, and neither has the configured name.',
      'The default channel was used for the other cluster first, and this cluster got a named one.',
    ],
    check: [...channels, cli('setting list')],
    act: [
      'Name the channel of the cluster:',
      cli('setting set replication-source-name <channel>'),
      'Or remove a channel that is not needed:',
      mariadb("STOP SLAVE '<channel>'; RESET SLAVE '<channel>' ALL"),
      mysql("STOP REPLICA FOR CHANNEL '<channel>'; RESET REPLICA ALL FOR CHANNEL '<channel>'"),
    ],
    avoid: ['Do not promote it by hand before the channels are clear: one of them would write into the new primary.'],
  },
  WARN0255: {
    means:
      'The replica follows this cluster and, by another channel, a primary of another one. What only that channel brings is left out of elections, errant transactions and counts of losses, where it can be recognised: on MySQL by its server UUID, on MariaDB by its GTID domain. The detail lists the streams for which that is not possible: they count as transactions of this cluster.',
    causes: [
      'MariaDB: both clusters write in the same gtid_domain_id.',
      'The manager has not read the primary since it first saw these transactions, because the primary does not answer.',
    ],
    check: [...channels, mariadb('SELECT @@gtid_domain_id, @@gtid_slave_pos, @@gtid_binlog_state'), cli('explain')],
    act: [
      'On the primary of the other cluster, then on its replicas, with a number that no other cluster uses:',
      mariadb('SET GLOBAL gtid_domain_id = 7'),
      'Write it into the option files, too.',
    ],
    avoid: [
      'Do not fail over to this replica without need: the transactions of the other cluster then flow into all replicas, and where it has deleted binary logs of them no replica can follow it (error 1236). A switchover to it is refused then.',
    ],
  },
  WARN0256: {
    means:
      'The primary has a replication channel to a server that is no member. What it receives there is in its binary log, so every replica gets it. That may be meant. The manager does not change that channel.',
    causes: [
      'It is meant: the cluster collects the data of another one.',
      'A replica with such a channel took over, because it had received most or was the only candidate.',
    ],
    check: [...channels, ...overview],
    act: [
      'If it is meant, acknowledge the finding. Before a switchover away from this server stop the channel, so that the former primary has nothing that the new one is missing:',
      mariadb("STOP SLAVE '<channel>'"),
      mysql("STOP REPLICA FOR CHANNEL '<channel>'"),
      'If it is not, create the channel on a replica and remove it here:',
      mariadb("RESET SLAVE '<channel>' ALL"),
      mysql("RESET REPLICA ALL FOR CHANNEL '<channel>'"),
    ],
    avoid: ['Do not let it run on two servers at once: both would apply the same transactions.'],
  },
  WARN0264: {
    means:
      'The server, mostly a former primary, has a replication channel to a server that is no member. Before the change of the primary what came by that channel flowed into all servers; since then it flows into this one only. MariaDB refuses a replica that is ahead of its source in a domain that the source has (error 1236), so the server is not made a replica. It is closed for writes and changes nothing; there is one replica less. The transactions are those of the other cluster: nothing of this one is lost with them.',
    causes: [
      'The primary had the channel, and died or lost its role while that ran.',
      'A server with such a channel was the primary for a while.',
    ],
    check: [
      ...channels,
      'How far each server is in each domain:',
      mariadb('SELECT @@gtid_slave_pos, @@gtid_binlog_pos, @@gtid_binlog_state'),
    ],
    act: [
      'Move the channel to the present primary. First stop it on this server:',
      mariadb("STOP SLAVE '<channel>'"),
      'Then on the primary, with address and login of the source of the other cluster. It goes on where replication had brought it, and applies what it is missing:',
      mariadb(
        "CHANGE MASTER '<channel>' TO MASTER_HOST='<host>', MASTER_PORT=<number>, MASTER_USER='<user>', MASTER_PASSWORD='<password>', MASTER_USE_GTID=slave_pos",
      ),
      mariadb("START SLAVE '<channel>'"),
      'As soon as the primary has everything that this server has, the manager makes this server a replica. Then remove the channel here, since it would start with the server:',
      mariadb("RESET SLAVE '<channel>' ALL"),
      'Where the data of the other cluster are not needed any more, replace those of this server instead, after the channel is removed:',
      mariadb("STOP SLAVE '<channel>'; RESET SLAVE '<channel>' ALL"),
      cli('reseed <server> --plan'),
    ],
    avoid: [
      'Do not let the channel run on both servers: both would apply the same transactions.',
      'Do not set gtid_slave_pos by hand: it counts for every channel, and transactions would be applied twice or never.',
    ],
  },
  WARN0265: {
    means:
      'The replica follows the primary, and by another channel a server that is no member. The primary has transactions of the same domain. MariaDB compares the positions when the replica connects again: is it ahead of the primary in that domain then, it is refused (error 1236) and replicates no more.',
    causes: [
      'A server with that channel was the primary for a while: the others have a part of what came from there.',
      'The channel runs on the primary, too.',
    ],
    check: [...channels, mariadb('SELECT @@gtid_slave_pos, @@gtid_binlog_pos, @@gtid_binlog_state')],
    act: [
      'Let the channel run on the primary, and remove it here:',
      mariadb("STOP SLAVE '<channel>'; RESET SLAVE '<channel>' ALL"),
      'WARN0264 has the statements that create it on the primary.',
    ],
    avoid: ['Do not restart the replica before that: it connects again.'],
  },
  WARN0272: {
    means:
      'The server replicates from another cluster by a channel beside that of this one, or is the primary and has such a channel. A thread of that channel has stopped with an error, or gets no connection to its source. The detail has the channel, the thread, the number and the text of the error. Replication within this cluster is not affected. The longer the channel is stopped, the more of it its source may have deleted.',
    causes: [
      'Both servers have the same server_id: between clusters nothing keeps them apart (error 1593, on MySQL 13117).',
      'The source refuses the account (error 1045), or does not answer (error 2003).',
      'The applier met a duplicate key (1062), a missing row (1032) or a missing table (1146): something was changed here, too.',
      'The source has deleted the binary logs that come next (error 1236, on MySQL 13114).',
    ],
    check: [...channels, 'On both servers:', sql('SELECT @@server_id')],
    act: [
      'Correct what the error names: another server_id at the source, the password of its account, the row or table here. Then start the channel:',
      mariadb("START SLAVE '<channel>'"),
      mysql("START REPLICA FOR CHANNEL '<channel>'"),
      'If the channel is not needed any more, remove it:',
      mariadb("STOP SLAVE '<channel>'; RESET SLAVE '<channel>' ALL"),
      mysql("STOP REPLICA FOR CHANNEL '<channel>'; RESET REPLICA ALL FOR CHANNEL '<channel>'"),
    ],
    avoid: [
      'Do not change the server_id of a server of this cluster for it: its transactions are known by that number.',
      'Do not set gtid_slave_pos by hand to get over an error: it counts for every channel.',
    ],
  },
  ERR00034: {
    means:
      'This server would be refused as the target of a switchover; the detail has the reason. In a failover it may still be elected.',
    causes: [
      'It runs an older release than the primary, and switchover-lower-release is off.',
      'switchover-at-equal-gtid is on, and it has not applied everything.',
    ],
    check: [cli('switchover --plan --to <server>'), sql('SELECT VERSION()')],
    act: [
      'Choose another target, or upgrade this server. To accept an older release:',
      cli('setting switch switchover-lower-release on'),
    ],
    avoid: [
      'Do not move the role to an older release in the middle of an upgrade: newer servers cannot always replicate from it, nor it from them.',
    ],
  },
  ERR00037: {
    means: 'The server is in db-servers-ignored-hosts: it is never elected, whatever happens to the others.',
    causes: ['It was configured so, for example a server for reports or a delayed one.'],
    check: ['Who changed it, and when:', cli('setting history --name db-servers-ignored-hosts')],
    act: ['To make it a candidate:', cli('server set-unrated <server>')],
    avoid: ['Do not make a server a candidate whose hardware or data are not those of a primary.'],
  },
  ERR00040: {
    means:
      'The server does not answer, or others could not replicate from it: it writes no binary log, or does not log what it replicates.',
    causes: ['It is down (WARN0171).', 'log_bin or log_slave_updates is missing in its option file.'],
    check: [
      sql("SHOW GLOBAL VARIABLES LIKE 'log_bin'"),
      sql("SHOW GLOBAL VARIABLES LIKE 'log_slave_updates'"),
      cli('topology'),
    ],
    act: [
      'Start it, or set log_bin and log_slave_updates in its option file and restart it:',
      cli('server start <server>'),
      cli('server restart <server>'),
    ],
    avoid: ['Do not promote it by hand: no other server could follow it.'],
  },
  ERR00041: {
    means:
      'The server is too far behind to be elected: its lag exceeds failover-max-slave-delay (or switchover-max-slave-delay), or it is delayed on purpose.',
    causes: [
      'A large transaction or ALTER TABLE is being applied.',
      'Reads on the replica compete with the applier, or its disk is slower than that of the primary.',
      'A table without a primary key: each row event scans it.',
      'replication-delayed-hosts lists it.',
    ],
    check: [
      ...channels,
      'What it applies at the moment:',
      cli('server processlist <server>'),
      'Tables without a primary key:',
      sql(
        "SELECT t.table_schema, t.table_name FROM information_schema.tables t LEFT JOIN information_schema.table_constraints c ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.constraint_type = 'PRIMARY KEY' WHERE t.table_type = 'BASE TABLE' AND c.constraint_name IS NULL AND t.table_schema NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')",
      ),
    ],
    act: [
      'Wait if it catches up. Else end what slows it: a long read, a backup, missing keys.',
      cli('query kill-thread <server> <thread>'),
      'More applier threads help if many transactions are independent:',
      mariadb('STOP SLAVE SQL_THREAD; SET GLOBAL slave_parallel_threads = 8; START SLAVE SQL_THREAD'),
      'If the primary is down and only this server is left, what it received is applied before it is promoted; the wait is shown by explain.',
    ],
    avoid: [
      'Do not raise failover-max-slave-delay while the primary is down: it changes how long writes are closed, not what is lost.',
      'Do not skip events to catch up: the data differ afterwards.',
    ],
  },
  ERR00042: {
    means:
      'The replica does not apply: its SQL thread is stopped. It gets older with each write, serves old data to readers, and is not elected.',
    causes: [
      'A duplicate key (1062) or a missing row (1032): something was written to the replica, or its data differ.',
      'A statement that fails on the replica only: a missing table, user or plug-in.',
      'A full disk, or a person stopped it.',
    ],
    check: [...channels, 'Whether it has transactions of its own:', cli('cluster alerts'), ...compareSets],
    act: [
      'If a person stopped it, start it:',
      cli('server start-slave <server>'),
      'If an error stopped it, correct the row or object on the replica (SET SESSION sql_log_bin = 0 before), then start it.',
      'If its data differ in more than a few rows:',
      ...refill,
      'Only if you know the event and its effect, pass over it:',
      cli('server skip-replication-event <server> --plan'),
    ],
    avoid: [
      'Do not skip events one after the other until it runs: the data differ afterwards, and nothing shows it.',
      'Do not set replica_skip_errors.',
    ],
  },
  ERR00043: {
    means:
      'The server was not acknowledging (semi-synchronous replication) and failover-at-sync or switchover-at-sync requires it: it may be without acknowledged writes.',
    causes: [
      'Its semi-sync side is disabled (WARN0048) or it was disconnected.',
      'The primary had fallen back to asynchronous (WARN0234).',
    ],
    check: [
      mariadb("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'"),
      mysql("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync%'"),
      cli('explain'),
    ],
    act: [
      'With the primary alive: enable semi-sync on the replica and start its receiver again.',
      mariadb('SET GLOBAL rpl_semi_sync_slave_enabled = ON; STOP SLAVE IO_THREAD; START SLAVE IO_THREAD'),
      'With the primary down: prefer a server that was in sync, or accept the possible loss:',
      ...failoverOnRequest,
    ],
    avoid: ['Do not disable failover-at-sync during an outage without reading the loss in the plan.'],
  },
  ERR00047: {
    means:
      'The server is in maintenance: it is not elected, not read from, and raises no alarms. If it is the primary, its failure is not answered by a failover.',
    causes: ['A person set it, and the work is going on or was forgotten.'],
    check: ['Who set it, and when:', cli('cluster logs --filter maintenance'), cli('topology')],
    act: [
      'If the work has ended:',
      cli('server del-maintenance <server>'),
      'If it is a primary that needs work, move the role first:',
      cli('switchover --plan'),
    ],
    avoid: ['Do not end it while someone works on the server.'],
  },
  ERR00084: {
    means:
      'The server started after all servers had been down, and has not connected to the primary since. It may be without the last writes, so it is not elected.',
    causes: ['A total outage after which the primary does not return.'],
    check: [cli('explain'), cli('cluster crashes'), ...compareSets],
    act: ['Start the old primary:', cli('server start <primary>'), 'If it is permanently lost:', ...failoverOnRequest],
    avoid: ['Do not fail over before you know that the old primary cannot be started.'],
  },
  ERR00087: {
    means:
      'The receiver (I/O thread) of the replica is stopped: it gets nothing from the primary. In a switchover it would be refused, in a failover it is refused if transactions are missing.',
    causes: [
      'A person or a backup stopped it and did not start it again.',
      'An error: refused login (ERR00088), deleted binary logs (ERR00125), diverged history (ERR00126).',
    ],
    check: channels,
    act: [
      'If no error is shown, start it:',
      cli('server start-slave <server>'),
      'Else see the page of the error that is open beside this one.',
    ],
    avoid: ['Do not start it in the middle of a backup that stopped it.'],
  },
  ERR00121: {
    means:
      'The replication or binary log filters of the server differ from those of the primary: it has never replicated some data, or would not log what the others need. It is not elected.',
    causes: ['A filter was set on one server only, often for a server for reports.', 'The option files differ.'],
    check: [
      ...channels,
      mariadb("SHOW GLOBAL VARIABLES LIKE 'replicate%'"),
      mysql('SELECT * FROM performance_schema.replication_applier_filters'),
      mysql('SHOW BINARY LOG STATUS'),
      mariadb('SHOW MASTER STATUS'),
    ],
    act: [
      'If the filters are a mistake, remove them in the option file, restart, and replace the data: what was filtered is missing.',
      'If they are intended, never elect the server:',
      cli('server set-ignored <server>'),
      'If they do not matter for you:',
      cli('setting switch check-replication-filters off'),
    ],
    avoid: ['Do not remove a filter and go on: the data that were left out are still missing.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
