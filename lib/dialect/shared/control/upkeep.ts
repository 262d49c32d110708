// Maintenance statements that both flavours share: digests, logs, the limit of slow statements, the purge.

import type { Statement } from '../../statement/statement.js'
import { plain } from './locks.js'

export const setSlowLimit = (seconds: number): readonly Statement[] => [
  { sql: 'SET GLOBAL long_query_time = ?', values: [seconds] },
]

/** Column seconds. */
export const slowLimit = plain('SELECT @@GLOBAL.long_query_time AS seconds')

/** Resets every digest and sample, and records the time. */
export const resetDigests: readonly Statement[] = [
  plain('SET @manager_reset_at = NOW()'),
  plain('TRUNCATE TABLE performance_schema.events_statements_summary_by_digest'),
  plain('TRUNCATE TABLE performance_schema.events_statements_history_long'),
]

/** In the same session: column older, digests from before the reset; and whether any digest exists. */
export const olderDigests = plain(
  'SELECT COUNT(*) AS older FROM performance_schema.events_statements_summary_by_digest ' +
    'WHERE FIRST_SEEN < @manager_reset_at',
)

/** Column instrumented. */
export const isInstrumented = plain('SELECT @@GLOBAL.performance_schema AS instrumented')

/** On this server only: not replicated. */
export const flushLogs = plain('FLUSH NO_WRITE_TO_BINLOG LOGS')

/** Column length: the history list length (row versions kept for older transactions). */
export const purgeLength = plain(
  "SELECT COUNT AS length FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'",
)

/** The oldest open transaction, which the purge waits for: columns id, since. */
export const oldestTransaction = plain(
  'SELECT trx_mysql_thread_id AS id, trx_started AS since FROM information_schema.INNODB_TRX ' +
    'ORDER BY trx_started LIMIT 1',
)

/** Deletes the binary logs before this one: https://mariadb.com/kb/en/purge-binary-logs/. One that is being read stays. */
export const purgeBinaryLogs = (file: string): Statement => ({ sql: 'PURGE BINARY LOGS TO ?', values: [file] })
