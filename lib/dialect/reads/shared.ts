// Reads that both flavours answer to the same statements.
import { flagIn, numberIn, textIn } from '../statement/rows.js'
import { parseEngineStatus } from './engine-status.js'
import { ask, LONGEST_TEXT, type ReadBounds, type ReadStep, refuse } from './read.js'

const systemSchemas = ['information_schema', 'mysql', 'performance_schema', 'sys', 'ndbinfo']

/** With more tables than this they are not all opened for their sizes. */
const MOST_OPENED = 1_000

/**
 * Sizes of tables, largest first. information_schema reads them by opening every table, so it is used only where they
 * are few; else the largest are read from InnoDB's statistics: one small table, no other is opened.
 */
export const tables = ({ rows }: ReadBounds): ReadStep =>
  ask(
    'SELECT COUNT(*) AS tables FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT IN (?)',
    [systemSchemas],
    ([row = {}]) => (numberIn(row, 'tables') <= MOST_OPENED ? everyTable(rows) : largestTables(rows)),
  )

const everyTable = (rows: number): ReadStep =>
  ask(
    'SELECT TABLE_SCHEMA AS table_schema, TABLE_NAME AS table_name, ENGINE AS engine, TABLE_ROWS AS table_rows, ' +
      'DATA_LENGTH AS data_length, INDEX_LENGTH AS index_length FROM information_schema.TABLES ' +
      "WHERE TABLE_SCHEMA NOT IN (?) AND TABLE_TYPE NOT LIKE '%VIEW' " +
      'ORDER BY DATA_LENGTH + INDEX_LENGTH DESC, TABLE_SCHEMA, TABLE_NAME LIMIT ?',
    [systemSchemas, rows],
  )

/** A partitioned table has a line for each partition: `orders#P#p0`, on newer servers in lower case. */
const largestTables = (rows: number): ReadStep =>
  ask(
    'SELECT s.table_schema, s.table_name, s.engine, s.table_rows, s.data_length, s.index_length FROM (' +
      "SELECT database_name AS table_schema, REGEXP_REPLACE(table_name, '#[Pp]#.*$', '') AS table_name, " +
      "'InnoDB' AS engine, SUM(n_rows) AS table_rows, SUM(clustered_index_size) * @@innodb_page_size AS data_length, " +
      'SUM(sum_of_other_index_sizes) * @@innodb_page_size AS index_length FROM mysql.innodb_table_stats ' +
      'WHERE database_name NOT IN (?) GROUP BY 1, 2) s ORDER BY s.data_length + s.index_length DESC LIMIT ?',
    [systemSchemas, rows],
  )

export const schemas = ({ rows }: ReadBounds): ReadStep =>
  ask(
    'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN (?) ORDER BY SCHEMA_NAME LIMIT ?',
    [systemSchemas, rows],
  )

/** The monitor's text as names and values. */
export const engineStatus = (): ReadStep =>
  ask('SHOW ENGINE INNODB STATUS', [], ([row = {}]) => ({
    type: 'rows',
    rows: parseEngineStatus(textIn(row, 'Status')),
  }))

/** Continues only where the performance schema is on; it can be enabled only at a start. */
export const withPerformanceSchema = (step: ReadStep): ReadStep =>
  ask('SELECT @@GLOBAL.performance_schema AS enabled', [], ([row = {}]) =>
    flagIn(row, 'enabled')
      ? step
      : refuse('performance_schema is OFF: set performance_schema=ON in its configuration and restart it'),
  )

/** Columns of a digest, whichever flavour; times in seconds. */
export const digestColumns =
  `DIGEST AS digest, LEFT(DIGEST_TEXT, ${LONGEST_TEXT}) AS digest_text, SCHEMA_NAME AS schema_name, ` +
  'LAST_SEEN AS last_seen, SUM_NO_INDEX_USED + SUM_NO_GOOD_INDEX_USED AS full_scans, ' +
  'SUM_CREATED_TMP_DISK_TABLES AS tmp_disk, SUM_CREATED_TMP_TABLES AS tmp_tables, COUNT_STAR AS executions, ' +
  'SUM_ERRORS AS errors, SUM_WARNINGS AS warnings, SUM_TIMER_WAIT / 1e12 AS seconds, ' +
  'MAX_TIMER_WAIT / 1e12 AS longest, SUM_ROWS_SENT AS rows_sent, SUM_ROWS_EXAMINED AS rows_examined'

export const digestSource =
  'performance_schema.events_statements_summary_by_digest WHERE DIGEST IS NOT NULL ORDER BY SUM_TIMER_WAIT DESC LIMIT ?'

/** Of a wait for a row lock: who waits, for how long, for whom; `r` requests, `b` blocks. */
export const lockWaitColumns = [
  'r.trx_mysql_thread_id AS waiting_thread',
  `LEFT(r.trx_query, ${LONGEST_TEXT}) AS waiting_statement`,
  'TIMESTAMPDIFF(MICROSECOND, r.trx_wait_started, NOW(6)) DIV 1000 AS waited_ms',
  'b.trx_mysql_thread_id AS blocking_thread',
  `LEFT(b.trx_query, ${LONGEST_TEXT}) AS blocking_statement`,
  'TIMESTAMPDIFF(MICROSECOND, b.trx_started, NOW(6)) DIV 1000 AS blocking_ms',
  'b.trx_rows_modified AS blocking_rows',
].join(', ')
