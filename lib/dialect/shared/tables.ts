// User tables of a server, and how they are rebuilt: the same on every flavour.
import { quoteIdentifier } from '../statement/quote.js'
import type { Statement } from '../statement/statement.js'

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
