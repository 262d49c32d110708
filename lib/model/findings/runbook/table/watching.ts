// Pages of findings of watching: disks, restarts, slow answers, long statements, failed operations, and alerts that cannot be sent.
import { cli, mariadb, mysql, type Page, type Step, shell, sql } from '../kit/page.js'
import { errorLog, overview, reachable } from '../kit/steps.js'

const longest: readonly Step[] = [
  'The sessions, the longest first, and the open transactions:',
  cli('server processlist <server>'),
  sql(
    "SELECT id, user, host, db, time, state, info FROM information_schema.processlist WHERE command <> 'Sleep' ORDER BY time DESC LIMIT 20",
  ),
  sql(
    'SELECT trx_mysql_thread_id, trx_started, trx_rows_modified, trx_query FROM information_schema.innodb_trx ORDER BY trx_started LIMIT 20',
  ),
]

const end: readonly Step[] = [
  'End it, after its owner agreed: the statement, or its session with the transaction:',
  cli('query kill-query <server> <thread>'),
  cli('query kill-thread <server> <thread>'),
]

const channelCheck: readonly Step[] = [
  'The channel and its error are in the detail. From the host of the manager:',
  shell('nc -vz <receiver> <port>'),
]

export const watchingPages = {
  ERR00059: {
    means:
      'db-servers-ignored-hosts names a host that is no member, so the name has no effect: a server that you mean to keep from being elected may be elected.',
    causes: [
      'It is spelled otherwise in db-servers-hosts: without the port, by address, by a short name.',
      'The server was removed from the cluster.',
    ],
    check: [
      'How the members are named:',
      cli('server list'),
      'What is configured, and by whom:',
      cli('setting history --name db-servers-ignored-hosts'),
    ],
    act: [
      'Rate the server itself, which writes the name as it is needed:',
      cli('server set-ignored <server>'),
      'Or correct the list:',
      cli('setting set db-servers-ignored-hosts <server>'),
    ],
    avoid: ['Do not leave it: the next failover elects by what is in effect, not by what was meant.'],
  },
  ERR00074: {
    means:
      'db-servers-prefered-master names a host that is no member, so nothing is preferred by it: the role does not return to that server, and elections pass over it.',
    causes: [
      'It is spelled otherwise in db-servers-hosts: without the port, by address, by a short name.',
      'The server was removed from the cluster.',
    ],
    check: [
      'How the members are named:',
      cli('server list'),
      'What is configured, and by whom:',
      cli('setting history --name db-servers-prefered-master'),
    ],
    act: [
      'Rate the server itself, which writes the name as it is needed:',
      cli('server set-preferred <server>'),
      'Or correct the list:',
      cli('setting set db-servers-prefered-master <server>'),
    ],
    avoid: ['With failover-switch-to-prefered on, do not correct it at a busy hour: the role may move at once.'],
  },
  ERR00079: {
    means:
      'A volume of the server is nearly full. When it is full, writes wait (WARN0100); on the primary that is an outage although the server answers.',
    causes: [
      'Binary logs kept for too long, or kept for a replica that is away.',
      'Data that grow.',
      'Dumps, backups or core files on the same volume.',
      'A large temporary table or ALTER TABLE.',
    ],
    check: [
      'The volume with its directory is in the detail. On its host, what takes the space:',
      shell('df -h'),
      shell('du -xh --max-depth=2 /var/lib/mysql | sort -h | tail -20'),
      'The binary logs with their sizes, and for how long they are kept:',
      sql('SHOW BINARY LOGS'),
      sql("SHOW GLOBAL VARIABLES LIKE 'binlog_expire_logs_seconds'"),
      'The largest tables:',
      cli('server tables <server> --limit 20'),
    ],
    act: [
      'Remove what is not data of the server: dumps, core files, old packages.',
      'Delete binary logs that every replica has received (compare with its position first), and keep them for less long:',
      cli('cluster slaves'),
      sql("PURGE BINARY LOGS TO '<file>'"),
      'Enlarge the volume. If it is the primary and that takes time, move the role before it is full:',
      cli('switchover --plan'),
    ],
    avoid: [
      'Do not delete files of the data folder by hand.',
      'Do not run OPTIMIZE TABLE to gain space: it needs as much again first.',
    ],
  },
  WARN0085: {
    means:
      'Something triggered a capture: the manager writes down what the server is busy with, in a few samples. It ends without further action.',
    causes: ['A finding of monitoring-capture-trigger opened.'],
    check: ['Which file it writes, and what triggered it:', cli('cluster logs --limit 30')],
    act: ['Read the file when it has ended: sessions, transactions, locks and counters at the moment of the trouble.'],
    avoid: ['Do not take the capture for the cause: the finding that triggered it is the one to work on.'],
  },
  WARN0088: {
    means:
      'More than a tenth of the statements of the server are slow by its own measure (long_query_time). Applications wait; lag and used connections follow.',
    causes: [
      'A new release with a statement without an index.',
      'Statistics of a table that mislead the optimizer.',
      'A cold or small buffer pool, a slow disk, another program on the host.',
    ],
    check: [
      'The statements that take the time:',
      cli('server digest-statements-pfs <server> --limit 20'),
      cli('server slow-queries <server> --limit 20'),
      'What counts as slow:',
      sql("SHOW GLOBAL VARIABLES LIKE 'long_query_time'"),
    ],
    act: [
      'The plan of a statement by its digest:',
      cli('query explain-pfs <server> <digest>'),
      'Add the index, or refresh the statistics of the table:',
      sql('ANALYZE TABLE <database>.<table>'),
    ],
    avoid: [
      'Do not raise long_query_time to silence it.',
      'Do not run ANALYZE TABLE on a replica without NO_WRITE_TO_BINLOG: that is an errant transaction (WARN0091).',
    ],
  },
  WARN0122: {
    means:
      'A statement waits for the metadata lock of a table, and all later statements on that table wait behind it: the application seems to hang, although the server is idle.',
    causes: [
      'ALTER TABLE, TRUNCATE or a lock behind a transaction that was left open.',
      'A backup or dump that holds the table.',
    ],
    check: [
      ...longest,
      'Who holds the locks (needs the plug-in metadata_lock_info on MariaDB):',
      cli('server meta-data-locks <server>'),
    ],
    act: [
      'The holder is a session with an old transaction, often in Sleep. End it:',
      ...end.slice(1),
      'Or withdraw the statement that waits; the others continue at once.',
    ],
    avoid: [
      'Do not kill the sessions that wait behind: they return.',
      'Do not switch over: it waits for the same transaction.',
    ],
  },
  WARN0138: {
    means:
      'Mails with alerts cannot be sent: people hear of nothing by mail. The mails are kept on disk and sent when the mail server takes them.',
    causes: [
      'The mail server is down or refuses the manager (relay, login, TLS).',
      'One of mail-smtp-addr, mail-smtp-user and mail-smtp-password is wrong or has expired.',
      'A receiver that does not exist.',
    ],
    check: [...channelCheck, shell('openssl s_client -connect <receiver>:<port> -starttls smtp')],
    act: [
      'Correct the settings, then read the result in the log:',
      cli('setting set mail-smtp-addr <host:port>'),
      cli('cluster logs --filter mail'),
      'The waiting mails follow without further action; the finding closes with the first that is sent.',
    ],
    avoid: ['Do not delete the queue: it holds what nobody has read.'],
  },
  WARN0217: {
    means:
      'A long write runs on the primary. A switchover would wait for it (switchover-wait-trx) and then be refused; a failover does not wait.',
    causes: [
      'A batch job, a migration, a DELETE without limit.',
      'A transaction that was left open after its last change.',
    ],
    check: longest,
    act: [
      'Wait for its end, or agree with its owner:',
      ...end.slice(1),
      'A large rollback takes as long as the work did: check its progress.',
      sql('SHOW ENGINE INNODB STATUS'),
    ],
    avoid: ['Do not kill it shortly before its end: the rollback takes longer than the rest.'],
  },
  WARN0236: {
    means:
      'The server process started again, and the manager did not ask for it. It works; why it ended is the question. A primary that restarts faster than the failover rules decide keeps its role.',
    causes: [
      'A crash (signal 11, an assertion), then a restart by systemd.',
      'The kernel ended it for memory.',
      'A person or a package upgrade restarted it.',
    ],
    check: [
      ...errorLog,
      'Whether the kernel ended it:',
      shell('dmesg --level=err,warn | grep -i -E "oom|killed process"'),
      'When it started:',
      sql("SHOW GLOBAL STATUS LIKE 'Uptime'"),
    ],
    act: [
      'Out of memory: lower the buffer pool or the connections, or give the host memory.',
      'A crash: keep the error log with its stack, and search the release notes for it; upgrade one replica first.',
      'A planned restart: set maintenance before the next one.',
      cli('server set-maintenance <server>'),
    ],
    avoid: ['Do not ignore it because it works again: the next time it may not start.'],
  },
  WARN0237: {
    means:
      'The server answers every light statement slowly. Nothing is decided by that alone, but a server that exceeds the deadline of a probe counts as silent, and a silent primary is replaced.',
    causes: [
      'Its host has no processor time or memory left (swapping, a noisy neighbour).',
      'A slow network between the manager and the server.',
      'A storm of connections.',
    ],
    check: [
      ...reachable,
      'On its host:',
      shell('top -b -n 1 | head -20'),
      shell('vmstat 1 5'),
      'The way there:',
      shell('ping -c 5 <server>'),
      cli('server processlist <server>'),
    ],
    act: ['Remove the load, or move the role to a server that is well:', cli('switchover --plan')],
    avoid: ['Do not raise the deadlines of probes to hide it: failovers come later by as much.'],
  },
  WARN0238: {
    means:
      'The latest operation (failover, switchover, rejoin, repair) failed or was undone; the detail has the step and the error. The cluster is in the state that the topology shows.',
    causes: [
      'A server failed or refused a statement in the middle (privileges, full disk).',
      'A deadline passed: a long transaction, a slow server.',
      'The situation changed between the plan and its point of no return.',
    ],
    check: [...overview, 'Its steps with the one that failed:', cli('cluster logs --limit 100'), cli('explain')],
    act: [
      'Remove the cause, then start it again; for a switchover:',
      cli('switchover --plan'),
      'The finding closes with the next operation that succeeds, or after an hour.',
    ],
    avoid: ['Do not finish its steps by hand before you have compared the topology with what you expect.'],
  },
  WARN0262: {
    means:
      'The threads of replication begin as sessions do, with the defaults that the server gives them. With transaction_read_only=ON receiver and applier of MySQL end when they start next (13122, 13117); with character_set_results of ucs2, utf16, utf16le or utf32 the replicas of that server end (13117) when they connect next, and so do those of a MariaDB server with sql_select_limit=0 (1593). What runs goes on until then, so nothing else shows it. A switchover that would start such replication is refused.',
    causes: ['The variable was set for applications (SET GLOBAL, SET PERSIST, the option file).'],
    check: [
      sql(
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('transaction_read_only', 'character_set_results', 'sql_select_limit')",
      ),
    ],
    act: [
      'Run the statement of the detail on that server, and remove the line from its option file.',
      'A replica whose receiver ended for a default of its source is started by the manager within half a minute after that.',
    ],
    avoid: ['Do not restart replication of that server, or the server, before that.'],
  },
  WARN0397: {
    means:
      'read_only of MariaDB does not stop an account with SUPER or READ_ONLY ADMIN, and an event runs as its definer. The event scheduler of this server runs such events, and the account of the manager may not switch it off. If the role of the primary moved, they would go on here and write transactions that no other server has. So a switchover is refused, and a former primary does not rejoin.',
    causes: [
      'Events were created by root, or by another account with SUPER or READ_ONLY ADMIN.',
      'The account of the manager has the privileges of share/doc/accounts.md and not SUPER.',
    ],
    check: [
      sql("SELECT event_schema, event_name, definer, status FROM information_schema.events WHERE status = 'ENABLED'"),
      sql('SELECT @@event_scheduler'),
    ],
    act: [
      'Run the GRANT of the detail on the primary. Or give each event a definer without SUPER and READ_ONLY ADMIN:',
      sql('ALTER DEFINER = <account> EVENT <schema>.<event> ENABLE'),
    ],
    avoid: ['Do not move the role by hand while these events are enabled on the old primary.'],
  },
  WARN0270: {
    means:
      'An event is enabled on the server where it was created, and a copy that is disabled on its replicas. When the role moves, the former primary keeps its enabled events. read_only of MariaDB does not stop an event whose definer has SUPER or READ_ONLY ADMIN. The manager switches the event scheduler of a former primary off, but a server that starts with event_scheduler=ON in its file runs the events before the manager can switch it off again: the server gets errant transactions, and with gtid_strict_mode its replication stops.',
    causes: [
      'The server was the primary, and failover-event-status is off: events keep the status that they had.',
      'It was filled from a copy of a primary, or its events were enabled by hand.',
    ],
    check: [
      sql("SELECT event_schema, event_name, definer, status FROM information_schema.events WHERE status = 'ENABLED'"),
      sql('SELECT @@event_scheduler'),
    ],
    act: [
      'On that server, for each event of the detail, in one session:',
      mariadb('SET SESSION sql_log_bin = 0'),
      mariadb('ALTER DEFINER = <account> EVENT <schema>.<event> DISABLE ON SLAVE'),
      'On the primary, enable the events that are to run there, unless they are. Every replica disables its own as it applies this, a former primary too:',
      sql('ALTER DEFINER = <account> EVENT <schema>.<event> ENABLE'),
      'With failover-event-status the manager does the second when the role moves.',
    ],
    avoid: ['Do not set event_scheduler=ON in the file of a server before its events are disabled.'],
  },
  WARN0271: {
    means:
      'read_only of the replica was set by SET GLOBAL since the server started, and the server is not known to have started with it: it started open, or the value was there when the manager first read the server. A value that a statement set is gone at the next start: the server then takes writes of every client that reaches it, until the manager has found it and closed it, and what it took is on no other server. The server does not show what its files have once a statement has set the variable, so they may be right.',
    causes: [
      'A person closed the replica by hand and did not add read_only to its files.',
      'The server started open, and the manager closed it.',
      'On MySQL: SET PERSIST read_only = OFF was given to it when it was the primary.',
      'A person or another program closed it before this manager knew it: then its files may have read_only.',
    ],
    check: [
      'What the running server shows:',
      mariadb(
        "SELECT global_value, global_value_origin FROM information_schema.SYSTEM_VARIABLES WHERE variable_name = 'READ_ONLY'",
      ),
      mysql(
        "SELECT variable_name, variable_source FROM performance_schema.variables_info WHERE variable_name IN ('read_only', 'super_read_only')",
      ),
      mysql('SELECT * FROM performance_schema.persisted_variables'),
      'Whether its files have it:',
      shell('grep -rn "read.only" /etc/mysql /etc/my.cnf'),
    ],
    act: [
      'Add to its option files, below [mysqld]: read_only = ON; on MySQL super_read_only = ON as well, or in place of both give it SET PERSIST_ONLY super_read_only = ON (SET PERSIST would close a primary at once). A server whose files the manager makes gets it from the tag readonly.',
      'Do the same on all servers of the cluster, the primary included: it starts closed, and the manager opens it.',
      'The finding closes when the server has started with it, after SET PERSIST_ONLY within a minute. Where the files have it already, nothing is to be done: silence it until then.',
    ],
    avoid: ['Do not restart the replica before its files have it.'],
  },
  WARN0273: {
    means:
      'The manager closes servers of MySQL by super_read_only, a former primary that starts with read_only alone, too. This one it leaves as it is: its option files have read_only alone, or a statement has set one of the two since it started. Accounts with SUPER or CONNECTION_ADMIN may write to it. What they write blocks its election as errant transactions (WARN0091).',
    causes: [
      'The option files have read_only = ON and not super_read_only = ON.',
      'A person set read_only = ON by a statement, or super_read_only = OFF to correct a row.',
      'failover-readonly-state or force-slave-readonly is off, or the manager only observes (monitoring-observe) or is paused.',
    ],
    check: [
      mysql('SELECT @@global.read_only, @@global.super_read_only'),
      mysql(
        "SELECT variable_name, variable_source, set_time, set_user FROM performance_schema.variables_info WHERE variable_name IN ('read_only', 'super_read_only')",
      ),
      'Whether it has transactions of its own (WARN0091):',
      cli('cluster alerts'),
    ],
    act: [
      'As soon as no one has to write there:',
      mysql('SET GLOBAL super_read_only = ON'),
      'Add super_read_only = ON to its option files. The job table of a server takes no order while that is on: hosts then take theirs over SSH or by the API (scheduler-jobs-mode).',
      'If it is intended, list the server in db-servers-ignored-readonly:',
      cli('setting set db-servers-ignored-readonly <server>'),
    ],
    avoid: ['Do not write to a replica without SET SESSION sql_log_bin = 0.'],
  },
  WARN0398: {
    means:
      'A switchover or failover succeeded: the new primary takes writes. A step after that failed, and nothing repeats it. The detail has what it means, and the error.',
    causes: [
      'The account of the manager does not have a privilege that the step needs.',
      'A server did not answer in time.',
    ],
    check: [...overview, 'Its steps with the one that failed:', cli('cluster logs --limit 100')],
    act: [
      'Remove the cause, then do the step by hand. For events, on the new primary:',
      sql('SET GLOBAL event_scheduler = ON'),
      sql('ALTER EVENT <schema>.<event> ENABLE'),
    ],
    avoid: ['Do not move the role again before the cause is removed: the step would fail again.'],
  },
  WARN0239: {
    means:
      'A thread of the manager did not run when it was due. What it did not see meanwhile is not evidence, so a failover in that time would come later.',
    causes: [
      'The host of the manager has no processor time left.',
      'The virtual machine was paused or moved.',
      'More clusters than the host can serve.',
    ],
    check: [cli('global metrics'), 'On the host of the manager:', shell('top -b -n 1 | head -20'), shell('vmstat 1 5')],
    act: ['Give its host processor time, move other programs away, or spread the clusters over several managers.'],
    avoid: ['Do not lower failover-falsepositive-ping-counter to compensate: late observations are not evidence.'],
  },
  WARN0360: {
    means:
      'A statement has been running for longer than monitoring-long-query-time. It takes processor time and memory, and may hold locks or make replicas lag when it is a write.',
    causes: [
      'A report or batch job.',
      'A missing index, or a plan that changed.',
      'It waits for a row lock of a transaction that was left open.',
    ],
    check: longest,
    act: [...end, 'If it shall run and is expected, raise the limit of what counts as long.'],
    avoid: [
      'Do not kill ALTER TABLE or a large write shortly before its end: the rollback takes longer than the rest.',
    ],
  },
  WARN0361: {
    means:
      'A transaction has been open for longer than monitoring-long-query-time. It keeps old row versions (the undo log grows, reads get slower) and locks on what it used.',
    causes: [
      'A client that opened a transaction and waits for something else, or forgot it.',
      'A dump or backup with a consistent snapshot.',
      'autocommit is off in a client.',
    ],
    check: [
      ...longest,
      'How many old row versions are kept:',
      mariadb("SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'"),
      mysql("SELECT count FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'"),
    ],
    act: ['End it, unless it is a backup:', ...end.slice(1)],
    avoid: ['Do not restart the server for it: end the one session.'],
  },
  WARN0370: {
    means:
      'Alerts cannot be sent by a channel other than mail (chat, push, webhook, script, syslog). They are kept on disk and sent when the receiver takes them.',
    causes: [
      'The address or token of the channel is wrong, or was withdrawn.',
      'No way out to the internet: a proxy or firewall.',
      'The script of alert-script ended with an error or took too long.',
    ],
    check: [...channelCheck, 'The attempts with their errors:', cli('cluster logs --filter alert')],
    act: [
      'Correct the settings of the channel. The waiting alerts follow without further action; the finding closes with the first that is sent.',
    ],
    avoid: ['Do not disable the channel to close the finding before another one reaches the people on duty.'],
  },
} as const satisfies Readonly<Record<string, Page>>
