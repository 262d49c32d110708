// What a fleet can be divided by, and how many clusters each value has.
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'
import { compareValues } from '../../parts/list/order.js'

export interface Facet {
  /** As the filter spells it. */
  readonly key: string
  readonly title: string
  readonly valuesOf: (row: FleetRow) => readonly string[]
}

export const facets: readonly Facet[] = [
  { key: 'tag', title: 'Tag', valuesOf: ({ tags }) => tags },
  { key: 'code', title: 'Finding', valuesOf: ({ worst }) => (worst === null ? [] : [worst]) },
  { key: 'op', title: 'Operation', valuesOf: ({ op }) => (op === null ? [] : [op]) },
  { key: 'topology', title: 'Topology', valuesOf: ({ topology }) => (topology === '' ? [] : [topology]) },
  { key: 'semi', title: 'Semi-sync', valuesOf: ({ semi }) => [semi] },
]

export interface FacetOption {
  readonly value: string
  readonly count: number
}

/** The most frequent first. */
export function optionsOf(rows: readonly FleetRow[], valuesOf: Facet['valuesOf']): readonly FacetOption[] {
  const counts = new Map<string, number>()
  for (const row of rows) for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count || compareValues(a.value, b.value))
}
