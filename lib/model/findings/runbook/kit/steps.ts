// Steps that several runbook pages share.
import { cli, mariadb, mysql, type Step, shell, sql } from './page.js'

/** Replaces the data of a server by a copy of the primary, after what only it holds was saved. */
export const refill: readonly Step[] = [
  'Let the manager bring it back: the plan shows every way and what would be lost, and what only the server has is saved first:',
  cli('reseed <server> --plan'),
  cli('reseed <server>'),
  'A way that is possible, and that no setting permits without a request, is named:',
  cli('reseed <server> --method dump'),
  'Where no way is possible, replace its data by a copy of the primary. Put it into maintenance first:',
  cli('server set-maintenance <server>'),
  'Its data folder may be the only copy of transactions: keep it, with its binary logs, on its host before the next step, which removes them.',
  shell('cp --archive /var/lib/mysql /var/lib/mysql.kept'),
  'MariaDB, from any host that reaches both servers with an account that may do everything:',
  shell("mariadb --host=<server> --execute='STOP ALL SLAVES; RESET SLAVE ALL; RESET MASTER'"),
  shell(
    'mariadb-dump --host=<primary> --all-databases --single-transaction --gtid --master-data=1 --routines --events --triggers --flush-privileges' +
      " | mariadb --host=<server> --init-command='SET SESSION sql_log_bin = 0'",
  ),
  shell("mariadb --host=<server> --execute='RESET SLAVE ALL'"),
  'MySQL (before 8.4 the last word of the first line is RESET MASTER):',
  shell("mysql --host=<server> --execute='STOP REPLICA; RESET REPLICA ALL; RESET BINARY LOGS AND GTIDS'"),
  shell(
    'mysqldump --host=<primary> --all-databases --single-transaction --set-gtid-purged=ON --routines --events --triggers --flush-privileges' +
      ' | mysql --host=<server>',
  ),
  'End the maintenance: with autorejoin the manager makes it a replica.',
  cli('server del-maintenance <server>'),
  cli('wait --for state=<server>:Slave --timeout 10m'),
]

/** Which servers are there, and in which state. */
export const overview: readonly Step[] = ['The servers with their states:', cli('topology')]

/** Why the manager does or does not fail over. */
export const verdict: readonly Step[] = [
  'The failover rules one by one, the candidate, and what would be lost:',
  cli('explain'),
]

/** What the database wrote about its own end or start. */
export const errorLog: readonly Step[] = [
  'The error log of the server, through the manager or on its host:',
  cli('server errorlog <server> --limit 50'),
  shell('journalctl --unit=mariadb --unit=mysql --since=-30min'),
]

/** The replication channels of the server with their errors. */
export const channels: readonly Step[] = [
  'The replication channels with their last errors:',
  cli('server all-slaves-status <server>'),
  mariadb('SHOW ALL REPLICAS STATUS'),
  mysql('SHOW REPLICA STATUS'),
]

/** Network and process, from the host of the manager. */
export const reachable: readonly Step[] = [
  'From the host of the manager, whether its port answers:',
  shell('nc -vz <server> 3306'),
  'On its host, whether the process runs:',
  shell('systemctl status mariadb mysql'),
]

/** A failover on request: first its plan. */
export const failoverOnRequest: readonly Step[] = [
  'Read the plan with the transactions that would be lost, then start the failover:',
  cli('failover --plan'),
  cli('failover'),
]

/** Transactions of a server that another one is missing. */
export const compareSets: readonly Step[] = [
  'The transactions of each server, to be compared with those of the primary:',
  mariadb('SELECT @@global.gtid_current_pos, @@global.gtid_binlog_state'),
  mysql('SELECT @@global.gtid_executed'),
]

/** Sessions of a server. */
export const sessions: readonly Step[] = [
  'Who is connected, and what runs longest:',
  cli('server processlist <server>'),
  sql('SELECT user, COUNT(*) AS sessions FROM information_schema.processlist GROUP BY user ORDER BY sessions DESC'),
]
