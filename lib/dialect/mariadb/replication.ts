// MariaDB's replication statements. The channel's name is a value; '' is the default connection.
// https://mariadb.com/kb/en/change-master-to/
import type { Capabilities, SourceTarget } from '../shared/dialect/dialect.js'
import { fileOptions } from '../shared/probe/source-files.js'
import type { Statement } from '../statement/statement.js'

const onChannel = (before: string, channel: string, after = ''): readonly Statement[] => [
  { sql: `${before} ?${after}`, values: [channel] },
]

export const stopReceiving = (channel: string) => onChannel('STOP SLAVE', channel, ' IO_THREAD')

export const startReceiving = (channel: string) => onChannel('START SLAVE', channel, ' IO_THREAD')

export const stopReplication = (channel: string) => onChannel('STOP SLAVE', channel)

export const startReplication = (channel: string) => onChannel('START SLAVE', channel)

export const forgetSource = (channel: string) => onChannel('RESET SLAVE', channel, ' ALL')

export const forgetHistory = (): readonly Statement[] => [
  { sql: 'RESET MASTER', values: [] },
  { sql: "SET GLOBAL gtid_slave_pos = ''", values: [] },
]

/** Before 10.10 a former primary uses `current_pos`: its local transactions count as replicated. */
export function changeSource(capabilities: Capabilities, channel: string, source: SourceTarget): readonly Statement[] {
  const byPosition = source.demote && !capabilities.demoteToReplica ? 'current_pos' : 'slave_pos'
  const demoted = source.demote && capabilities.demoteToReplica ? ', MASTER_DEMOTE_TO_SLAVE = 1' : ''
  const files = fileOptions(source.tlsFiles)
  return [
    {
      sql:
        'CHANGE MASTER ? TO MASTER_HOST = ?, MASTER_PORT = ?, MASTER_USER = ?, MASTER_PASSWORD = ?, ' +
        'MASTER_HEARTBEAT_PERIOD = ?, MASTER_CONNECT_RETRY = ?, MASTER_DELAY = ?, MASTER_SSL = ?, ' +
        files.map(([name]) => `MASTER_${name} = ?, `).join('') +
        `MASTER_USE_GTID = ${byPosition}${demoted}`,
      values: [
        channel,
        source.host,
        source.port,
        source.user,
        source.password,
        source.heartbeatSeconds,
        Math.max(1, Math.round(source.connectRetrySeconds)),
        Math.round(source.delaySeconds),
        source.tls ? 1 : 0,
        ...files.map(([, value]) => value),
      ],
    },
  ]
}

export const setReplicaPosition = (position: string): readonly Statement[] => [
  { sql: 'SET GLOBAL gtid_slave_pos = ?', values: [position] },
]

export const writtenPosition = (): Statement => ({ sql: 'SELECT @@GLOBAL.gtid_binlog_pos AS position', values: [] })

/** A global statement time limit must not end the wait, hence the separate limit. */
export const waitApplied = (position: string, timeoutSeconds: number): Statement => ({
  sql: 'SET STATEMENT max_statement_time = 0 FOR SELECT MASTER_GTID_WAIT(?, ?) = 0 AS reached',
  values: [position, timeoutSeconds],
})
