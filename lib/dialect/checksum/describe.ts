// A table as its checksum needs it: columns, a unique key that orders its rows, and a text that is equal where tables can be compared.
import type {
  KeyColumn,
  KeyKind,
  SummedColumn,
  TableKey,
  TableName,
  TableShape,
} from '../../model/checksum/checksum.js'
import { numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'

const systemSchemas = ['mysql', 'sys', 'information_schema', 'performance_schema']

/** Rows of `schema_name`, `table_name`, in this order; views and the tables of the system aside. `besides`: schemas that are left out. */
export const listTables = (besides: readonly string[]): Statement => ({
  sql:
    'SELECT TABLE_SCHEMA AS schema_name, TABLE_NAME AS table_name FROM information_schema.TABLES ' +
    "WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA NOT IN (?) ORDER BY schema_name, table_name",
  values: [[...systemSchemas, ...besides]],
})

export const parseTables = (rows: Rows): readonly TableName[] =>
  rows.map((row) => ({ schema: textIn(row, 'schema_name'), table: textIn(row, 'table_name') }))

/** One table each: by both names the server opens no other. */
export const describeColumns = ({ schema, table }: TableName): Statement => ({
  sql:
    'SELECT COLUMN_NAME AS name, LOWER(DATA_TYPE) AS type, COLUMN_TYPE AS full_type, IS_NULLABLE AS nullable, EXTRA AS extra, ' +
    "COALESCE(CHARACTER_SET_NAME, '') AS charset, COALESCE(COLLATION_NAME, '') AS collation_name " +
    'FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION',
  values: [schema, table],
})

export const describeKeys = ({ schema, table }: TableName): Statement => ({
  sql:
    'SELECT INDEX_NAME AS index_name, COLUMN_NAME AS name, SUB_PART AS part FROM information_schema.STATISTICS ' +
    'WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX',
  values: [schema, table],
})

/** Column engine. */
export const describeEngine = ({ schema, table }: TableName): Statement => ({
  sql: 'SELECT ENGINE AS engine FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
  values: [schema, table],
})

/** The answers of the three statements above; undefined: there is no such table. */
export function parseShape(
  name: TableName,
  { columns, keys, engine: [engine = {}] }: { readonly columns: Rows; readonly keys: Rows; readonly engine: Rows },
): TableShape | undefined {
  if (columns.length === 0) return undefined
  const key = chooseKey(columns, keys)
  return {
    ...{ schema: name.schema, table: name.table },
    // What is computed when it is read follows from the other columns.
    columns: columns.filter((row) => !/VIRTUAL/i.test(textIn(row, 'extra'))).map(columnOf),
    ...(key ? { key } : {}),
    definition: columns.map(definitionOf).join(', '),
    transactional: /^(innodb|rocksdb)$/i.test(textIn(engine, 'engine')),
  }
}

const columnOf = (row: Rows[number]): SummedColumn => ({
  name: textIn(row, 'name'),
  type: textIn(row, 'type'),
  generated: isGenerated(row),
  charset: /^\w+$/.test(textIn(row, 'charset')) ? textIn(row, 'charset') : '',
})

/** MySQL marks a default that is an expression as DEFAULT_GENERATED: such a column is written as any other. */
const isGenerated = (row: Rows[number]): boolean =>
  /\b(STORED|VIRTUAL|PERSISTENT)( GENERATED)?\b/i.test(textIn(row, 'extra'))

/** Some versions print the width of integers, some do not: `int(11)` and `int` are the same. */
const definitionOf = (row: Rows[number]): string =>
  [
    textIn(row, 'name'),
    textIn(row, 'full_type').replace(/^((?:tiny|small|medium|big)?int|year)\(\d+\)/i, '$1'),
    textIn(row, 'collation_name'),
  ]
    .filter((part) => part !== '')
    .join(' ')

/** The primary key, else a unique key without NULL, else any unique key; only of columns whose order the predicates can follow. */
function chooseKey(columns: Rows, keys: Rows): TableKey | undefined {
  const indexes = [...new Set(keys.map((row) => textIn(row, 'index_name')))]
  const usable = indexes.flatMap((index): readonly TableKey[] => {
    const parts = keys.filter((row) => textIn(row, 'index_name') === index)
    const found = parts.map((part) => keyColumnOf(part, columns))
    return found.every((column) => column !== undefined) ? [{ index, columns: found }] : []
  })
  const isNullable = ({ columns: parts }: TableKey) => parts.some(({ nullable }) => nullable)
  return (
    usable.find(({ index }) => index === 'PRIMARY') ?? usable.find((key) => !isNullable(key)) ?? usable.find(isNullable)
  )
}

function keyColumnOf(part: Rows[number], columns: Rows): KeyColumn | undefined {
  const row = columns.find((column) => textIn(column, 'name') === textIn(part, 'name'))
  // Of an expression there is no name; the key of a prefix does not order whole values.
  if (!row || numberIn(part, 'part') > 0 || isGenerated(row)) return undefined
  const kind = kindOf(textIn(row, 'type'), textIn(row, 'charset'))
  return kind && { name: textIn(row, 'name'), kind, nullable: textIn(row, 'nullable') === 'YES' }
}

/** Floating-point values are not compared: their text is not their value. */
function kindOf(type: string, charset: string): KeyKind | undefined {
  if (/^(tinyint|smallint|mediumint|int|integer|bigint|decimal|numeric|year)$/.test(type)) return 'number'
  if (/^(enum|set|bit)$/.test(type)) return 'ordinal'
  if (/^(char|varchar|tinytext|text|mediumtext|longtext)$/.test(type)) return charset === 'binary' ? 'binary' : 'text'
  if (/^(binary|varbinary|tinyblob|blob|mediumblob|longblob)$/.test(type)) return 'binary'
  return /^(date|time|datetime|timestamp|uuid|inet4|inet6)$/.test(type) ? 'quoted' : undefined
}
