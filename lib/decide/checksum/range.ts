// The parts of a table as predicates on its key. Pure. NULL comes before every value, as the servers order it.
import type { Condition, KeyColumn, KeyRange, KeyValues } from '../../model/checksum/checksum.js'

type Columns = readonly Pick<KeyColumn, 'nullable'>[]

/** The rows of a part; an empty `and` is every row. Each row of a table is in exactly one of the parts that share their bounds. */
export const conditionOf = (columns: Columns, { from, to }: KeyRange): Condition =>
  all([...(from ? [beyond(columns, from, 0)] : []), ...(to ? [upTo(columns, to, 0)] : [])])

/** The rows of one key. */
export const conditionOfKey = (key: KeyValues): Condition => all(key.map((value, column) => same(column, value)))

/** The rows of any of these keys. */
export const conditionOfKeys = (keys: readonly KeyValues[]): Condition => any(keys.map(conditionOfKey))

/** Rows whose columns from `at` on come after the bound's. The first comparison lets the server search in the index. */
function beyond(columns: Columns, bound: KeyValues, at: number): Condition {
  const value = bound[at] ?? null
  const greater: Condition =
    value === null ? { type: 'not-null', column: at } : { type: 'compare', column: at, sign: '>', value }
  if (at === bound.length - 1) return greater
  const either = any([greater, all([same(at, value), beyond(columns, bound, at + 1)])])
  return value === null ? either : all([{ type: 'compare', column: at, sign: '>=', value }, either])
}

/** Rows whose columns from `at` on do not come after the bound's. */
function upTo(columns: Columns, bound: KeyValues, at: number): Condition {
  const value = bound[at] ?? null
  const nullable = columns[at]?.nullable ?? false
  const isLast = at === bound.length - 1
  if (value === null) return isLast ? same(at, null) : all([same(at, null), upTo(columns, bound, at + 1)])
  const orNull = (condition: Condition): Condition =>
    nullable ? any([condition, { type: 'null', column: at }]) : condition
  if (isLast) return orNull({ type: 'compare', column: at, sign: '<=', value })
  const less = orNull({ type: 'compare', column: at, sign: '<', value })
  const either = any([less, all([same(at, value), upTo(columns, bound, at + 1)])])
  return nullable ? either : all([{ type: 'compare', column: at, sign: '<=', value }, either])
}

const same = (column: number, value: string | null): Condition =>
  value === null ? { type: 'null', column } : { type: 'compare', column, sign: '=', value }

const all = (of: readonly Condition[]): Condition => joined('and', of)
const any = (of: readonly Condition[]): Condition => joined('or', of)

const joined = (type: 'and' | 'or', of: readonly Condition[]): Condition => {
  const [only, ...others] = of
  return only && others.length === 0 ? only : { type, of }
}
