// Prints share/doc/accounts.md: what the accounts in the databases must be allowed, and the statements that make them.
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
    'The manager knows two accounts of every server: its own (`db-servers-credential`) and the one that replicas receive',
    'with (`replication-credential`). Both must exist on every server, for after a failover each of them may be the',
    'primary; made on the primary, they replicate to the others. In place of `%` an address will do: the own one comes from',
    "the manager's host, the other one from every server of the cluster.",
    '',
    ...section('MariaDB', 'mariadb'),
    ...section('MySQL', 'mysql'),
    '## What each is for',
    '',
    'Every ten seconds the manager reads its privileges on each server. A missing one is an open finding that names the',
    'privilege, what it is for, and the statement to run; a server on which it could not finish a promotion is not elected.',
    '`monitoring-check-grants = false` switches that off. SUPER counts where it contains the privilege: on MySQL, and on',
    'MariaDB before 11.0 (before 10.11 for READ_ONLY ADMIN).',
    '',
    '| Needed | MariaDB | MySQL | Finding |',
    '|---|---|---|---|',
    ...privilegeRows.map(printRow),
    '',
    '## What may be added',
    '',
    'An account with `ALL PRIVILEGES ON *.* WITH GRANT OPTION` can do everything, and that is what the manager gives itself on',
    'servers that it makes. Where it may do less, these go further than watching, failover and switchover; an action that',
    'is refused for a missing privilege changes nothing and reports the error of the server.',
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
