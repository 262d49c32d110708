// Pages of findings about proxies.
import type { FindingCode } from '../../../findings.js'
import { cli, type Page, type Step, shell, sql } from '../kit/page.js'
import { overview } from '../kit/steps.js'

const list: readonly Step[] = ['The proxies with their backends, as the manager sees them:', cli('proxy list')]

const process: readonly Step[] = [
  'From the host of the manager, whether its administration port answers; on its host, whether it runs:',
  shell('nc -vz <proxy> <port>'),
  shell('systemctl status maxscale proxysql haproxy'),
]

const restart: readonly Step[] = [
  'If it does not run, start it, by the orchestrator or on its host:',
  cli('proxy start <proxy>'),
  shell('systemctl start haproxy'),
]

const clients =
  'Clients connect through other proxies or directly meanwhile; if all proxies are down, this is an outage.'

export const proxyPages = {
  ERR00050: {
    means: `The REST interface of a MaxScale (or a proxy without a row of its own) does not answer. The manager cannot set its routes: after a failover it may send writes to the old primary. ${clients}`,
    causes: [
      'The process is down or hangs.',
      'One of maxscale-port, maxscale-user and maxscale-pass is wrong.',
      'TLS of the interface: maxscale-tls, an unknown authority.',
    ],
    check: [...list, ...process, shell('curl --user <user>:<password> http://<proxy>:8989/v1/servers')],
    act: [
      ...restart,
      'If the login is wrong, correct maxscale-user and maxscale-pass. The routes are set again as soon as it answers.',
    ],
    avoid: ['Do not route by hand in the proxy and leave it: the manager sets the routes to what it knows.'],
  },
  ERR00051: {
    means: `The administration port of a ProxySQL does not answer. The manager cannot change its host groups: after a failover it may send writes to the old primary. ${clients}`,
    causes: [
      'The process is down or hangs.',
      'One of proxysql-admin-port, proxysql-user and proxysql-password is wrong.',
      'The account admin is allowed from the host of the proxy only.',
    ],
    check: [...list, ...process, shell('mariadb --host=<proxy> --port=6032 --user=<user> --password')],
    act: [
      ...restart,
      'If only the login is refused, correct proxysql-user and proxysql-password; ProxySQL allows the account admin from its own host only, so use another one.',
    ],
    avoid: ['Do not run LOAD … FROM CONFIG on a proxy that serves clients: it restores old host groups.'],
  },
  ERR00052: {
    means: `The statistics or the runtime socket of an HAProxy cannot be read. Its routes follow the role checks of the manager, but states and changes are not seen. ${clients}`,
    causes: [
      'The process is down.',
      'haproxy-stat-port or haproxy-api-port is wrong or not configured in it.',
      'The login of the statistics (haproxy-user) is refused.',
    ],
    check: [
      ...list,
      ...process,
      'On its host, whether its configuration is valid:',
      shell('haproxy -c -f /etc/haproxy/haproxy.cfg'),
    ],
    act: restart,
    avoid: ['Do not reload it with a configuration that was not checked.'],
  },
  ERR00053: {
    means:
      'The users of the databases, or those of the proxy, cannot be read: new users and changed passwords do not reach the proxy. Existing logins work.',
    causes: [
      'The account of the manager may not read the accounts (ERR00005).',
      'The proxy refuses the statement or answers late.',
    ],
    check: ['The server or proxy is in the detail.', ...list, sql('SELECT user, host, plugin FROM mysql.user')],
    act: [
      'Grant the manager SELECT on mysql.* (ERR00005), or restore the proxy. The manager retries every few passes.',
    ],
    avoid: ['Do not disable proxysql-bootstrap-users for it: nothing is then kept up to date.'],
  },
  ERR00054: {
    means:
      'A database user cannot log in through the proxy, or can although it was dropped; the detail names the user.',
    causes: [
      'Its authentication plug-in stores no password that the proxy can use (ed25519, unix_socket, caching_sha2_password in old releases).',
      'An entry made by hand has another password.',
    ],
    check: [
      sql("SELECT user, host, plugin FROM mysql.user WHERE user = '<user>'"),
      'In the administration of ProxySQL:',
      shell(
        "mariadb --host=<proxy> --port=6032 --user=<user> --password --execute='SELECT username, active, default_hostgroup FROM runtime_mysql_users'",
      ),
    ],
    act: [
      'Give the user a password that the proxy can use, on the primary:',
      sql("ALTER USER '<user>'@'%' IDENTIFIED BY '<password>'"),
      'Or add it to the proxy manually; existing entries are kept.',
    ],
    avoid: ['Do not give the application an administrative account instead.'],
  },
  ERR00057: {
    means:
      'A database user has different passwords for different hosts. A proxy has one password per user, so the user is not filled into it.',
    causes: ['Accounts such as app@10.0.0.% and app@% were created at different times.'],
    check: [sql("SELECT user, host, plugin FROM mysql.user WHERE user = '<user>'")],
    act: [
      'Set the same password for all accounts of the user, on the primary:',
      sql("ALTER USER '<user>'@'<host>' IDENTIFIED BY '<password>'"),
    ],
    avoid: ['Do not drop an account before you know that nothing connects from that host.'],
  },
  ERR00106: {
    means:
      'The proxy does not have the routes that the manager applied: it may send writes to a server that is not the primary. Writes there fail, since that server is read-only, or are lost if it is not.',
    causes: [
      'Someone changed the proxy by hand, or a second manager does (ERR00022).',
      'The proxy refused a change; the detail has the difference.',
      'A monitor of the proxy itself changes the servers (maxscale-disable-monitor).',
    ],
    check: [...list, ...overview],
    act: [
      'Wait for the next attempt (some seconds). If it stays, remove what changes it; for MaxScale its own monitor:',
      cli('setting switch maxscale-disable-monitor on'),
      'As a last resort, restart the proxy; it is configured again when it answers:',
      cli('proxy stop <proxy>'),
      cli('proxy start <proxy>'),
    ],
    avoid: [
      'Do not leave it over night: the writes of clients fail.',
      'Do not edit the routes by hand without stopping the manager from setting them.',
    ],
  },
  WARN0092: {
    means:
      'The query rules that split reads from writes cannot be read or created in the proxy. Reads then go to the primary; nothing is wrong with the data.',
    causes: ['ProxySQL refused a rule; the detail has it.', 'Another rule with the same number exists.'],
    check: [...list, cli('cluster queryrules')],
    act: ['Remove or renumber the rule that is in conflict, in the administration of the proxy. The manager retries.'],
    avoid: ['Do not delete rules of applications that you do not know.'],
  },
} as const satisfies Partial<Record<FindingCode, Page>>
