// Checksums of whole tables by their values, equal on two servers when the rows are: by SHA2, since MySQL 9.6 has no MD5 any more.
import { fail, ok, type Result } from '../../base/result.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { named, rowsOf } from './kit/session.js'

export interface TableSum {
  /** Names and types of the columns, and their order. */
  readonly definition: string
  readonly engine: string
  readonly rows: number
  readonly sum: string
}

/** One table as `session` sees it now, in its transaction. Failure `step-failed`: there is no such table. */
export async function sumTable(session: SqlSession, table: string): Promise<Result<TableSum>> {
  const [schema, name] = splitTable(table)
  const described = await rowsOf(
    session,
    `SELECT c.COLUMN_NAME AS name, c.DATA_TYPE AS kind, c.COLUMN_TYPE AS type, t.ENGINE AS engine
       FROM information_schema.COLUMNS c
       JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
      WHERE c.TABLE_SCHEMA = ? AND c.TABLE_NAME = ? ORDER BY c.ORDINAL_POSITION`,
    [schema, name],
  )
  if (!described.ok) return described
  const columns = described.value.map((row) => ({ name: String(row.name), kind: String(row.kind).toLowerCase() }))
  if (columns.length === 0) return fail('step-failed', `there is no table ${table}`)
  const text = `CONCAT_WS(',', ${columns.map(valueText).join(', ')})`
  const half = (from: number) => `BIT_XOR(CAST(CONV(SUBSTRING(SHA2(${text}, 256), ${from}, 16), 16, 10) AS UNSIGNED))`
  const summed = await rowsOf(
    session,
    `SELECT COUNT(*) AS n, CONCAT(${half(1)}, '-', ${half(17)}) AS s FROM ${named(schema)}.${named(name)}`,
  )
  if (!summed.ok) return summed
  const [row = {}] = summed.value
  return ok({
    definition: described.value.map(({ name: column, type }) => `${column} ${type}`).join(', '),
    engine: String(described.value[0]?.engine ?? ''),
    rows: Number(row.n),
    sum: String(row.s),
  })
}

/** `schema.table`; a schema with a dot in its name is not supported by the tools' text either. */
export function splitTable(table: string): readonly [schema: string, name: string] {
  const dot = table.indexOf('.')
  return [table.slice(0, dot), table.slice(dot + 1)]
}

/** A value as text in which NULL, an empty text and the word NULL differ. */
function valueText({ name, kind }: { readonly name: string; readonly kind: string }): string {
  const column = named(name)
  if (/blob|binary|geometry|point|polygon|linestring/.test(kind)) return `IFNULL(HEX(${column}), 'NULL')`
  if (kind === 'bit') return `IFNULL(${column} + 0, 'NULL')`
  return `QUOTE(CAST(${column} AS CHAR CHARACTER SET utf8mb4))`
}
