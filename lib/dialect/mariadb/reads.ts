// MariaDB's reads on request, 10.6 to 11.8.

import { errorLogFiles } from '../reads/error-log.js'
import { maskColumn } from '../reads/mask.js'
import { ask, askFor, LONGEST_TEXT, type ReadBounds, type ReadStep, type ServerRead } from '../reads/read.js'
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
import { globalStatus, globalVariables } from '../shared/probe/slow.js'

export const reads: Readonly<Record<ServerRead, (bounds: ReadBounds) => ReadStep>> = {
  status: () => askFor(globalStatus()),
  variables: () => askFor(globalVariables()),
  processlist: ({ rows, idle }) =>
    ask(
      'SELECT ID AS id, USER AS user, HOST AS host, DB AS db, COMMAND AS command, TIME AS time, TIME_MS AS time_ms, ' +
        `STATE AS state, LEFT(INFO, ${LONGEST_TEXT}) AS info, PROGRESS AS progress, EXAMINED_ROWS AS rows_examined ` +
        `FROM information_schema.PROCESSLIST ${idle ? '' : "WHERE COMMAND <> 'Sleep' "}` +
        "ORDER BY COMMAND = 'Sleep', TIME_MS DESC LIMIT ?",
      [rows],
      maskColumn('info'),
    ),
  'source-status': () => askFor(plain('SHOW MASTER STATUS')),
  'replica-status': () => askFor(plain('SHOW ALL SLAVES STATUS')),
  'engine-status': engineStatus,
  tables,
  schemas,
  'metadata-locks': ({ rows }) =>
    ask(
      'SELECT THREAD_ID AS thread_id, LOCK_MODE AS lock_mode, LOCK_DURATION AS lock_duration, ' +
        'LOCK_TIME_MS AS lock_time_ms, LOCK_TYPE AS lock_type, TABLE_CATALOG AS lock_catalog, ' +
        'TABLE_SCHEMA AS lock_schema, TABLE_NAME AS lock_name FROM information_schema.METADATA_LOCK_INFO ' +
        'WHERE THREAD_ID <> CONNECTION_ID() LIMIT ?',
      [rows],
    ),
  'lock-waits': ({ rows }) =>
    ask(
      `SELECT ${lockWaitColumns}, l.lock_mode AS lock_mode, l.lock_table AS lock_table, l.lock_index AS lock_index, ` +
        'wp.USER AS waiting_user, wp.HOST AS waiting_host, bp.USER AS blocking_user, bp.HOST AS blocking_host ' +
        'FROM information_schema.INNODB_LOCK_WAITS w ' +
        'JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id ' +
        'JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id ' +
        'LEFT JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id ' +
        'LEFT JOIN information_schema.PROCESSLIST wp ON wp.ID = r.trx_mysql_thread_id ' +
        'LEFT JOIN information_schema.PROCESSLIST bp ON bp.ID = b.trx_mysql_thread_id ' +
        'ORDER BY r.trx_wait_started LIMIT ?',
      [rows],
      maskColumn('waiting_statement', 'blocking_statement'),
    ),
  'response-times': ({ rows }) =>
    ask(
      'SELECT TRIM(TIME) AS time, COUNT AS count, TRIM(TOTAL) AS total FROM information_schema.QUERY_RESPONSE_TIME LIMIT ?',
      [rows],
    ),
  digests: ({ rows }) =>
    withPerformanceSchema(
      ask(
        `SELECT d.*, h.statement FROM (SELECT ${digestColumns} FROM ${digestSource}) d LEFT JOIN ` +
          `(SELECT DIGEST AS sampled, MAX(LEFT(SQL_TEXT, ${LONGEST_TEXT})) AS statement ` +
          'FROM performance_schema.events_statements_history_long WHERE DIGEST IS NOT NULL GROUP BY DIGEST) h ' +
          'ON h.sampled = d.digest ORDER BY d.seconds DESC',
        [rows],
        maskColumn('statement'),
      ),
    ),
  'slow-queries': slowQueries,
  'error-log': errorLogFiles,
}

/** Meaning of a refused read, by the server's error number. */
export const readRefusals: Readonly<Partial<Record<ServerRead, Readonly<Record<number, string>>>>> = {
  'metadata-locks': { 1109: "the plugin METADATA_LOCK_INFO is not installed: INSTALL SONAME 'metadata_lock_info'" },
  'response-times': { 1109: "the plugin QUERY_RESPONSE_TIME is not installed: INSTALL SONAME 'query_response_time'" },
}

/** Session settings for reads: no statement exceeds the time limit, waits for a lock, writes, or is logged as slow. */
export const readSession = (limitMs: number): string =>
  `SET SESSION max_statement_time=${limitMs / 1_000}, lock_wait_timeout=1, innodb_lock_wait_timeout=1, ` +
  'long_query_time=31536000; SET SESSION TRANSACTION READ ONLY'
