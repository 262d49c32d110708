// What one word or sentence says of a server's replication: the health text and the tags of its settings.
import { textOf } from '../../../../lib/model/server/named.js'
import type { Channel } from '../../../../lib/model/server/reading.js'
import { mainChannel, type ServerSnapshot } from '../../../../lib/model/snapshot.js'

/** Text of `replicationHealth`. */
export function healthText(server: ServerSnapshot, inFailover: boolean): string {
  if (server.maintenance) return 'Maintenance'
  if (server.stateName === 'failed') return 'Failed'
  const place = server.state?.galera?.state
  if (place !== undefined) return place === 'synced' && server.observation === 'answered' ? 'Galera OK' : 'Galera Late'
  if (server.role === 'primary') return inFailover ? 'In Failover' : 'Master OK'
  const channel = mainChannel(server)
  return channel ? channelText(channel, server) : 'Not a slave'
}

function channelText(channel: Channel, server: ServerSnapshot): string {
  if (channel.io === 'stopped' && channel.sql === 'stopped') return 'NOT OK, ALL Stopped'
  if (channel.io === 'stopped') return `NOT OK, IO Stopped (${channel.ioError.code})`
  if (channel.sql === 'stopped') return `NOT OK, SQL Stopped (${channel.sqlError.code})`
  if (channel.io === 'connecting') return 'NOT OK, IO Connecting'
  const late = server.stateName === 'replica-late' || server.stateName === 'relay-late' || (channel.lagSeconds ?? 0) > 0
  return late ? 'Behind master' : 'Running OK'
}

const on = (value: string | undefined): boolean => value === 'ON' || value === '1' || value === 'YES'

/** A tag is shown when its variable has one of the values; 'on' and 'off' take every spelling of a boolean. */
const variableTags: readonly (readonly [tag: string, variable: string, value: string])[] = [
  ['IDEMPOTENT', 'slave_exec_mode', 'IDEMPOTENT'],
  ['OPTIMISTIC', 'slave_parallel_mode', 'optimistic'],
  ['AGFRESSIVE', 'slave_parallel_mode', 'aggressive'],
  ['AGGRESSIVE', 'slave_parallel_mode', 'aggressive'],
  ['MINIMAL', 'slave_parallel_mode', 'minimal'],
  ['CONSERVATIVE', 'slave_parallel_mode', 'conservative'],
  ['SERIALIZED', 'slave_parallel_threads', '0'],
  ['ROW', 'binlog_format', 'ROW'],
  ['MIXED', 'binlog_format', 'MIXED'],
  ['STATEMENT', 'binlog_format', 'STATEMENT'],
  ['NO_ANNOTATE', 'binlog_annotate_row_events', 'off'],
  ['COMPRESS', 'log_bin_compress', 'on'],
  ['NO_IN_SLOW_QUERY_LOG', 'log_slow_slave_statements', 'off'],
  ['NO_SYNC', 'sync_binlog', '0'],
  ['WSREP', 'wsrep_on', 'on'],
]

/** Text of `replicationTags`: words separated by blanks. */
export function replicationTags(server: ServerSnapshot): string {
  const { state, slow } = server
  const tags = variableTags.filter(([, name, value]) => holds(textOf(slow?.variables, name), value)).map(([tag]) => tag)
  if (state?.readOnly) tags.unshift('READ_ONLY')
  if (state?.eventScheduler) tags.push('SCHEDULER')
  if (state && !state.binlog) tags.push('NO_BINLOG')
  if (state?.binlog && !state.logReplicaUpdates) tags.push('NO_SLAVE_UPDATES')
  if (state?.identity.flavour === 'mariadb') tags.push(state.gtid.strict ? 'GTID_STRICT_MODE' : 'NO_STRICT_MODE')
  if (mainChannel(server)?.usesGtid && state?.identity.flavour === 'mariadb') tags.push('GTID_SLAVE_POS')
  if (Number(textOf(slow?.variables, 'relay_log_space_limit') ?? 0) > 0) tags.push('RELAY_LOG_SPACE_LIMIT')
  if (state && state.gtid.domain !== 0) tags.push('GTID_DOMAIN_ID')
  return tags.join(' ')
}

function holds(actual: string | undefined, value: string): boolean {
  if (actual === undefined) return false
  if (value === 'on') return on(actual)
  if (value === 'off') return !on(actual)
  return actual.toLowerCase() === value.toLowerCase()
}

/** Key of the server object → what the variables say. */
const haveVariables: readonly (readonly [key: string, variable: string, value: string])[] = [
  ['haveBinLogSync', 'sync_binlog', '1'],
  ['haveBinlogAnnotate', 'binlog_annotate_row_events', 'on'],
  ['haveBinlogCompress', 'log_bin_compress', 'on'],
  ['haveBinlogMixed', 'binlog_format', 'MIXED'],
  ['haveBinlogRow', 'binlog_format', 'ROW'],
  ['haveBinlogStatement', 'binlog_format', 'STATEMENT'],
  ['haveBinlogSlowqueries', 'log_slow_slave_statements', 'on'],
  ['haveInnodbTrxCommit', 'innodb_flush_log_at_trx_commit', '1'],
  ['haveLogGeneral', 'general_log', 'on'],
  ['havePFS', 'performance_schema', 'on'],
  ['haveSlowQueryLog', 'slow_query_log', 'on'],
  ['haveSlaveAggressive', 'slave_parallel_mode', 'aggressive'],
  ['haveSlaveConservative', 'slave_parallel_mode', 'conservative'],
  ['haveSlaveMinimal', 'slave_parallel_mode', 'minimal'],
  ['haveSlaveOptimistic', 'slave_parallel_mode', 'optimistic'],
  ['haveSlaveSerialized', 'slave_parallel_threads', '0'],
  ['haveSlaveIdempotent', 'slave_exec_mode', 'IDEMPOTENT'],
  ['haveWsrep', 'wsrep_on', 'on'],
]

/** Key of the server object → the plugin whose presence it reports. */
const havePlugins: readonly (readonly [key: string, plugin: string])[] = [
  ['haveDiskMonitor', 'DISKS'],
  ['haveMetaDataLocksLog', 'METADATA_LOCK_INFO'],
  ['haveQueryResponseTimeLog', 'QUERY_RESPONSE_TIME'],
  ['haveSQLErrorLog', 'SQL_ERROR_LOG'],
]

/** The `have*` flags that follow from variables and plugins. */
export function haveFlags({ slow }: ServerSnapshot): Readonly<Record<string, boolean>> {
  const active = new Set(
    slow?.plugins.filter(({ status }) => status === 'ACTIVE').map(({ name }) => name.toUpperCase()),
  )
  return Object.fromEntries([
    ...haveVariables.map(([key, name, value]) => [key, holds(textOf(slow?.variables, name), value)] as const),
    ...havePlugins.map(([key, plugin]) => [key, active.has(plugin)] as const),
  ])
}
