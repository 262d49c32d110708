// MySQL's clone plugin: what both ends of a copy must be, and the statements that put one server in another's place.
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
/** Before this release of 8.0 both ends must be the very same one. */
const LOOSER = 37
/** Where `DISABLE ON REPLICA` is sure to be known. */
const REPLICA_EVENTS: Version = { major: 8, minor: 4, patch: 0 }

export const hasClone = (version: Version): boolean => compareVersions(version, FIRST) >= 0

/** Whether a server of this version takes a copy of one of that version. */
export function clonesFrom(donor: Version, recipient: Version): boolean {
  if (!hasClone(donor) || donor.major !== recipient.major || donor.minor !== recipient.minor) return false
  const isStrict = donor.major === 8 && donor.minor === 0
  return !isStrict || donor.patch === recipient.patch || Math.min(donor.patch, recipient.patch) >= LOOSER
}

/** What one end of a copy is. */
export interface CloneEnd {
  readonly version: Version
  readonly versionText: string
  /** Settings of which a copy cannot change one, by name. */
  readonly fixed: Readonly<Record<string, string>>
  /** Schemas of people. */
  readonly schemas: number
  readonly superReadOnly: boolean
  /** Events run; one that is disabled by the configuration stays so. */
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

/** What the account needs at each end; `ALL PRIVILEGES` holds all of it. */
export const cloneGrants = {
  donor: ['BACKUP_ADMIN'],
  recipient: ['CLONE_ADMIN', 'SYSTEM_VARIABLES_ADMIN'],
} as const

/** Why nothing can be copied from the one to the other; undefined when it can. */
export function judgeCloneEnds(donor: CloneEnd, recipient: CloneEnd): string | undefined {
  if (!clonesFrom(donor.version, recipient.version))
    return `the donor is MySQL ${donor.versionText}, the server ${recipient.versionText}: the clone plugin copies between servers of one series (of 8.0 before 8.0.${LOOSER}: of one release), since 8.0.17`
  const other = fixed.find((name) => donor.fixed[name] !== recipient.fixed[name])
  if (other !== undefined)
    return `${other} is ${donor.fixed[other]} on the donor and ${recipient.fixed[other]} on the server: the clone plugin copies pages and cannot change it`
  return undefined
}

/** The privileges that an account lacks at one end. */
export const lackingGrants = (
  end: keyof typeof cloneGrants,
  { grants }: Pick<CloneEnd, 'grants'>,
): readonly string[] =>
  grants.some((grant) => /\bALL PRIVILEGES ON \*\.\*/i.test(grant))
    ? []
    : cloneGrants[end].filter(
        (name) => !grants.some((grant) => new RegExp(`\\b${name}\\b.* ON \\*\\.\\*`, 'i').test(grant)),
      )

/** Tables whose rows the plugin leaves behind: it copies InnoDB. These engines hold no rows, or none after a restart. */
export const looseTables =
  "SELECT CONCAT(TABLE_SCHEMA, '.', TABLE_NAME, ' (', ENGINE, ')') AS named FROM information_schema.TABLES " +
  `WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT IN (${systemSchemas}) ` +
  "AND ENGINE NOT IN ('InnoDB', 'MEMORY', 'BLACKHOLE', 'FEDERATED', 'MRG_MYISAM') LIMIT 3"

export const installClone = "INSTALL PLUGIN clone SONAME 'mysql_clone.so'"

/** Events of a copy of the primary must not run before they are told that they are on a replica. */
export const prepareClone = (donor: ServerAddress, { eventScheduler }: CloneEnd): readonly Statement[] => [
  { sql: 'SET GLOBAL clone_valid_donor_list = ?', values: [`${donor.host}:${donor.port}`] },
  ...(eventScheduler ? [{ sql: 'SET PERSIST event_scheduler = OFF', values: [] }] : []),
]

/** The server shows no statement with this password: neither its process list nor its logs hold the text. */
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

/** The server cannot start itself anew: it has ended, with the copy complete. */
export const CANNOT_RESTART = 3707
/** Another copy has not ended yet. */
export const CLONE_BUSY = 3634

export const cloneProgress =
  'SELECT SUM(DATA) AS copied, SUM(ESTIMATE) AS needed FROM performance_schema.clone_progress'

export const cloneStatus =
  'SELECT STATE AS state, ERROR_MESSAGE AS error, GTID_EXECUTED AS position FROM performance_schema.clone_status'

export const eventsToDisable =
  "SELECT EVENT_SCHEMA AS s, EVENT_NAME AS name, DEFINER AS definer FROM information_schema.EVENTS WHERE STATUS = 'ENABLED'"

/**
 * What a server that has become a copy is told, `was` being what it was when it was empty: to forget the donor's source,
 * that events of a primary stand on a replica now (as replication would have made them; who defined one stays who did),
 * and what was set for the copy alone.
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
