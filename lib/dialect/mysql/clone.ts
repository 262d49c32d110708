// MySQL's clone plugin: requirements of donor and recipient, and the statements before, during and after a clone.
// https://dev.mysql.com/doc/refman/8.4/en/clone-plugin-remote.html
import type { ServerAddress } from '../../model/server/server.js'
import { compareVersions, parseVersion, type Version } from '../../model/server/version.js'
import { quoteIdentifier } from '../statement/quote.js'
import { flagIn, numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'
import { capabilitiesOf } from './capabilities.js'
import { command } from './names.js'

/** The first release with the plugin. */
const FIRST: Version = { major: 8, minor: 0, patch: 17 }
/** Before this release of 8.0 both ends must have the same release. */
const LOOSER = 37
/** First release where `DISABLE ON REPLICA` is certainly supported. */
const REPLICA_EVENTS: Version = { major: 8, minor: 4, patch: 0 }

export const hasClone = (version: Version): boolean => compareVersions(version, FIRST) >= 0

/** Whether a recipient of this version can clone a donor of that version. */
export function clonesFrom(donor: Version, recipient: Version): boolean {
  if (!hasClone(donor) || donor.major !== recipient.major || donor.minor !== recipient.minor) return false
  const isStrict = donor.major === 8 && donor.minor === 0
  return !isStrict || donor.patch === recipient.patch || Math.min(donor.patch, recipient.patch) >= LOOSER
}

/** Properties of donor or recipient. */
export interface CloneEnd {
  readonly version: Version
  readonly versionText: string
  /** Settings that a clone cannot change, by name. */
  readonly fixed: Readonly<Record<string, string>>
  /** User schemas. */
  readonly schemas: number
  readonly superReadOnly: boolean
  /** The event scheduler is on; when disabled by the configuration it stays disabled. */
  readonly eventScheduler: boolean
  readonly plugin: boolean
  readonly grants: readonly string[]
}

const fixed = ['innodb_page_size', 'innodb_data_file_path', 'character_set_server', 'collation_server'] as const
const systemSchemas = "'mysql', 'information_schema', 'performance_schema', 'sys', '.system', '#mysql50#.system'"

export const readCloneEnd: string = [
  `SELECT @@version AS version, @@event_scheduler AS event_scheduler, @@super_read_only AS super_read_only, ${fixed
    .map((name) => `@@GLOBAL.${name} AS ${name}`)
    .join(', ')}`,
  `SELECT COUNT(*) AS held FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN (${systemSchemas})`,
  "SELECT PLUGIN_STATUS AS status FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'clone'",
  'SHOW GRANTS',
].join('; ')

export function parseCloneEnd([
  [row = {}] = [],
  [schemas = {}] = [],
  [plugin = {}] = [],
  grants = [],
]: readonly Rows[]): CloneEnd {
  return {
    version: parseVersion(textIn(row, 'version')),
    versionText: textIn(row, 'version'),
    fixed: Object.fromEntries(fixed.map((name) => [name, textIn(row, name)])),
    schemas: numberIn(schemas, 'held'),
    superReadOnly: flagIn(row, 'super_read_only'),
    eventScheduler: textIn(row, 'event_scheduler') === 'ON',
    plugin: textIn(plugin, 'status') === 'ACTIVE',
    grants: grants.flatMap((each) => Object.values(each).map(String)),
  }
}

/** Privileges of the account at each end; `ALL PRIVILEGES` includes them. */
export const cloneGrants = {
  donor: ['BACKUP_ADMIN'],
  recipient: ['CLONE_ADMIN', 'SYSTEM_VARIABLES_ADMIN'],
} as const

/** Why the recipient cannot clone the donor; undefined when it can. */
export function judgeCloneEnds(donor: CloneEnd, recipient: CloneEnd): string | undefined {
  if (!clonesFrom(donor.version, recipient.version))
    return `the donor is MySQL ${donor.versionText}, the server ${recipient.versionText}: the clone plugin copies between servers of one series (of 8.0 before 8.0.${LOOSER}: of one release), since 8.0.17`
  const other = fixed.find((name) => donor.fixed[name] !== recipient.fixed[name])
  if (other !== undefined)
    return `${other} is ${donor.fixed[other]} on the donor and ${recipient.fixed[other]} on the server: the clone plugin copies pages and cannot change it`
  return undefined
}

/** The privileges that an account is missing at one end. */
export const missingGrants = (
  end: keyof typeof cloneGrants,
  { grants }: Pick<CloneEnd, 'grants'>,
): readonly string[] =>
  grants.some((grant) => /\bALL PRIVILEGES ON \*\.\*/i.test(grant))
    ? []
    : cloneGrants[end].filter(
        (name) => !grants.some((grant) => new RegExp(`\\b${name}\\b.* ON \\*\\.\\*`, 'i').test(grant)),
      )

/** Tables whose rows the plugin does not copy: it copies InnoDB. These engines hold no rows, or none after a restart. */
export const looseTables =
  "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME, ' (', ENGINE, ')') AS named FROM information_schema.TABLES " +
  `WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT IN (${systemSchemas}) ` +
  "AND ENGINE NOT IN ('InnoDB', 'MEMORY', 'BLACKHOLE', 'FEDERATED', 'MRG_MYISAM') LIMIT 3"

export const installClone = "INSTALL PLUGIN clone SONAME 'mysql_clone.so'"

/** Events of a clone of the primary must not run before they are disabled as on a replica. */
export const prepareClone = (donor: ServerAddress, { eventScheduler }: CloneEnd): readonly Statement[] => [
  { sql: 'SET GLOBAL clone_valid_donor_list = ?', values: [`${donor.host}:${donor.port}`] },
  ...(eventScheduler ? [{ sql: 'SET PERSIST event_scheduler = OFF', values: [] }] : []),
]

/** The server never shows this password: neither its process list nor its logs contain it. */
export function cloneFrom(
  donor: ServerAddress,
  login: { readonly user: string; readonly password: string; readonly tls: boolean },
): Statement {
  const suffix = login.tls ? ' REQUIRE SSL' : ''
  return {
    sql: `CLONE INSTANCE FROM ?@?:${donor.port} IDENTIFIED BY ?${suffix}`,
    values: [login.user, donor.host, login.password],
  }
}

/** The server cannot restart itself: it has stopped, with the clone complete. */
export const CANNOT_RESTART = 3707
/** Another clone is still running. */
export const CLONE_BUSY = 3634

export const cloneProgress =
  'SELECT SUM(DATA) AS copied, SUM(ESTIMATE) AS needed FROM performance_schema.clone_progress'

export const cloneStatus =
  'SELECT STATE AS state, ERROR_MESSAGE AS error, GTID_EXECUTED AS position FROM performance_schema.clone_status'

export const eventsToDisable =
  "SELECT EVENT_SCHEMA AS s, EVENT_NAME AS name, DEFINER AS definer FROM information_schema.EVENTS WHERE STATUS = 'ENABLED'"

/**
 * Statements for a server after a clone, with `was` its properties before: remove the donor's source,
 * set the primary's events to their state on a replica (as replication creates them; definers are kept),
 * and revert settings of the clone itself.
 */
export function settleStatements(was: CloneEnd, events: Rows): readonly string[] {
  const { version } = was
  const capabilities = capabilitiesOf({ flavour: 'mysql', version, versionText: '' })
  return [
    ...['STOP REPLICA', 'RESET REPLICA ALL'].map((text) => command(capabilities, text)),
    ...['SET SESSION sql_log_bin = OFF', 'SET GLOBAL super_read_only = OFF'],
    ...events.map((event) => disableEvent(version, event)),
    ...(was.eventScheduler ? ['RESET PERSIST IF EXISTS event_scheduler', 'SET GLOBAL event_scheduler = ON'] : []),
    'SET GLOBAL clone_valid_donor_list = DEFAULT',
    ...(was.superReadOnly ? ['SET GLOBAL super_read_only = ON'] : []),
  ]
}

function disableEvent(version: Version, event: Rows[number]): string {
  const word = compareVersions(version, REPLICA_EVENTS) >= 0 ? 'REPLICA' : 'SLAVE'
  const [, user = '', host = ''] = /^(.*)@([^@]*)$/.exec(textIn(event, 'definer')) ?? []
  const name = [textIn(event, 's'), textIn(event, 'name')].map(quoteIdentifier).join('.')
  return `ALTER DEFINER = ${quoteIdentifier(user)}@${quoteIdentifier(host)} EVENT ${name} DISABLE ON ${word}`
}
