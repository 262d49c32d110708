// Statements of upkeep that both flavours spell alike: digests, logs, the limit of slow statements, the purge.

import type { Statement } from '../statement/statement.js'
import { plain } from './locks.js'

export const setSlowLimit = (seconds: number): readonly Statement[] => [
  { sql: 'SET GLOBAL long_query_time = ?', values: [seconds] },
]

/** Column seconds. */
export const slowLimit = plain('SELECT @@GLOBAL.long_query_time AS seconds')

/** Forgets every digest and sample, and notes when. */
export const resetDigests: readonly Statement[] = [
  plain('SET @manager_reset_at = NOW()'),
  plain('TRUNCATE TABLE performance_schema.events_statements_summary_by_digest'),
  plain('TRUNCATE TABLE performance_schema.events_statements_history_long'),
]

/** In the same session: column older, digests from before the reset; and whether there is anything to reset. */
export const olderDigests = plain(
  'SELECT COUNT(*) AS older FROM performance_schema.events_statements_summary_by_digest ' +
    'WHERE FIRST_SEEN < @manager_reset_at',
)

/** Column instrumented. */
export const isInstrumented = plain('SELECT @@GLOBAL.performance_schema AS instrumented')

/** Of this server alone: replicas do not follow. */
export const flushLogs = plain('FLUSH NO_WRITE_TO_BINLOG LOGS')

/** Column length: versions of rows that are kept for readers that began before they changed. */
export const purgeLength = plain(
  "SELECT COUNT AS length FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'",
)

/** The oldest open transaction, which the purge waits for: columns id, since. */
export const oldestTransaction = plain(
  'SELECT trx_mysql_thread_id AS id, trx_started AS since FROM information_schema.INNODB_TRX ' +
    'ORDER BY trx_started LIMIT 1',
)
