// Parts of a table: every row is in exactly one, whatever the columns of the key, their collations and their NULLs.
import { expect } from 'chai'
import fc from 'fast-check'
import { conditionOf, conditionOfKey } from '../../../../lib/decide/checksum/range.js'
import type { Condition, KeyValues } from '../../../../lib/model/checksum/checksum.js'

/** How a column of the model compares two values: numbers, bytes, or a collation in which upper and lower case are equal. */
const orders: readonly ((a: string, b: string) => number)[] = [
  (a, b) => Number(a) - Number(b),
  (a, b) => (a < b ? -1 : a > b ? 1 : 0),
  (a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0),
]

const values: readonly fc.Arbitrary<string>[] = [
  fc.integer({ min: -12, max: 12 }).map(String),
  fc.string({ unit: fc.constantFrom('a', 'B', '9'), maxLength: 2 }),
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B'), maxLength: 2 }),
]

interface Model {
  readonly columns: readonly { readonly order: number; readonly nullable: boolean }[]
  readonly rows: readonly KeyValues[]
  readonly bounds: readonly KeyValues[]
}

const model: fc.Arbitrary<Model> = fc
  .array(fc.record({ order: fc.nat({ max: 2 }), nullable: fc.boolean() }), { minLength: 1, maxLength: 3 })
  .chain((columns) => {
    const key = fc.tuple(
      ...columns.map(({ order, nullable }) => {
        const value = values[order] ?? fc.constant('')
        return nullable ? fc.option(value, { freq: 3 }) : value
      }),
    )
    return fc.record({
      columns: fc.constant(columns),
      rows: fc.array(key, { maxLength: 40 }),
      bounds: fc.array(key, { maxLength: 6 }),
    })
  })

const compareValues = (order: number, a: string | null, b: string | null): number =>
  a === null || b === null ? Number(b === null) - Number(a === null) : (orders[order]?.(a, b) ?? 0)

const compareKeys = ({ columns }: Model, a: KeyValues, b: KeyValues): number => {
  for (const [index, { order }] of columns.entries()) {
    const compared = compareValues(order, a[index] ?? null, b[index] ?? null)
    if (compared !== 0) return compared
  }
  return 0
}

/** As a server evaluates it: a comparison with NULL is unknown, and unknown is not true. */
function holds(condition: Condition, row: KeyValues, { columns }: Model): boolean {
  if (condition.type === 'and') return condition.of.every((part) => holds(part, row, { columns } as Model))
  if (condition.type === 'or') return condition.of.some((part) => holds(part, row, { columns } as Model))
  const own = row[condition.column] ?? null
  if (condition.type === 'null') return own === null
  if (condition.type === 'not-null') return own !== null
  if (own === null) return false
  const compared = compareValues(columns[condition.column]?.order ?? 0, own, condition.value)
  const signs = { '=': compared === 0, '<': compared < 0, '>': compared > 0, '<=': compared <= 0, '>=': compared >= 0 }
  return signs[condition.sign]
}

describe('conditionOf', () => {
  it('has every row in exactly one of the parts that share their bounds', () => {
    fc.assert(
      fc.property(model, (table) => {
        const bounds = table.bounds
          .toSorted((a, b) => compareKeys(table, a, b))
          .filter((bound, index, all) => index === 0 || compareKeys(table, bound, all[index - 1] ?? []) !== 0)
        const parts = [...bounds, undefined].map((to, index) => {
          const from = bounds[index - 1]
          return conditionOf(table.columns, { ...(from ? { from } : {}), ...(to ? { to } : {}) })
        })
        for (const row of table.rows)
          expect(parts.filter((part) => holds(part, row, table)).length, JSON.stringify(row)).to.equal(1)
      }),
      { numRuns: 1_000 },
    )
  })

  it('has exactly the rows after its first bound, up to its last one', () => {
    fc.assert(
      fc.property(model, (table) => {
        const [from, to] = table.bounds
        fc.pre(from !== undefined && to !== undefined)
        const condition = conditionOf(table.columns, { from, to })
        for (const row of table.rows)
          expect(holds(condition, row, table)).to.equal(
            compareKeys(table, row, from) > 0 && compareKeys(table, row, to) <= 0,
          )
      }),
      { numRuns: 1_000 },
    )
  })

  it('is every row without a bound', () => {
    expect(conditionOf([{ nullable: false }], {})).to.deep.equal({ type: 'and', of: [] })
  })
})

describe('conditionOfKey', () => {
  it('has the rows of one key, NULL for NULL', () => {
    fc.assert(
      fc.property(model, (table) => {
        const [key] = table.bounds
        fc.pre(key !== undefined)
        for (const row of [...table.rows, key])
          expect(holds(conditionOfKey(key), row, table)).to.equal(compareKeys(table, row, key) === 0)
      }),
    )
  })
})
