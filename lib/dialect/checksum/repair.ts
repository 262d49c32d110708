// Statements that give single rows of a replica the values of the primary: read as texts, written as typed literals.
import type { Condition, SummedColumn, TableKey, TableShape } from '../../model/checksum/checksum.js'
import { quoteIdentifier } from '../statement/quote.js'
import { numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'
import { conditionSql, keyText } from './literal.js'
import { rowDigest, tableOf } from './sums.js'

/** A row as it is read for a repair: its digest, and the text of each value; null is NULL. */
export interface RowValues {
  readonly key: readonly (string | null)[]
  readonly digest: string
  readonly values: readonly (string | null)[]
}

/** Nothing is written to the binary log: no other server is meant, and no GTID of the replica's own comes into being. */
export const repairSession = (lockSeconds: number): string =>
  "SET NAMES utf8mb4; SET SESSION sql_log_bin = 0, foreign_key_checks = 0, time_zone = '+00:00', sql_mode = '', " +
  `lock_wait_timeout = ${lockSeconds}, innodb_lock_wait_timeout = ${lockSeconds}`

/** Column n: triggers of the table, which a write on the replica would fire. */
export const countTriggers = ({ schema, table }: Pick<TableShape, 'schema' | 'table'>): Statement => ({
  sql: 'SELECT COUNT(*) AS n FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?',
  values: [schema, table],
})

export const parseCount = ([row = {}]: Rows): number => numberIn(row, 'n')

/** Columns k0, k1, …, digest, c0, c1, … of the rows of a condition; `locked`: they and the gaps between them until the end of the transaction. */
export const readRows = (
  shape: TableShape,
  key: TableKey,
  { condition, locked }: { readonly condition: Condition; readonly locked: boolean },
): Statement => ({
  sql:
    `SELECT ${key.columns.map((column, index) => `${keyText(column)} AS k${index}`).join(', ')}, ` +
    `${rowDigest(shape)} AS digest, ${writable(shape)
      .map((column, index) => `${textOf(column)} AS c${index}`)
      .join(', ')} ` +
    `FROM ${tableOf(shape)} FORCE INDEX (${quoteIdentifier(key.index)}) ` +
    `WHERE ${conditionSql(condition, key.columns)}${locked ? ' FOR UPDATE' : ''}`,
  values: [],
})

export const parseRowValues = (shape: TableShape, key: TableKey, rows: Rows): readonly RowValues[] =>
  rows.map((row) => ({
    key: key.columns.map((_, index) => valueIn(row, `k${index}`)),
    digest: textIn(row, 'digest'),
    values: writable(shape).map((_, index) => valueIn(row, `c${index}`)),
  }))

const valueIn = (row: Rows[number], column: string): string | null => {
  const value = row[column]
  return value === null || value === undefined ? null : String(value)
}

export const deleteRows = (shape: TableShape, key: TableKey, condition: Condition): Statement => ({
  sql: `DELETE FROM ${tableOf(shape)} WHERE ${conditionSql(condition, key.columns)}`,
  values: [],
})

/** A row that has the value of another unique key goes: on the primary that value belongs to this one. */
export const replaceRow = (shape: TableShape, { values }: RowValues): Statement => {
  const columns = writable(shape)
  return {
    sql:
      `REPLACE INTO ${tableOf(shape)} (${columns.map(({ name }) => quoteIdentifier(name)).join(', ')}) ` +
      `VALUES (${columns.map((column, index) => literal(column, values[index] ?? null)).join(', ')})`,
    values: [],
  }
}

const writable = ({ columns }: TableShape): readonly SummedColumn[] => columns.filter(({ generated }) => !generated)

type Way = 'hex' | 'ordinal' | 'float' | 'json' | 'text'

function wayOf({ type }: SummedColumn): Way {
  if (type === 'json') return 'json'
  if (/char|text|binary|blob|geometry|point|polygon|linestring|geomcollection/.test(type)) return 'hex'
  if (/^(bit|enum|set)$/.test(type)) return 'ordinal'
  return type === 'float' ? 'float' : 'text'
}

/** The text of a value, exact: what it writes is compared by its digest before it is kept. */
function textOf(column: SummedColumn): string {
  const name = quoteIdentifier(column.name)
  const texts: Readonly<Record<Way, string>> = {
    hex: `HEX(${name})`,
    json: `HEX(CAST(${name} AS CHAR CHARACTER SET utf8mb4))`,
    ordinal: `CAST(${name} + 0 AS CHAR)`,
    float: `CAST(${name} * 1e0 AS CHAR)`,
    text: `CAST(${name} AS CHAR)`,
  }
  return texts[wayOf(column)]
}

const forms: Readonly<Record<Way, RegExp>> = {
  hex: /^[0-9A-F]*$/,
  json: /^[0-9A-F]*$/,
  ordinal: /^\d+$/,
  float: /^-?[0-9.]+(e[-+]?\d+)?$/i,
  text: /^[-+0-9a-f:. ]+$/i,
}

/** Throws on a text that no value has: nothing else gets into a statement. */
function literal(column: SummedColumn, text: string | null): string {
  if (text === null) return 'NULL'
  const way = wayOf(column)
  if (!forms[way].test(text)) throw new RangeError(`${column.name}: ${text.slice(0, 40)} is no value of ${column.type}`)
  if (way === 'json') return `_utf8mb4 x'${text}'`
  // The bytes of the column, in its own character set.
  if (way === 'hex') return column.charset === '' ? `x'${text}'` : `_${column.charset} x'${text}'`
  return way === 'text' ? `'${text}'` : text
}
