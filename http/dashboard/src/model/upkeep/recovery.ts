// Stored transactions that a search found, and the point that a recovery goes back to.
import { fieldsOf, listOf, numberOf, present, textOf, wireOf } from '../wire.js'

export interface StoredTransaction {
  readonly gtid: string
  readonly at: number
  /** What it did, a line each: rows by table, then statements. */
  readonly lines: readonly string[]
}

export interface Found {
  /** Oldest first. */
  readonly transactions: readonly StoredTransaction[]
  /** Later ones were found and are left out. */
  readonly hasMore: boolean
  readonly storedFrom?: number
  readonly storedTo?: number
}

/** Of the reply of `C/stored-transactions`. */
export function readFound(reply: unknown): Found {
  const { transactions, more, stored } = fieldsOf(wireOf<'GET /api/clusters/:cluster/stored-transactions'>(reply))
  const { from, to } = fieldsOf(stored)
  return present<Found>({
    transactions: listOf(transactions).map(({ gtid, at, tables, statements }) => ({
      gtid: textOf(gtid) ?? '',
      at: numberOf(at) ?? 0,
      lines: [...listOf(tables).map(renderChanges), ...(Array.isArray(statements) ? statements.map(String) : [])],
    })),
    hasMore: more === true,
    storedFrom: numberOf(from),
    storedTo: numberOf(to),
  })
}

/** "shop.orders: 2 inserted, 1 deleted". */
function renderChanges(wire: ReturnType<typeof fieldsOf>): string {
  const counts = (['inserted', 'updated', 'deleted'] as const).flatMap((word) => {
    const count = numberOf(wire[word]) ?? 0
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return `${textOf(wire.schema) ?? ''}.${textOf(wire.table) ?? ''}: ${counts.join(', ') || 'no row'}`
}

export interface SearchForm {
  readonly schema: string
  readonly table: string
  /** As a field of date and time has them: local, without a zone. */
  readonly from: string
  readonly to: string
}

/** The query of a search: what is empty is left out; times become seconds. */
export function searchQuery({ schema, table, from, to }: SearchForm) {
  return {
    schema: schema.trim() || undefined,
    table: table.trim() || undefined,
    from: secondsOf(from),
    to: secondsOf(to),
    limit: 200,
  }
}

/** Seconds since the epoch of a local time; undefined for none. */
export function secondsOf(local: string): number | undefined {
  const at = new Date(local).getTime()
  return local === '' || Number.isNaN(at) ? undefined : Math.floor(at / 1_000)
}

export type Point =
  | { readonly type: 'before' | 'after'; readonly gtid: string; readonly at: number }
  | { readonly type: 'time'; readonly seconds: number }

/** What the rows of recovery are asked for that point. */
export const pointQuery = (point: Point): Readonly<Record<string, string | number | boolean>> =>
  point.type === 'time' ? { time: point.seconds } : { gtid: point.gtid, before: point.type === 'before' }

/** The flags of the client for it. */
export const pointFlags = (point: Point): readonly string[] =>
  point.type === 'time'
    ? ['--time', String(point.seconds)]
    : [point.type === 'before' ? '--before' : '--gtid', point.gtid]

/** The moment as a field of date and time has it; empty for a transaction. */
export function fieldOf(point: Point | undefined): string {
  if (point?.type !== 'time') return ''
  const at = new Date(point.seconds * 1_000)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
