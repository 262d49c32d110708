// User tables of a server, and how they are rebuilt: the same on every flavour.
import { quoteIdentifier } from '../../statement/quote.js'
import type { Statement } from '../../statement/statement.js'

const systemSchemas = ['mysql', 'sys', 'information_schema', 'performance_schema']

/** Rows of `schema_name`, `table_name`, `bytes`; the smallest first. */
export const listOptimizable: Statement = {
  sql:
    'SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name, COALESCE(DATA_LENGTH + INDEX_LENGTH, 0) AS bytes ' +
    "FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND ENGINE IN (?) AND TABLE_SCHEMA NOT IN (?) " +
    'ORDER BY bytes, schema_name, table_name',
  values: [['InnoDB', 'Aria', 'MyISAM'], systemSchemas],
}

/** Returns rows with `Msg_type` and `Msg_text`; it is not written to the binary log. */
export const optimizeTable = (schema: string, table: string): Statement => ({
  sql: `OPTIMIZE NO_WRITE_TO_BINLOG TABLE ${quoteIdentifier(schema)}.${quoteIdentifier(table)}`,
  values: [],
})

/** The same for the statistics of a table. */
export const analyzeTable = (schema: string, table: string): Statement => ({
  sql: `ANALYZE NO_WRITE_TO_BINLOG TABLE ${quoteIdentifier(schema)}.${quoteIdentifier(table)}`,
  values: [],
})

/** The tables that logs are written to, with their rows; and the tables set aside of each. */
export const listLogTables: Statement = {
  sql:
    'SELECT TABLE_NAME AS name FROM information_schema.TABLES ' +
    "WHERE TABLE_SCHEMA = 'mysql' AND TABLE_NAME REGEXP ? ORDER BY TABLE_NAME",
  values: ['^(slow|general)_log(_[0-9]{8}_[0-9]{6})?$'],
}

/** Column n: 1 when the table has a row. */
export const hasRows = (table: string): Statement => ({
  sql: `SELECT COUNT(*) AS n FROM (SELECT 1 FROM mysql.${quoteIdentifier(table)} LIMIT 1) AS first`,
  values: [],
})

/** An empty table takes its place in one step: no line is lost. In the session nothing is replicated. */
export const setLogTableAside = (table: string, aside: string): readonly Statement[] => {
  const [own, fresh, old] = [table, `${table}_fresh`, aside].map((name) => `mysql.${quoteIdentifier(name)}`)
  return [
    { sql: `DROP TABLE IF EXISTS ${fresh}`, values: [] },
    { sql: `CREATE TABLE ${fresh} LIKE ${own}`, values: [] },
    { sql: `RENAME TABLE ${own} TO ${old}, ${fresh} TO ${own}`, values: [] },
  ]
}

export const dropLogTable = (table: string): Statement => ({
  sql: `DROP TABLE IF EXISTS mysql.${quoteIdentifier(table)}`,
  values: [],
})
