// MySQL's read-only state, semi-synchronous switches and locks.

import { boundLockWaits, plain } from '../shared/control/locks.js'
import type { Capabilities, SemiSyncSides } from '../shared/dialect/dialect.js'
import type { Statement } from '../statement/statement.js'
import { semiSync } from './names.js'

/** `super_read_only` includes `read_only`; `read_only` off disables both. */
export const setReadOnly = (on: boolean, waitSeconds?: number): readonly Statement[] => [
  ...(waitSeconds === undefined ? [] : [boundLockWaits(waitSeconds)]),
  plain(on ? 'SET GLOBAL super_read_only = 1' : 'SET GLOBAL read_only = 0'),
]

/**
 * Ends the text where it stands.
 * https://dev.mysql.com/doc/refman/8.4/en/performance-schema-replication-connection-status-table.html
 */
export const refuseReplicating = (channel: string): readonly Statement[] => [
  {
    sql:
      'SELECT POW(10, IF((SELECT COUNT(*) FROM performance_schema.replication_connection_status ' +
      "WHERE CHANNEL_NAME = ? AND SERVICE_STATE <> 'OFF') > 0, 1000, 1)) AS free",
    values: [channel],
  },
]

/** The wait is set before the source side is enabled: no commit is acknowledged by the old one. */
export function setSemiSync(capabilities: Capabilities, sides: SemiSyncSides): readonly Statement[] {
  const { source, replica } = capabilities.semiSyncSides
  const wait = source && sides.timeoutMs !== undefined ? setWait(capabilities, sides.timeoutMs) : []
  return [
    ...wait,
    ...setSourceSide(capabilities, sides.source),
    ...(replica ? [set(semiSync(capabilities, 'rpl_semi_sync_replica_enabled'), sides.replica)] : []),
  ]
}

const setWait = (capabilities: Capabilities, timeoutMs: number): readonly Statement[] => [
  plain(`SET GLOBAL ${semiSync(capabilities, 'rpl_semi_sync_source_wait_point')} = AFTER_SYNC`),
  set(semiSync(capabilities, 'rpl_semi_sync_source_wait_no_replica'), true),
  plain(`SET GLOBAL ${semiSync(capabilities, 'rpl_semi_sync_source_timeout')} = ${timeoutMs}`),
]

/** Commits stop waiting when the source side is disabled; killing their sessions does not stop the wait. */
export const releaseCommits = (capabilities: Capabilities): readonly Statement[] => setSourceSide(capabilities, false)

const setSourceSide = (capabilities: Capabilities, on: boolean): readonly Statement[] =>
  capabilities.semiSyncSides.source ? [set(semiSync(capabilities, 'rpl_semi_sync_source_enabled'), on)] : []

const set = (name: string, on: boolean): Statement => plain(`SET GLOBAL ${name} = ${on ? 1 : 0}`)

export const flushTables = (waitSeconds: number): readonly Statement[] => [
  boundLockWaits(waitSeconds),
  plain('FLUSH NO_WRITE_TO_BINLOG TABLES'),
]

export const globalReadLock = (waitSeconds: number): readonly Statement[] => [
  boundLockWaits(waitSeconds),
  plain('FLUSH TABLES WITH READ LOCK'),
]
