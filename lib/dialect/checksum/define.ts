// The definition of a table as lines `name=value`, in the order of their names: what a scan compares.
import type { TableName } from '../../model/checksum/checksum.js'
import { numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'

/** By both names: no other table is opened, and of this one only its definition. */
export const defineColumns = ({ schema, table }: TableName): Statement => ({
  sql:
    'SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type, IS_NULLABLE AS nullable, COLUMN_DEFAULT AS default_value, EXTRA AS extra, ' +
    "COALESCE(COLLATION_NAME, '') AS collation_name, COALESCE(GENERATION_EXPRESSION, '') AS expression " +
    'FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION',
  values: [schema, table],
})

export const defineIndexes = ({ schema, table }: TableName): Statement => ({
  sql:
    'SELECT INDEX_NAME AS index_name, NON_UNIQUE AS non_unique, COLUMN_NAME AS name, SUB_PART AS part, INDEX_TYPE AS type ' +
    'FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY INDEX_NAME, SEQ_IN_INDEX',
  values: [schema, table],
})

/** No line: there is no such table. */
export function definitionLines(
  { schema, table }: TableName,
  {
    columns,
    indexes,
    engine: [engine = {}],
  }: { readonly columns: Rows; readonly indexes: Rows; readonly engine: Rows },
): readonly string[] {
  if (columns.length === 0) return []
  const head = `${schema}.${table}`
  const lines = [
    `${head} engine=${textIn(engine, 'engine')}`,
    `${head} columns=${columns.map((row) => textIn(row, 'name')).join(', ')}`,
    ...columns.map((row) => `${head} column ${textIn(row, 'name')}=${columnText(row)}`),
    ...[...new Set(indexes.map((row) => textIn(row, 'index_name')))].map(
      (name) => `${head} index ${name}=${indexText(indexes.filter((row) => textIn(row, 'index_name') === name))}`,
    ),
  ].map((line) => line.replace(/\s+/g, ' '))
  return lines.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const nameOf = (line: string): string => line.slice(0, line.indexOf('='))

const columnText = (row: Rows[number]): string => {
  const { default_value: value } = row
  return [
    textIn(row, 'type'),
    textIn(row, 'collation_name'),
    textIn(row, 'nullable') === 'YES' ? 'NULL' : 'NOT NULL',
    value === null || value === undefined ? '' : `DEFAULT ${String(value)}`,
    textIn(row, 'extra'),
    textIn(row, 'expression') === '' ? '' : `AS (${textIn(row, 'expression')})`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const indexText = (rows: Rows): string => {
  const [first = {}] = rows
  const columns = rows.map((row) => {
    const part = numberIn(row, 'part')
    return `${textIn(row, 'name') || '(expression)'}${part > 0 ? `(${part})` : ''}`
  })
  return `${numberIn(first, 'non_unique') === 0 ? 'UNIQUE ' : ''}${textIn(first, 'type')} (${columns.join(', ')})`
}
