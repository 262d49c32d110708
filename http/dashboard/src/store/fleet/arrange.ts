// Which clusters a page shows, in which order and groups: of rows, a filter and a sort. Pure.
import { parseFilter } from '../../../../../lib/model/fleet/filter.js'
import { parseOrder } from '../../../../../lib/model/fleet/order.js'
import type { FleetRow } from '../../../../../lib/model/fleet/row.js'

export interface Wish {
  /** In the language of the fleet's filter. */
  readonly filter: string
  /** '' is by trouble. */
  readonly sort: string
  readonly grouped: boolean
}

export interface Group {
  /** The tag; '' for those without one. */
  readonly tag: string
  readonly names: readonly string[]
}

export interface Arranged {
  readonly groups: readonly Group[]
  readonly shown: number
  readonly total: number
  /** Why the filter was not applied. */
  readonly fault?: string
}

export function arrange(rows: readonly FleetRow[], { filter, sort, grouped }: Wish): Arranged {
  const parsed = parseFilter(filter)
  const kept = parsed.ok && filter.trim() !== '' ? rows.filter(parsed.matches) : rows
  const compare = parseOrder(sort === '' ? 'trouble' : sort) ?? parseOrder('trouble')
  const sorted = compare ? kept.toSorted(compare) : kept
  return {
    groups: grouped ? groupByTag(sorted) : [{ tag: '', names: sorted.map(({ name }) => name) }],
    shown: sorted.length,
    total: rows.length,
    ...(parsed.ok ? {} : { fault: parsed.fault.message }),
  }
}

/** A cluster with several tags is in each of their groups. */
function groupByTag(rows: readonly FleetRow[]): readonly Group[] {
  const groups = new Map<string, string[]>()
  for (const { name, tags } of rows)
    for (const tag of tags.length > 0 ? tags : ['']) {
      const names = groups.get(tag) ?? []
      groups.set(tag, names)
      names.push(name)
    }
  return [...groups]
    .map(([tag, names]) => ({ tag, names }))
    .toSorted((a, b) => Number(a.tag === '') - Number(b.tag === '') || (a.tag < b.tag ? -1 : 1))
}

/** A term that a facet sets or takes away: `state:down` in "lag>5 state:down". */
export function turnTerm(filter: string, term: string): string {
  const terms = filter.split(/\s+/).filter(Boolean)
  const key = /^(-?[a-z]+:)/.exec(term)?.[1]
  if (terms.includes(term)) return terms.filter((each) => each !== term).join(' ')
  return [...terms.filter((each) => key === undefined || !each.startsWith(key)), term].join(' ')
}

export const hasTerm = (filter: string, term: string): boolean => filter.split(/\s+/).includes(term)
