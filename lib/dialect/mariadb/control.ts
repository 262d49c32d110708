// MariaDB's read-only state, semi-synchronous switches and locks.
import { boundLockWaits, plain } from '../shared/locks.js'
import type { Statement } from '../statement/statement.js'

/** Setting it waits for running commits; holders of READ_ONLY ADMIN still write. */
export const setReadOnly = (on: boolean, waitSeconds?: number): readonly Statement[] => [
  ...(waitSeconds === undefined ? [] : [boundLockWaits(waitSeconds)]),
  plain(`SET GLOBAL read_only = ${on ? 1 : 0}`),
]

export const setSemiSync = (sides: { readonly source: boolean; readonly replica: boolean }): readonly Statement[] => [
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
