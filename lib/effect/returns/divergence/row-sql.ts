// Statements that execute a decoded row change again, or take it back, and that change nothing where the row is another one.
import type { ChangedRow, ColumnValue, RowChangeKind, RowImage } from '../../../backup/binlog/event.js'
import { fail, ok, type Result } from '../../../base/result.js'
import { quoteIdentifier } from '../../../dialect/statement/quote.js'
import type { TableColumn, TableShape } from './table-shape.js'

/** The session that executes them has this time zone: the log holds instants. */
export const SQL_ZONE = '+00:00'

export interface RowSql {
  readonly apply: string
  readonly undo: string
}

/** Failure `wrong-state`: what the log holds does not describe the rows exactly, and why. */
export function rowSql(kind: RowChangeKind, { before, after }: ChangedRow, shape: TableShape): Result<RowSql> {
  const [old, young] = [readImage(before, shape), readImage(after, shape)]
  if (!old.ok) return old
  if (!young.ok) return young
  const [was, is] = [old.value, young.value]
  if (kind === 'insert') return both(insertSql(is, shape), deleteSql(is, shape))
  if (kind === 'delete') return both(deleteSql(was, shape), insertSql(was, shape))
  return both(updateSql(was, is, shape), updateSql(is, was, shape))
}

function both(apply: Result<string>, undo: Result<string>): Result<RowSql> {
  if (!apply.ok) return apply
  return undo.ok ? ok({ apply: apply.value, undo: undo.value }) : undo
}

/** One column of an image, with its definition. */
interface Cell {
  readonly column: TableColumn
  readonly value: ColumnValue
}

const nameOf = ({ schema, table }: Pick<TableShape, 'schema' | 'table'>): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`

/** Only a complete image fits the definition: a column that was added since would shift the others. */
function readImage(image: RowImage | undefined, shape: TableShape): Result<readonly Cell[]> {
  if (!image) return ok([])
  if (image.length !== shape.columns.length)
    return fail(
      'wrong-state',
      `the log has ${image.length} columns of ${shape.schema}.${shape.table}, which has ${shape.columns.length} now: its definition changed, or binlog_row_image is not FULL`,
    )
  return ok(
    image.flatMap((value) => {
      const column = shape.columns[value.position - 1]
      return column ? [{ column, value }] : []
    }),
  )
}

function insertSql(cells: readonly Cell[], shape: TableShape): Result<string> {
  const written = cells.filter(({ column }) => !column.generated)
  const values = literals(written, shape)
  if (!values.ok) return values
  const names = written.map(({ column }) => quoteIdentifier(column.name))
  return ok(`INSERT INTO ${nameOf(shape)} (${names.join(', ')}) VALUES (${values.value.join(', ')})`)
}

function deleteSql(cells: readonly Cell[], shape: TableShape): Result<string> {
  const where = whereSql(cells, shape)
  return where.ok ? ok(`DELETE FROM ${nameOf(shape)} WHERE ${where.value} LIMIT 1`) : where
}

function updateSql(from: readonly Cell[], to: readonly Cell[], shape: TableShape): Result<string> {
  const changed = to.filter(({ column, value }, at) => !column.generated && !isSame(from[at]?.value, value))
  const values = literals(changed, shape)
  if (!values.ok) return values
  const where = whereSql(from, shape)
  if (!where.ok) return where
  const sets = changed.map(({ column }, at) => `${quoteIdentifier(column.name)} = ${values.value[at]}`)
  return sets.length === 0
    ? fail('wrong-state', `the log shows no difference of a row of ${shape.schema}.${shape.table}`)
    : ok(`UPDATE ${nameOf(shape)} SET ${sets.join(', ')} WHERE ${where.value} LIMIT 1`)
}

const isSame = (one: ColumnValue | undefined, other: ColumnValue): boolean =>
  one?.form === other.form && one.value === other.value

function literals(cells: readonly Cell[], shape: TableShape): Result<readonly string[]> {
  const texts: string[] = []
  for (const cell of cells) {
    const text = literal(cell)
    if (text === undefined) return inexact(cell, shape)
    texts.push(text)
  }
  return ok(texts)
}

const inexact = ({ column, value }: Cell, { schema, table }: TableShape): Result<never> =>
  fail(
    'wrong-state',
    value.exact
      ? `a value of ${schema}.${table}.${column.name} (${column.type}) cannot be written as a statement`
      : `a text of ${schema}.${table}.${column.name} has characters that the tool of the binary log does not print exactly`,
  )

/** Compared as they are shown by the log: their text is not their exact value. */
const approximate = new Set(['float'])

/** Every column as it was: a row that is another one by now is not found. Without a key nothing may be left out. */
function whereSql(cells: readonly Cell[], shape: TableShape): Result<string> {
  const exact = cells.filter(({ column }) => !column.generated && !approximate.has(column.kind))
  if (shape.key.length === 0 && exact.length < cells.length)
    return fail('wrong-state', `${shape.schema}.${shape.table} has no key, and columns that cannot be compared`)
  const parts: string[] = []
  for (const cell of exact) {
    const text = literal(cell)
    if (text === undefined) return inexact(cell, shape)
    parts.push(compared(cell, text, shape.key.includes(cell.column.name)))
  }
  return ok(parts.join(' AND '))
}

/** Byte by byte, whatever the collation; of a key also by its index. */
function compared({ column, value }: Cell, text: string, isKey: boolean): string {
  const name = quoteIdentifier(column.name)
  if (value.form === 'null') return `${name} IS NULL`
  if (column.charset === undefined || !texts.has(column.kind)) return `${name} <=> ${text}`
  const bytes = `CAST(${name} AS BINARY) <=> CAST(${text} AS BINARY)`
  return isKey ? `${name} = ${text} AND ${bytes}` : bytes
}

const whole = new Set(['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year', 'enum'])
const exactNumbers = new Set(['decimal', 'double'])
const moments = new Set(['date', 'time', 'datetime'])
const texts = new Set(['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'json'])
const binaries = new Set(['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'])

/** Undefined where the value of the log is not exact, or its type has no literal. */
function literal({ column, value }: Cell): string | undefined {
  const { kind } = column
  if (value.form === 'null') return 'NULL'
  if (!value.exact) return undefined
  if (whole.has(kind)) return isUnsigned(column) ? (value.unsigned ?? value.value) : value.value
  if (exactNumbers.has(kind)) return value.value
  if (kind === 'bit' || kind === 'set') return BigInt(`0b${value.value || '0'}`).toString()
  if (kind === 'timestamp') return /^0(\.0*)?$/.test(value.value) ? "'0000-00-00'" : `FROM_UNIXTIME(${value.value})`
  if (moments.has(kind)) return `'${kind === 'date' ? value.value.replaceAll(':', '-') : value.value}'`
  if (binaries.has(kind)) return binaryLiteral(column, value)
  if (!texts.has(kind)) return undefined
  const text = textLiteral(column, value)
  return kind === 'json' && column.charset === undefined ? `CAST(${text} AS JSON)` : text
}

const isUnsigned = ({ type }: TableColumn): boolean => /\bunsigned\b|\bzerofill\b/.test(type)

const hexOf = ({ form, value }: ColumnValue): string =>
  form === 'bytes' ? value : Buffer.from(value, 'utf8').toString('hex')

/** A fixed length is padded with zero bytes, which the log leaves out. */
function binaryLiteral({ kind, type }: TableColumn, value: ColumnValue): string {
  const bytes = `X'${hexOf(value)}'`
  const length = kind === 'binary' ? /\((\d+)\)/.exec(type)?.[1] : undefined
  return length === undefined ? bytes : `CAST(${bytes} AS BINARY(${length}))`
}

const unicode = /^(utf8|utf8mb3|utf8mb4|ascii)$/

/** Plain text in quotes; everything else as bytes of the column's own character set. */
function textLiteral({ charset = 'utf8mb4' }: TableColumn, value: ColumnValue): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  const isPlain = value.form === 'text' && !/[\x00-\x1f\x7f\\]/.test(value.value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  const isAscii = value.form === 'text' && /^[\x00-\x7f]*$/.test(value.value)
  const isWide = /^(ucs2|utf16|utf16le|utf32)$/.test(charset)
  return isPlain && !isWide && (isAscii || unicode.test(charset))
    ? `'${value.value.replaceAll("'", "''")}'`
    : `_${charset} X'${hexOf(value)}'`
}
