// A decoded transaction with the names of its columns, its keys, and the statements that apply or undo it.
import type { ColumnValue, LogEvent, LogTransaction, RowChangeKind, RowImage } from '../../../backup/binlog/event.js'
import type {
  DivergedImage,
  DivergedRow,
  DivergedTable,
  DivergedTransaction,
} from '../../../model/operation/divergence.js'
import { rowSql } from './row-sql.js'
import type { TableColumn, TableShape } from './table-shape.js'

/** By `schema.table`; undefined: there is no such table any more. */
export type Shapes = ReadonlyMap<string, TableShape | undefined>

export const tableOf = ({ schema = '', table = '' }: Pick<LogEvent, 'schema' | 'table'>): string => `${schema}.${table}`

/** `mostRows`: so many rows are listed; the statements are written only when all of them are. */
export function describeTransaction(transaction: LogTransaction, shapes: Shapes): DivergedTransaction {
  const { gtid = '', at, file, offset, serverId, thread, changes, rowCount, truncated } = transaction
  const texts = [...new Set(changes.flatMap(({ text }) => (text === undefined ? [] : [text])))]
  return {
    ...{ gtid, at, file, offset, serverId },
    ...(thread === undefined ? {} : { thread }),
    statements: texts,
    rows: changes.flatMap((event) => describeRows(event, shapes)),
    ...{ rowCount, truncated },
    ...statementsOf(transaction, shapes),
  }
}

function describeRows(event: LogEvent, shapes: Shapes): readonly DivergedRow[] {
  const table = tableOf(event)
  const shape = shapes.get(table)
  return event.rows.map(({ before, after }) => ({
    kind: event.kind as RowChangeKind,
    ...{ table, key: keyOf(before ?? after ?? [], shape) },
    ...(before ? { before: showImage(before, shape) } : {}),
    ...(after ? { after: showImage(after, shape) } : {}),
  }))
}

const columnOf = (image: RowImage, value: ColumnValue, shape: TableShape | undefined): TableColumn | undefined =>
  shape && (image.length === shape.columns.length || value.position <= shape.columns.length)
    ? shape.columns[value.position - 1]
    : undefined

const showImage = (image: RowImage, shape: TableShape | undefined): DivergedImage =>
  Object.fromEntries(
    image.map((value) => {
      const column = columnOf(image, value, shape)
      return [column?.name ?? `@${value.position}`, showValue(value, column)]
    }),
  )

function keyOf(image: RowImage, shape: TableShape | undefined): DivergedImage {
  const shown = showImage(image, shape)
  return Object.fromEntries((shape?.key ?? []).flatMap((name) => (name in shown ? [[name, shown[name] ?? null]] : [])))
}

function showValue(value: ColumnValue, column: TableColumn | undefined): string | null {
  if (value.form === 'null') return null
  if (value.form === 'bytes') return `0x${value.value}`
  if (column?.kind === 'timestamp') return instant(value.value)
  return column && /\bunsigned\b/.test(column.type) ? (value.unsigned ?? value.value) : value.value
}

/** Seconds since the epoch, with a fraction where the column has one. */
function instant(seconds: string): string {
  const [whole = '0', fraction] = seconds.split('.')
  const text = new Date(Number(whole) * 1_000).toISOString().slice(0, 19)
  return `${text}${fraction === undefined ? '' : `.${fraction}`}Z`
}

function statementsOf(
  { changes, truncated, committed }: LogTransaction,
  shapes: Shapes,
): Pick<DivergedTransaction, 'apply' | 'undo' | 'unfit'> {
  if (!committed) return { unfit: 'it is not committed in the log' }
  if (truncated) return { unfit: 'it has more rows than are read' }
  const apply: string[] = []
  const undo: string[] = []
  for (const event of changes) {
    if (event.kind === 'statement')
      return { unfit: `it executed a statement, not rows: ${(event.text ?? '').slice(0, 100)}` }
    const shape = shapes.get(tableOf(event))
    if (!shape) return { unfit: `the table ${tableOf(event)} does not exist any more` }
    if (shape.engine.toLowerCase() !== 'innodb')
      return { unfit: `${tableOf(event)} is a table of ${shape.engine}: what is written to it cannot be rolled back` }
    for (const row of event.rows) {
      const sql = rowSql(event.kind as RowChangeKind, row, shape)
      if (!sql.ok) return { unfit: sql.failure.message }
      apply.push(sql.value.apply)
      undo.unshift(sql.value.undo)
    }
  }
  return { apply, undo }
}

/** Rows by table and kind, in the order of first use; rows that are not listed are not counted. */
export function countTables(transactions: readonly DivergedTransaction[]): readonly DivergedTable[] {
  const tables = new Map<string, { inserted: number; updated: number; deleted: number }>()
  const fields = { insert: 'inserted', update: 'updated', delete: 'deleted' } as const
  for (const { table, kind } of transactions.flatMap(({ rows }) => rows)) {
    const counted = tables.get(table) ?? { inserted: 0, updated: 0, deleted: 0 }
    counted[fields[kind]] += 1
    tables.set(table, counted)
  }
  return [...tables].map(([table, counts]) => ({ table, ...counts }))
}
