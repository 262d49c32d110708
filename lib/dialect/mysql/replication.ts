// MySQL's replication statements. The channel's name is a value; '' is the default channel.
// https://dev.mysql.com/doc/refman/8.4/en/change-replication-source-to.html
import { formatSet, type GtidSet } from '../../model/server/gtid.js'
import type { Capabilities, SourceTarget } from '../shared/dialect/dialect.js'
import { fileOptions } from '../shared/probe/source-files.js'
import type { Statement } from '../statement/statement.js'
import { command, option } from './names.js'

export type ChannelStatements = (capabilities: Capabilities, channel: string) => readonly Statement[]

const onChannel =
  (text: string): ChannelStatements =>
  (capabilities, channel) => [{ sql: `${command(capabilities, text)} FOR CHANNEL ?`, values: [channel] }]

export const stopReceiving = onChannel('STOP REPLICA IO_THREAD')
export const startReceiving = onChannel('START REPLICA IO_THREAD')
export const stopReplication = onChannel('STOP REPLICA')
export const startReplication = onChannel('START REPLICA')
export const forgetSource = onChannel('RESET REPLICA ALL')

/** A former primary needs no special option: its local transactions are in gtid_executed. */
export function changeSource(capabilities: Capabilities, channel: string, source: SourceTarget): readonly Statement[] {
  const settings: readonly (readonly [name: string, value: string | number])[] = [
    ['SOURCE_HOST', source.host],
    ['SOURCE_PORT', source.port],
    ['SOURCE_USER', source.user],
    ['SOURCE_PASSWORD', source.password],
    ['SOURCE_HEARTBEAT_PERIOD', source.heartbeatSeconds],
    ['SOURCE_CONNECT_RETRY', Math.max(1, Math.round(source.connectRetrySeconds))],
    ['SOURCE_DELAY', Math.round(source.delaySeconds)],
    ['SOURCE_SSL', source.tls ? 1 : 0],
    ...fileOptions(source.tlsFiles).map(([name, value]) => [`SOURCE_${name}`, value] as const),
    ['GET_SOURCE_PUBLIC_KEY', 1],
    ['SOURCE_AUTO_POSITION', 1],
  ]
  const list = settings.map(([name]) => `${option(capabilities, name)} = ?`).join(', ')
  const change = capabilities.changeSource ? 'CHANGE REPLICATION SOURCE TO' : 'CHANGE MASTER TO'
  return [{ sql: `${change} ${list} FOR CHANNEL ?`, values: [...settings.map(([, value]) => value), channel] }]
}

/** gtid_executed covers applied and logged transactions: both are reset together. */
export const forgetHistory = (capabilities: Capabilities): readonly Statement[] => [
  { sql: capabilities.binaryLogStatus ? 'RESET BINARY LOGS AND GTIDS' : 'RESET MASTER', values: [] },
]

/** Only allowed while gtid_executed is empty: a new copy. */
export const setReplicaPosition = (position: string): readonly Statement[] => [
  { sql: 'SET GLOBAL gtid_purged = ?', values: [position] },
]

export const writtenPosition = (): Statement => ({ sql: 'SELECT @@GLOBAL.gtid_executed AS position', values: [] })

/** A timeout of 0 would wait indefinitely. */
export const waitApplied = (position: string, timeoutSeconds: number): Statement => ({
  sql: 'SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?) = 0 AS reached',
  values: [position, Math.max(0.001, timeoutSeconds)],
})

export const positionText = (set: GtidSet): string => formatSet(set)
