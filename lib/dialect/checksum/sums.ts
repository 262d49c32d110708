// Statements that find the parts of a table, sum them and list their rows: the same on every flavour, and none of them locks a row.
import type {
  ChunkSum,
  Condition,
  KeyValues,
  RowDigest,
  SummedColumn,
  TableKey,
  TableShape,
} from '../../model/checksum/checksum.js'
import { quoteIdentifier } from '../statement/quote.js'
import { numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'
import { conditionSql, keyOperand, keyText } from './literal.js'

/** Prepares a session beyond `readSession`: equal texts of equal values. `causal`: a Galera node reads what others committed before. */
export const sumSession = (causal: boolean): string =>
  `SET NAMES utf8mb4; SET SESSION time_zone = '+00:00', sql_mode = ''${causal ? ', wsrep_sync_wait = 1' : ''}`

/** The key of the last row of a part that begins where `condition` does: columns k0, k1, …; no row where fewer are left. */
export const chunkEnd = (
  shape: TableShape,
  key: TableKey,
  part: { condition: Condition; rows: number },
): Statement => ({
  sql:
    `SELECT ${keyColumns(key)} FROM ${tableOf(shape)} FORCE INDEX (${quoteIdentifier(key.index)}) ` +
    `WHERE ${conditionSql(part.condition, key.columns)} ORDER BY ${orderOf(key)} LIMIT 1 OFFSET ${part.rows - 1}`,
  values: [],
})

export const parseKey = (key: TableKey, row: Rows[number]): KeyValues =>
  key.columns.map((_, index) => {
    const value = row[`k${index}`]
    return value === null || value === undefined ? null : String(value)
  })

/** Columns n, digest, crc of the rows of a part. */
export const sumChunk = (shape: TableShape, condition: Condition): Statement => {
  return {
    sql:
      'SELECT COUNT(*) AS n, CAST(BIT_XOR(CAST(CONV(LEFT(SHA2(t, 256), 16), 16, 10) AS UNSIGNED)) AS CHAR) AS digest, ' +
      'COALESCE(SUM(CRC32(t)), 0) AS crc ' +
      `FROM (SELECT ${rowText(shape.columns)} AS t FROM ${tableOf(shape)}${indexOf(shape)} ` +
      `WHERE ${conditionSql(condition, shape.key?.columns ?? [])}) AS part`,
    values: [],
  }
}

export const parseSum = ([row = {}]: Rows): ChunkSum => ({
  rows: numberIn(row, 'n'),
  digest: textIn(row, 'digest'),
  crc: numberIn(row, 'crc'),
})

/** Columns k0, k1, … and digest of each row of a part, at most `limit`. */
export const listRows = (
  shape: TableShape,
  key: TableKey,
  part: { condition: Condition; limit: number },
): Statement => ({
  sql:
    `SELECT ${keyColumns(key)}, ${rowDigest(shape)} AS digest FROM ${tableOf(shape)}${indexOf(shape)} ` +
    `WHERE ${conditionSql(part.condition, key.columns)} LIMIT ${part.limit}`,
  values: [],
})

export const parseRows = (key: TableKey, rows: Rows): readonly RowDigest[] =>
  rows.map((row) => ({ key: parseKey(key, row), digest: textIn(row, 'digest') }))

/** The digest of a row. */
export const rowDigest = ({ columns }: TableShape): string => `SHA2(${rowText(columns)}, 256)`

/** Sessions of the server that execute a statement: column Value. */
export const runningSessions: Statement = { sql: "SHOW GLOBAL STATUS LIKE 'Threads_running'", values: [] }

/** No more than this many rows: column n, counted only up to one more. */
export const countUpTo = (shape: TableShape, most: number): Statement => ({
  sql: `SELECT COUNT(*) AS n FROM (SELECT 1 FROM ${tableOf(shape)} LIMIT ${most + 1}) AS part`,
  values: [],
})

/** A table in a statement. */
export const tableOf = ({ schema, table }: Pick<TableShape, 'schema' | 'table'>): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`

const indexOf = ({ key }: TableShape): string => (key ? ` FORCE INDEX (${quoteIdentifier(key.index)})` : '')

const keyColumns = ({ columns }: TableKey): string =>
  columns.map((column, index) => `${keyText(column)} AS k${index}`).join(', ')

const orderOf = ({ columns }: TableKey): string => columns.map(keyOperand).join(', ')

// MySQL 9.6 has no MD5 and no SHA1 any more.

/** The values of a row in one text; NULL, an empty text and the word NULL differ, and no comma can move from one value into the next. */
const rowText = (columns: readonly SummedColumn[]): string => `CONCAT_WS(',', ${columns.map(valueText).join(', ')})`

function valueText({ name, type }: SummedColumn): string {
  const column = quoteIdentifier(name)
  // Of a long value its digest: the text of a row that is longer than max_allowed_packet would be NULL.
  if (/text|blob|json|vector/.test(type)) return `IFNULL(SHA2(${column}, 256), 'NULL')`
  if (/geometry|point|polygon|linestring|geomcollection/.test(type))
    return `IFNULL(SHA2(ST_AsWKB(${column}), 256), 'NULL')`
  if (/char|binary/.test(type)) return `IFNULL(HEX(${column}), 'NULL')`
  if (type === 'bit') return `IFNULL(${column} + 0, 'NULL')`
  // A FLOAT prints six digits of its seven to nine; as a DOUBLE it prints them all.
  if (type === 'float') return `IFNULL(${column} * 1e0, 'NULL')`
  if (/^(enum|set)$/.test(type)) return `IFNULL(HEX(CAST(${column} AS CHAR CHARACTER SET utf8mb4)), 'NULL')`
  return `IFNULL(CAST(${column} AS CHAR), 'NULL')`
}
