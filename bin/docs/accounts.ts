// Prints share/doc/accounts.md: required privileges of the database accounts, and the statements that create them.
import {
  furtherPrivileges,
  grantStatements,
  type Privilege,
  type PrivilegeRow,
  privilegeRows,
} from '../../lib/dialect/index.js'

type Flavour = 'mariadb' | 'mysql'

export const printAccounts = (): string =>
  [
    '# Accounts in the databases',
    '',
    'Printed from `lib/dialect/privileges.ts`; `npm run docs` regenerates it.',
    '',
    'The manager uses two accounts on every server: its own (`db-servers-credential`) and the replication account',
    '(`replication-credential`). Both must exist on every server, because any of them may become the primary; created on the',
    'primary, they replicate to the others. `%` can be narrowed: the manager account connects from the host of the manager, the',
    'replication account from every server of the cluster. Where it may connect from the host of the manager, too, its login is',
    'tried before a switchover; else the plan names that as a risk.',
    '',
    ...section('MariaDB', 'mariadb'),
    ...section('MySQL', 'mysql'),
    'A restarted MySQL server asks for the password itself. The manager sends it over TLS (`db-servers-tls-ca-cert`), or sealed for a',
    'key that is named in `db-servers-public-keys` (`public_key.pem` of the data folder of each server). Without either it is sealed for',
    'the key that the server showed first; another one is refused, with ERR00183, until it is accepted (`server accept-public-key`). With',
    '`db-servers-public-key-policy = strict` it is not sent at all then, with WARN0252.',
    '',
    '## Sessions',
    '',
    'On each server the manager probes in one session and acts in another; a switchover freezes the old primary in a third. Reads of the',
    'API, dumps and a second manager add theirs. Give its account no limit, or ten sessions or more (`MAX_USER_CONNECTIONS`). With fewer than',
    'two a server is not elected, with fewer than three a switchover away from it is refused, both with the finding ERR00186.',
    'Once a minute, and before a switchover changes anything, the account logs in once more, as an operation has to: a refusal is the finding',
    'ERR00195. Give it no `MAX_CONNECTIONS_PER_HOUR`: with one, logins are tried before a switchover only (WARN0263).',
    '',
    '## Purpose of each privilege',
    '',
    'Every ten seconds the manager reads its privileges on each server. A missing privilege opens a finding that names the',
    'privilege, its purpose, and the statement to run; a server whose promotion could not be completed is not elected.',
    '`monitoring-check-grants = false` disables the check. SUPER counts where it contains the privilege: on MySQL, and on',
    'MariaDB before 11.0 (before 10.11 for READ_ONLY ADMIN).',
    '',
    '| Needed | MariaDB | MySQL | Finding |',
    '|---|---|---|---|',
    ...privilegeRows.map(printRow),
    '',
    '## Optional privileges',
    '',
    'An account with `ALL PRIVILEGES ON *.* WITH GRANT OPTION` can do everything; the manager uses such an account on servers',
    'that it provisions. With fewer privileges, these are needed beyond monitoring, failover and switchover; an action that is',
    'denied for a missing privilege changes nothing and reports the error of the server. What a role grants counts where the',
    'role is active when the account logs in (`SET DEFAULT ROLE`): a rotation of passwords is refused without it.',
    '',
    '| For | MariaDB | MySQL |',
    '|---|---|---|',
    ...furtherPrivileges.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n')

function section(title: string, flavour: Flavour): readonly string[] {
  const of = (account: PrivilegeRow['account']) =>
    privilegeRows.filter((row) => row.account === account).flatMap((row) => row[flavour] ?? [])
  return [
    `## ${title}`,
    '',
    '```sql',
    "CREATE USER manager@'%' IDENTIFIED BY 'choose-a-password';",
    ...grantStatements(of('own'), "manager@'%'"),
    "CREATE USER replication@'%' IDENTIFIED BY 'choose-another';",
    ...grantStatements(of('replication'), "replication@'%'"),
    '```',
    '',
  ]
}

const printRow = ({ code, account, purpose, mariadb, mysql }: PrivilegeRow): string =>
  `| ${account === 'own' ? '' : 'replication account, '}${purpose} | ${nameOf(mariadb)} | ${nameOf(mysql)} | ${code} |`

function nameOf(privilege: Privilege | undefined): string {
  if (!privilege) return '–'
  const { name, schema } = privilege
  return schema === undefined ? name : `${name} on ${schema}.*`
}
