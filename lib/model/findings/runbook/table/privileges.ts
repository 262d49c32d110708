// Pages of findings about accounts and their privileges in the databases.
import type { FindingCode } from '../../../findings.js'
import { cli, mariadb, mysql, type Page, type Step, shell, sql } from '../kit/page.js'

const grantsOfManager: readonly Step[] = [
  'The missing privileges, their purpose and the statement to run are in the detail. What the account has now:',
  sql("SHOW GRANTS FOR '<account>'@'%'"),
]

const runStatement: readonly Step[] = [
  'Run the statement of the detail with an administrative account: on the primary if it is missing everywhere, so that it replicates; else on this server, without logging it:',
  sql('SET SESSION sql_log_bin = 0'),
]

const closes = 'The manager reads its privileges every ten seconds; the finding closes within that time.'

const notOnReplica =
  'On a replica, do not grant without SET SESSION sql_log_bin = 0: that is an errant transaction (WARN0091).'

const causes = [
  'The account was created before the manager needed this privilege, or by hand with fewer.',
  'An upgrade of the server split or renamed the privilege (SUPER no longer contains it since MariaDB 11.0).',
  'The server was restored from a backup with older accounts.',
] as const

export const privilegePages = {
  ERR00005: {
    means:
      'The manager cannot read the accounts of this server. It cannot check that the replication account exists and is right before a failover needs it, and cannot fill ProxySQL with users.',
    causes,
    check: grantsOfManager,
    act: [...runStatement, sql("GRANT SELECT ON mysql.* TO '<account>'@'%'"), closes],
    avoid: [notOnReplica],
  },
  ERR00195: {
    means:
      'The manager keeps a session on each server, and that one goes on. Once a minute, and before a switchover changes anything, it logs in once more, as an operation has to: that is refused here. A switchover that needs this server is refused; a failover to it goes on with the session that is kept, as long as that is not lost.',
    causes: [
      'The password of the account was changed on the servers and not in db-servers-credential (1045), or has expired (1820, 1862).',
      'The account may have no more sessions, or no more logins in this hour (1226).',
      'All connections are taken, and the server has no port for administrators (1040).',
      'The server blocks the host of the manager after failed connections (1129), or requires TLS now (3159).',
    ],
    check: [
      'The error is in the detail. By hand, from the host of the manager:',
      shell('mariadb --host=<server> --user=<account> --password'),
      sql("SHOW CREATE USER '<account>'@'%'"),
    ],
    act: [
      'Correct the account, on the primary (it replicates), or the setting:',
      sql("ALTER USER '<account>'@'%' WITH MAX_USER_CONNECTIONS 0 MAX_CONNECTIONS_PER_HOUR 0"),
      cli('setting set db-servers-credential <account>:<password>'),
      'The finding closes with the next slow probe that logs in.',
    ],
    avoid: ['Do not restart the manager before that: it would lose the sessions that still work.'],
  },
  WARN0263: {
    means:
      'The account has MAX_CONNECTIONS_PER_HOUR on this server. The manager keeps a session on each server and logs in again for each operation, and where a session was lost. It tries that in advance once a minute, but not with such a limit, since it would use it up: whether an operation could log in is not known before a switchover tries it. A failover goes on with the session that is kept.',
    causes: ['A limit that was meant for accounts of applications was given to the account of the manager.'],
    check: [sql("SHOW CREATE USER '<account>'@'%'")],
    act: [
      'On the primary, where it replicates:',
      sql("ALTER USER '<account>'@'%' WITH MAX_CONNECTIONS_PER_HOUR 0"),
      'The finding closes within about a minute.',
    ],
    avoid: ['Do not only raise the limit: the manager does not know how many logins of this hour are left.'],
  },
  ERR00186: {
    means:
      'The account may have fewer sessions at once than a switchover needs (three), or than a failover needs (two): logins beyond them are refused. The server is probed, and looks well until the role moves: it is not elected with fewer than two, and a switchover away from it is refused with fewer than three.',
    causes: [
      'The account was created with MAX_USER_CONNECTIONS.',
      'The server limits every account (max_user_connections).',
      'Another program uses the account of the manager.',
    ],
    check: [
      'The limit of the account, and that of the server:',
      sql("SHOW CREATE USER '<account>'@'%'"),
      sql('SELECT @@GLOBAL.max_user_connections'),
      'The sessions that it has:',
      sql("SELECT id, host, command, time FROM information_schema.PROCESSLIST WHERE user = '<account>'"),
    ],
    act: [
      'On the primary if it is so everywhere, so that it replicates; else on this server, with SET SESSION sql_log_bin = 0 first:',
      sql("ALTER USER '<account>'@'%' WITH MAX_USER_CONNECTIONS 0"),
      'Where the server limits every account, a limit of the account of its own counts instead: ten or more.',
      'The manager reads it every ten seconds; the finding closes within that time.',
    ],
    avoid: [notOnReplica, 'Do not raise max_connections: that limit is another one.'],
  },
  ERR00006: {
    means:
      'The manager cannot read the replication of this server: role, lag and positions are unknown or incomplete. The server is not elected, and a primary may not be recognised.',
    causes,
    check: grantsOfManager,
    act: [
      ...runStatement,
      mariadb("GRANT SLAVE MONITOR, BINLOG MONITOR ON *.* TO '<account>'@'%'"),
      mysql("GRANT REPLICATION CLIENT ON *.* TO '<account>'@'%'"),
      mysql("GRANT SELECT ON performance_schema.* TO '<account>'@'%'"),
      closes,
    ],
    avoid: [notOnReplica],
  },
  WARN0266: {
    means:
      'If this server were the primary and died with transactions that no replica had received, the manager could save only a list of them when it returns, without rows.',
    causes: ['The account was created by an older list of privileges, without REPLICATION SLAVE.'],
    check: [sql('SHOW GRANTS FOR <account>')],
    act: [...runStatement, sql("GRANT REPLICATION SLAVE ON *.* TO '<account>'@'%'"), closes],
    avoid: ['Do not wait for the incident: the privilege is needed when the old primary comes back.'],
  },
  ERR00007: {
    means:
      'The replication account may not replicate from this server. Nothing is broken while it is a replica; after a failover to it no other server could follow it.',
    causes: [
      'The account was created without REPLICATION SLAVE.',
      'The account was dropped and created again by hand.',
      'The server was restored from a backup with older accounts.',
    ],
    check: [
      'What the account that replication-credential names has on this server:',
      sql("SHOW GRANTS FOR '<account>'@'%'"),
    ],
    act: [...runStatement, sql("GRANT REPLICATION SLAVE ON *.* TO '<account>'@'%'"), closes],
    avoid: [notOnReplica],
  },
  ERR00008: {
    means:
      'The manager may not open or close this server for writes, promote it or change its source. It is not elected: a failover to it could not be completed.',
    causes,
    check: [...grantsOfManager, 'Whether another server could still be promoted:', cli('explain')],
    act: [
      ...runStatement,
      mariadb(
        "GRANT READ_ONLY ADMIN, REPLICATION SLAVE ADMIN, REPLICATION MASTER ADMIN, CONNECTION ADMIN ON *.* TO '<account>'@'%'",
      ),
      mysql("GRANT SYSTEM_VARIABLES_ADMIN, REPLICATION_SLAVE_ADMIN, CONNECTION_ADMIN ON *.* TO '<account>'@'%'"),
      closes,
    ],
    avoid: [notOnReplica, 'Do not disable monitoring-check-grants instead: the failover would fail half way.'],
  },
  ERR00009: {
    means:
      'The manager may not flush on this server: it cannot block writes during a switchover, nor remove a former source. The server is not elected.',
    causes,
    check: grantsOfManager,
    act: [...runStatement, sql("GRANT RELOAD ON *.* TO '<account>'@'%'"), closes],
    avoid: [notOnReplica],
  },
  ERR00075: {
    means:
      'The manager does not see the sessions of others on this server. Before a switchover it cannot see long writes that would block it, and lists of sessions are incomplete.',
    causes,
    check: grantsOfManager,
    act: [...runStatement, sql("GRANT PROCESS ON *.* TO '<account>'@'%'"), closes],
    avoid: [notOnReplica, 'Do not switch over during a long write: without this privilege it is not seen beforehand.'],
  },
  ERR00056: {
    means:
      'The account that replication-credential names does not exist on this server. Replicas that run keep running; after a failover to this server none could connect to it.',
    causes: [
      'Only a replica has it, or it was created with binary logging disabled.',
      'replication-credential was changed to a name that was never created.',
      'A replication filter leaves out the schema mysql.',
    ],
    check: [
      'Which accounts exist on this server, and on the primary:',
      sql("SELECT user, host FROM mysql.user WHERE user = '<account>'"),
      'Whether filters leave out the schema mysql:',
      cli('server all-slaves-status <server>'),
    ],
    act: [
      'Create it on the primary; it replicates to the others:',
      sql("CREATE USER '<account>'@'%' IDENTIFIED BY '<password>'"),
      sql("GRANT REPLICATION SLAVE ON *.* TO '<account>'@'%'"),
      'If only this server is without it, create it here with SET SESSION sql_log_bin = 0 before.',
    ],
    avoid: [
      'Do not create it on a replica with binary logging: that is an errant transaction (WARN0091), and the same statement fails when it arrives from the primary.',
    ],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
