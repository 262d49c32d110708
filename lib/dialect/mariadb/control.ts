// MariaDB's read-only state, semi-synchronous switches and locks.

import { boundLockWaits, plain } from '../shared/control/locks.js'
import type { SemiSyncSides } from '../shared/dialect/dialect.js'
import type { Statement } from '../statement/statement.js'

/** Setting it waits for running commits; holders of READ_ONLY ADMIN still write. */
export const setReadOnly = (on: boolean, waitSeconds?: number): readonly Statement[] => [
  ...(waitSeconds === undefined ? [] : [boundLockWaits(waitSeconds)]),
  plain(`SET GLOBAL read_only = ${on ? 1 : 0}`),
]

/**
 * Ends the text where it stands. The status variable is that of the connection named by the session's default.
 * https://mariadb.com/kb/en/replication-and-binary-log-status-variables/#slave_running
 */
export const refuseReplicating = (channel: string): readonly Statement[] => [
  {
    sql:
      'SET STATEMENT default_master_connection = ? FOR SELECT POW(10, IF((SELECT VARIABLE_VALUE FROM ' +
      "information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'SLAVE_RUNNING') = 'ON', 1000, 1)) AS free",
    values: [channel],
  },
]

/** The wait is set before the source side is enabled: no commit is acknowledged by the old one. */
export const setSemiSync = (sides: SemiSyncSides): readonly Statement[] => [
  ...(sides.timeoutMs === undefined
    ? []
    : [
        plain('SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC'),
        plain('SET GLOBAL rpl_semi_sync_master_wait_no_slave = 1'),
        plain(`SET GLOBAL rpl_semi_sync_master_timeout = ${sides.timeoutMs}`),
      ]),
  plain(`SET GLOBAL rpl_semi_sync_master_enabled = ${sides.source ? 1 : 0}`),
  plain(`SET GLOBAL rpl_semi_sync_slave_enabled = ${sides.replica ? 1 : 0}`),
]

/** Commits stop waiting when the source side is disabled. */
export const releaseCommits: readonly Statement[] = [plain('SET GLOBAL rpl_semi_sync_master_enabled = 0')]

/** Both limits apply: lock waits, and the time for closing tables that are in use. */
export const flushTables = (waitSeconds: number): readonly Statement[] => [
  boundLockWaits(waitSeconds),
  {
    sql: 'SET STATEMENT max_statement_time = ? FOR FLUSH NO_WRITE_TO_BINLOG TABLES',
    values: [Math.max(0.001, waitSeconds)],
  },
]

export const globalReadLock = (waitSeconds: number): readonly Statement[] => [
  boundLockWaits(waitSeconds),
  {
    sql: 'SET STATEMENT max_statement_time = ? FOR FLUSH TABLES WITH READ LOCK',
    values: [Math.max(0.001, waitSeconds)],
  },
]
