// Privileges that the manager's and the replication account require on every server, by flavour.
import type { FindingCode } from '../../../model/findings.js'
import type { HeldPrivileges } from '../../../model/server/reading.js'
import type { ServerIdentity } from '../../../model/server/server.js'
import { compareVersions, type Version } from '../../../model/server/version.js'

export interface PrivilegeRow {
  /** Finding that is raised where it is missing. */
  readonly code: FindingCode
  readonly account: 'own' | 'replication'
  /** Its purpose, as an infinitive. */
  readonly purpose: string
  /** Absent where no privilege is required. */
  readonly mariadb?: Privilege
  readonly mysql: Privilege
  /** A server where it is missing cannot become the primary. */
  readonly promotes?: true
}

export interface Privilege {
  /** As GRANT takes it, and as `SHOW GRANTS` spells it. */
  readonly name: string
  /** Other privileges that include it, and its other names. */
  readonly or?: readonly string[]
  /** SUPER includes it: always (true), or on versions before this one. */
  readonly inSuper?: true | Version
  /** The schema it is about, where it is not a global one. */
  readonly schema?: string
}

const BEFORE_10_11: Version = { major: 10, minor: 11, patch: 0 }
const BEFORE_11: Version = { major: 11, minor: 0, patch: 0 }

/**
 * Verified statement by statement with accounts that have one privilege each. MariaDB's SUPER lost what later versions
 * made separate privileges: https://mariadb.com/kb/en/grant/#super.
 */
export const privilegeRows: readonly PrivilegeRow[] = [
  {
    code: 'ERR00006',
    account: 'own',
    purpose: 'to read the replication topology',
    mariadb: { name: 'SLAVE MONITOR', or: ['REPLICA MONITOR'], inSuper: BEFORE_11 },
    mysql: { name: 'REPLICATION CLIENT', inSuper: true },
  },
  {
    code: 'ERR00006',
    account: 'own',
    purpose: 'to read positions and names of binary logs',
    mariadb: { name: 'BINLOG MONITOR', or: ['REPLICATION CLIENT'], inSuper: BEFORE_11 },
    mysql: { name: 'REPLICATION CLIENT', inSuper: true },
  },
  {
    code: 'ERR00006',
    account: 'own',
    purpose: 'to read whether replicas receive heartbeats from their source',
    mysql: { name: 'SELECT', schema: 'performance_schema' },
  },
  {
    code: 'ERR00008',
    account: 'own',
    purpose: 'to make servers writable and read-only',
    mariadb: { name: 'READ_ONLY ADMIN', or: ['READ ONLY ADMIN'], inSuper: BEFORE_10_11 },
    mysql: { name: 'SYSTEM_VARIABLES_ADMIN', inSuper: true },
    promotes: true,
  },
  {
    code: 'ERR00008',
    account: 'own',
    purpose: 'to promote replicas and to change their source',
    mariadb: { name: 'REPLICATION SLAVE ADMIN', or: ['REPLICATION REPLICA ADMIN'], inSuper: BEFORE_11 },
    mysql: { name: 'REPLICATION_SLAVE_ADMIN', inSuper: true },
    promotes: true,
  },
  {
    code: 'ERR00008',
    account: 'own',
    purpose: 'to enable semi-synchronous replication on a new primary',
    mariadb: { name: 'REPLICATION MASTER ADMIN', inSuper: BEFORE_11 },
    mysql: { name: 'SYSTEM_VARIABLES_ADMIN', inSuper: true },
  },
  {
    code: 'ERR00008',
    account: 'own',
    purpose: 'to connect when max_connections is reached, and to kill sessions of others',
    mariadb: { name: 'CONNECTION ADMIN', inSuper: BEFORE_11 },
    mysql: { name: 'CONNECTION_ADMIN', inSuper: true },
  },
  {
    code: 'ERR00009',
    account: 'own',
    purpose: 'to block writes during a switchover, and to remove a former source',
    mariadb: { name: 'RELOAD' },
    mysql: { name: 'RELOAD' },
    promotes: true,
  },
  {
    code: 'ERR00075',
    account: 'own',
    purpose: 'to see long writes before a switchover, and the sessions of others',
    mariadb: { name: 'PROCESS' },
    mysql: { name: 'PROCESS' },
  },
  {
    code: 'ERR00005',
    account: 'own',
    purpose: 'to check that the replication account exists and may replicate',
    mariadb: { name: 'SELECT', schema: 'mysql' },
    mysql: { name: 'SELECT', schema: 'mysql' },
  },
  {
    code: 'WARN0266',
    account: 'own',
    purpose: 'to save the transactions that only an old primary has, with their rows',
    mariadb: { name: 'REPLICATION SLAVE', or: ['REPLICATION REPLICA'] },
    mysql: { name: 'REPLICATION SLAVE' },
  },
  {
    code: 'ERR00007',
    account: 'replication',
    purpose: 'to let replicas receive from this server',
    mariadb: { name: 'REPLICATION SLAVE', or: ['REPLICATION REPLICA'] },
    mysql: { name: 'REPLICATION SLAVE' },
  },
]

/** Required only where enabled events write through read-only: see `lib/decide/situation/events.ts`. */
export const schedulerPrivilege: Privilege = { name: 'SUPER' }

/** Required only by a rotation of passwords, and judged before it begins. */
export const rotationPrivileges: readonly PrivilegeRow[] = [
  {
    code: 'ERR00008',
    account: 'own',
    purpose: 'to give accounts other passwords',
    mariadb: { name: 'CREATE USER', or: ['UPDATE', 'UPDATE mysql'] },
    mysql: { name: 'CREATE USER' },
  },
]

/** Privileges beyond monitoring and failover, for the document; they are not checked in advance. */
export const furtherPrivileges: readonly (readonly [purpose: string, mariadb: string, mysql: string])[] = [
  ['settings that change variables (`force-…`), toggles, `apply-dynamic`', 'SUPER, BINLOG ADMIN', '–'],
  [
    'switching the event scheduler off and on: `failover-event-scheduler`; switchover and rejoin of a primary with enabled events whose definer has SUPER or READ_ONLY ADMIN, as those of root (WARN0397): they write on a read-only server',
    'SUPER',
    '–',
  ],
  [
    '`failover-event-status`: events under the definers that they have',
    'EVENT, SET USER',
    'EVENT, SET_ANY_DEFINER (before 8.2 SET_USER_ID)',
  ],
  ['the admin address, when max_connections is reached', '–', 'SERVICE_CONNECTION_ADMIN'],
  ['statements, tables and plans in the reads of a server', 'SELECT, SHOW VIEW', 'SELECT, SHOW VIEW'],
  [
    'checksums, statistics and rebuilds of all tables, scans of the schema, the proof of a backup, a flashback: they see every table',
    'SELECT',
    'SELECT',
  ],
  ['plans of statements that write', 'INSERT, UPDATE, DELETE', 'INSERT, UPDATE, DELETE'],
  ['`force-binlog-purge`', 'BINLOG ADMIN', 'BINLOG_ADMIN'],
  ['`manager-cli password rotate`', 'CREATE USER', 'CREATE USER, SYSTEM_USER'],
  ['the traffic of `start-traffic`', 'CREATE, INSERT, SELECT, DELETE, DROP', 'CREATE, INSERT, SELECT, DELETE, DROP'],
  [
    '`manager-cli cluster sysbench`: a schema and an account of its own',
    'CREATE USER, and on that schema ALL WITH GRANT OPTION',
    'CREATE USER, and on that schema ALL WITH GRANT OPTION',
  ],
  [
    '`manager-cli test run`: a schema of its own, and sessions that are ended',
    'CREATE, INSERT, SELECT, DELETE, DROP, LOCK TABLES, CONNECTION ADMIN',
    'CREATE, INSERT, SELECT, DELETE, DROP, LOCK TABLES, CONNECTION_ADMIN',
  ],
  ['plugins that tags bring', 'INSERT, DELETE', 'INSERT, DELETE'],
]

export const privilegeOf = (row: PrivilegeRow, { flavour }: Pick<ServerIdentity, 'flavour'>): Privilege | undefined =>
  flavour === 'mariadb' ? row.mariadb : row.mysql

const grantLine = /^(?:GRANT )?(.+?) ON (\S+) TO (\S+)/i

/** From the lines of `SHOW GRANTS`, and from lines of the same form; lines that grant a role grant no privilege themselves. */
export function parseGrants(lines: readonly string[]): HeldPrivileges {
  const names = new Set<string>()
  let account = ''
  for (const line of lines) {
    const [, list = '', target = '', grantee = ''] = grantLine.exec(line) ?? []
    account ||= grantee
    const [schema = '', table] = target.replace(/[`"\\]/g, '').split('.')
    if (table !== '*') continue
    for (const name of list.split(',')) names.add(schema === '*' ? upper(name) : `${upper(name)} ${schema}`)
  }
  return { account, names: [...names] }
}

const roleLine = /^GRANT ((?:`[^`]*`(?:@`[^`]*`)?(?:, ?)?)+) TO (\S+)/

/** Roles that lines of `SHOW GRANTS` give to the account of their global privileges, as SET ROLE takes them. */
export function grantedRoles(lines: readonly string[]): readonly string[] {
  const { account } = parseGrants(lines)
  return lines.flatMap((line) => {
    const [, list = '', grantee] = roleLine.exec(line) ?? []
    return grantee === account ? (list.match(/`[^`]*`(?:@`[^`]*`)?/g) ?? []) : []
  })
}

/** Makes the role active in every new session of the account, instead of those that are. */
export const activateRole = (role: string, account: string, { flavour }: Pick<ServerIdentity, 'flavour'>): string =>
  `SET DEFAULT ROLE ${role} ${flavour === 'mariadb' ? 'FOR' : 'TO'} ${account};`

const upper = (text: string): string => text.trim().toUpperCase()

const all = ['ALL PRIVILEGES', 'ALL']

/** Whether the account has the privilege on a server of this version. */
export function holds({ names }: HeldPrivileges, { name, or = [], inSuper, schema }: Privilege, at: Version): boolean {
  const has = (one: string) => names.includes(one) || (schema !== undefined && names.includes(`${one} ${schema}`))
  if ([name, ...or, ...all].some(has)) return true
  return names.includes('SUPER') && (inSuper === true || (inSuper !== undefined && compareVersions(at, inSuper) < 0))
}

/** The GRANT statements: one for the global ones, one for each schema. */
export function grantStatements(privileges: readonly Privilege[], account: string): readonly string[] {
  const targets = new Map<string, Set<string>>()
  for (const { name, schema } of privileges) {
    const target = schema === undefined ? '*.*' : `${schema}.*`
    targets.set(target, (targets.get(target) ?? new Set()).add(name))
  }
  return [...targets].map(([target, names]) => `GRANT ${[...names].join(', ')} ON ${target} TO ${account};`)
}
