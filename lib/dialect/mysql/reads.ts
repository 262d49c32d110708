// Reads on request of MySQL 8.0 to 9.x and Percona Server.

import { errorLogTable } from '../reads/error-log.js'
import { maskColumn } from '../reads/mask.js'
import { ask, askFor, LONGEST_TEXT, type ReadBounds, type ReadStep, refuse, type ServerRead } from '../reads/read.js'
import {
  digestColumns,
  digestSource,
  engineStatus,
  lockWaitColumns,
  schemas,
  tables,
  withPerformanceSchema,
} from '../reads/shared.js'
import { slowQueries } from '../reads/slow-log.js'
import { plain } from '../shared/control/locks.js'
import type { Capabilities } from '../shared/dialect/dialect.js'
import { globalStatus, globalVariables } from '../shared/probe/slow.js'
import { command } from './names.js'

export const reads = (capabilities: Capabilities): Readonly<Record<ServerRead, (bounds: ReadBounds) => ReadStep>> => ({
  status: () => askFor(globalStatus()),
  variables: () => askFor(globalVariables()),
  processlist: ({ rows, idle }) =>
    ask(
      'SELECT ID AS id, USER AS user, HOST AS host, DB AS db, COMMAND AS command, TIME AS time, STATE AS state, ' +
        `LEFT(INFO, ${LONGEST_TEXT}) AS info FROM ${processTable(capabilities)} ` +
        `${idle ? '' : "WHERE COMMAND <> 'Sleep' "}ORDER BY COMMAND = 'Sleep', TIME DESC LIMIT ?`,
      [rows],
      maskColumn('info'),
    ),
  'source-status': () => askFor(plain(capabilities.binaryLogStatus ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS')),
  'replica-status': () => askFor(plain(command(capabilities, 'SHOW REPLICA STATUS'))),
  'engine-status': engineStatus,
  tables,
  schemas,
  'metadata-locks': ({ rows }) =>
    withPerformanceSchema(
      ask(
        'SELECT t.PROCESSLIST_ID AS thread_id, m.LOCK_TYPE AS lock_mode, m.LOCK_DURATION AS lock_duration, ' +
          "NULL AS lock_time_ms, m.OBJECT_TYPE AS lock_type, 'def' AS lock_catalog, m.OBJECT_SCHEMA AS lock_schema, " +
          'm.OBJECT_NAME AS lock_name FROM performance_schema.metadata_locks m ' +
          'JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID ' +
          'WHERE t.PROCESSLIST_ID <> CONNECTION_ID() LIMIT ?',
        [rows],
      ),
    ),
  'lock-waits': ({ rows }) =>
    withPerformanceSchema(
      ask(
        `SELECT ${lockWaitColumns}, l.LOCK_MODE AS lock_mode, ` +
          "CONCAT('`', l.OBJECT_SCHEMA, '`.`', l.OBJECT_NAME, '`') AS lock_table, l.INDEX_NAME AS lock_index, " +
          'wt.PROCESSLIST_USER AS waiting_user, wt.PROCESSLIST_HOST AS waiting_host, ' +
          'bt.PROCESSLIST_USER AS blocking_user, bt.PROCESSLIST_HOST AS blocking_host ' +
          'FROM performance_schema.data_lock_waits w ' +
          'JOIN information_schema.INNODB_TRX r ON r.trx_id = w.REQUESTING_ENGINE_TRANSACTION_ID ' +
          'JOIN information_schema.INNODB_TRX b ON b.trx_id = w.BLOCKING_ENGINE_TRANSACTION_ID ' +
          'LEFT JOIN performance_schema.data_locks l ON l.ENGINE_LOCK_ID = w.REQUESTING_ENGINE_LOCK_ID ' +
          'AND l.ENGINE = w.ENGINE ' +
          'LEFT JOIN performance_schema.threads wt ON wt.PROCESSLIST_ID = r.trx_mysql_thread_id ' +
          'LEFT JOIN performance_schema.threads bt ON bt.PROCESSLIST_ID = b.trx_mysql_thread_id ' +
          'ORDER BY r.trx_wait_started LIMIT ?',
        [rows],
        maskColumn('waiting_statement', 'blocking_statement'),
      ),
    ),
  'response-times': () => withPerformanceSchema(histogram),
  digests: ({ rows }) =>
    withPerformanceSchema(
      ask(
        `SELECT ${digestColumns}, LEFT(QUERY_SAMPLE_TEXT, ${LONGEST_TEXT}) AS statement FROM ${digestSource}`,
        [rows],
        maskColumn('statement'),
      ),
    ),
  'slow-queries': slowQueries,
  'error-log': (bounds) =>
    capabilities.performanceProcessList // came with the same version
      ? errorLogTable(bounds)
      : refuse('its error log is in a file only: performance_schema.error_log came with 8.0.22'),
})

/** Times as in MariaDB's plugin: decades of seconds. Values within one are counted with the middle of its bucket. */
const histogram = ask(
  'SELECT CAST(POW(10, b.power) AS DECIMAL(14, 6)) AS time, SUM(b.statements) AS count, SUM(b.seconds) AS total FROM (' +
    'SELECT GREATEST(-6, LEAST(6, CEIL(LOG10(BUCKET_TIMER_HIGH / 1e12)))) AS power, COUNT_BUCKET AS statements, ' +
    'COUNT_BUCKET * (BUCKET_TIMER_LOW / 2 + BUCKET_TIMER_HIGH / 2) / 1e12 AS seconds ' +
    'FROM performance_schema.events_statements_histogram_global) b GROUP BY b.power ORDER BY b.power',
)

export const processTable = ({ performanceProcessList }: Capabilities): string =>
  `${performanceProcessList ? 'performance_schema' : 'information_schema'}.processlist`

/**
 * Session settings for reads: no statement waits for a lock, writes, or is logged as slow, and no SELECT exceeds the time limit.
 * Table statistics come from the dictionary, whatever their age: refreshing them would open the tables.
 */
export const readSession = (limitMs: number): string =>
  `SET SESSION max_execution_time=${limitMs}, lock_wait_timeout=1, innodb_lock_wait_timeout=1, ` +
  'long_query_time=31536000, information_schema_stats_expiry=31536000; SET SESSION TRANSACTION READ ONLY'
