// How the tables of row images are defined now: binary logs hold positions of columns, no names.
import { ok, type Result } from '../../../base/result.js'
import type { SqlSession } from '../../../connect/sql/session.js'
import { rowsOf } from '../kit/session.js'

export interface TableColumn {
  readonly name: string
  /** `varchar`, `int`: in lower case. */
  readonly kind: string
  /** `varchar(40)`, `int(10) unsigned`. */
  readonly type: string
  /** Of text. */
  readonly charset?: string
  /** Computed from others: never written. */
  readonly generated: boolean
}

export interface TableShape {
  readonly schema: string
  readonly table: string
  readonly engine: string
  /** In the order of the images. */
  readonly columns: readonly TableColumn[]
  /** Columns of the primary key, else of a unique key without NULL; empty when there is none. */
  readonly key: readonly string[]
}

export interface TableName {
  readonly schema: string
  readonly table: string
}

/** Undefined: there is no such table. */
export async function readShape(
  session: SqlSession,
  { schema, table }: TableName,
): Promise<Result<TableShape | undefined>> {
  const columns = await rowsOf(
    session,
    `SELECT c.COLUMN_NAME AS name, c.DATA_TYPE AS kind, c.COLUMN_TYPE AS type, c.CHARACTER_SET_NAME AS charset,
            c.EXTRA AS extra, t.ENGINE AS engine
       FROM information_schema.COLUMNS c
       JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
      WHERE c.TABLE_SCHEMA = ? AND c.TABLE_NAME = ? ORDER BY c.ORDINAL_POSITION`,
    [schema, table],
  )
  if (!columns.ok) return columns
  if (columns.value.length === 0) return ok(undefined)
  const keys = await rowsOf(
    session,
    `SELECT INDEX_NAME AS name, COLUMN_NAME AS part, NULLABLE AS nullable
       FROM information_schema.STATISTICS
      WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0
      ORDER BY INDEX_NAME = 'PRIMARY' DESC, INDEX_NAME, SEQ_IN_INDEX`,
    [schema, table],
  )
  if (!keys.ok) return keys
  const parts = keys.value.map((row) => ({
    ...{ name: String(row.name), part: String(row.part) },
    nullable: String(row.nullable) === 'YES',
  }))
  return ok({
    ...{ schema, table, engine: String(columns.value[0]?.engine ?? '') },
    columns: columns.value.map((row) => ({
      ...{ name: String(row.name), kind: String(row.kind).toLowerCase(), type: String(row.type).toLowerCase() },
      ...(row.charset === null ? {} : { charset: String(row.charset).toLowerCase() }),
      generated: /GENERATED|VIRTUAL|PERSISTENT/.test(String(row.extra).replace('DEFAULT_GENERATED', '')),
    })),
    key: keyOf(parts),
  })
}

interface KeyPart {
  readonly name: string
  readonly part: string
  readonly nullable: boolean
}

function keyOf(parts: readonly KeyPart[]): readonly string[] {
  const fit = parts.find(({ name }) => parts.every((each) => each.name !== name || !each.nullable))
  return parts.filter(({ name }) => name === fit?.name).map(({ part }) => part)
}
