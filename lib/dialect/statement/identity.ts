// Identification of a server: which one it is, flavour, version and capabilities. Understood by every flavour and version.
import { SECOND } from '../../base/time.js'
import type { ServerInstance } from '../../model/server/instance.js'
import type { ServerIdentity } from '../../model/server/server.js'
import { parseFlavour, parseVersion } from '../../model/server/version.js'
import { numberIn, pairs, textIn } from './rows.js'
import type { Rows, Statement } from './statement.js'

/** Variables that come with plugins or settings; the rest follows from flavour and version. */
const optionalVariables = [
  'rpl_semi_sync_master_enabled',
  'rpl_semi_sync_slave_enabled',
  'rpl_semi_sync_source_enabled',
  'rpl_semi_sync_replica_enabled',
]
const reservedVariables = ['extra_port', 'admin_port', 'admin_address']
const galeraVariables = ['wsrep_on', 'wsrep_provider']
const instanceVariables = ['hostname', 'port', 'datadir', 'server_uuid']

/** One text, three result sets; read once per connection. */
export const identify: Statement = {
  sql:
    'SELECT @@version AS version, @@version_comment AS comment, UNIX_TIMESTAMP() AS clock;' +
    'SHOW GLOBAL VARIABLES WHERE Variable_name IN (?);' +
    "SHOW STATUS LIKE 'Uptime'",
  values: [[...optionalVariables, ...reservedVariables, ...galeraVariables, ...instanceVariables]],
}

/** Parses the answer to `identify`. `uptimeSeconds` is as of that moment. */
export function parseIdentity([software = [], variables = [], status = []]: readonly Rows[]): {
  readonly identity: ServerIdentity
  readonly uptimeSeconds: number
} {
  const [row = {}] = software
  const versionText = textIn(row, 'version')
  const values = pairs(variables)
  const reserved = reservedAddress(values)
  const uptimeSeconds = numberIn(status[0] ?? {}, 'Value')
  const instance = instanceOf(values, (numberIn(row, 'clock') - uptimeSeconds) * SECOND)
  const identity: ServerIdentity = {
    flavour: parseFlavour(versionText, textIn(row, 'comment')),
    version: parseVersion(versionText),
    versionText,
    optionalVariables: optionalVariables.filter((name) => name in values),
    ...(hasGalera(values) ? { galera: true } : {}),
    ...(reserved === undefined ? {} : { reserved }),
    ...(instance ? { instance } : {}),
  }
  return { identity, uptimeSeconds }
}

/** Undefined for what speaks the protocol and does not say which server it is. */
function instanceOf(values: Readonly<Record<string, string>>, startedAt: number): ServerInstance | undefined {
  const { hostname = '', port = '', datadir = '', server_uuid: uuid } = values
  if (datadir === '' || !(startedAt > 0)) return undefined
  return { hostname, port: Number(port), datadir, ...(uuid ? { uuid } : {}), startedAt }
}

/** Where it is built in but unused, there is no provider, or it is off. */
const hasGalera = ({ wsrep_on = 'OFF', wsrep_provider = 'none' }: Readonly<Record<string, string>>): boolean =>
  ['ON', '1'].includes(wsrep_on.toUpperCase()) && !['', 'none'].includes(wsrep_provider.toLowerCase())

/** MariaDB's extra port listens where the main one does; MySQL's admin port only with a separate address. */
function reservedAddress(values: Readonly<Record<string, string>>): ServerIdentity['reserved'] {
  const extraPort = Number(values.extra_port ?? 0)
  if (extraPort > 0) return { port: extraPort }
  const [port, host] = [Number(values.admin_port ?? 0), values.admin_address ?? '']
  return port > 0 && host !== '' ? { port, host } : undefined
}

/**
 * An assignment for SET in a program's own session: it fails (1242, "Subquery returns more than 1 row") on any server but the one of these
 * names, whatever led there. As an initial command it ends the program before it has sent anything else.
 */
export function onThisServerOnly({ hostname, port, datadir, uuid }: ServerInstance): string {
  const names = [
    `@@hostname = ${textOf(hostname)}`,
    `@@port = ${port}`,
    `@@datadir = ${textOf(datadir)}`,
    ...(uuid === undefined ? [] : [`@@server_uuid = ${textOf(uuid)}`]),
  ]
  return `@manager_server = IF(${names.join(' AND ')}, 1, (SELECT 1 UNION SELECT 2))`
}

/** In hexadecimal digits: no mode of a server reads anything else in it. */
const textOf = (text: string): string => (text === '' ? "''" : `0x${Buffer.from(text).toString('hex')}`)
