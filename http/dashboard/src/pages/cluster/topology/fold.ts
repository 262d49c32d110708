// Which replicas of one source are drawn one by one, and which are folded into one bubble that names the worst lag. Pure.
import { urgencyOf } from '../../../model/cluster/condition.js'
import type { Condition, Server } from '../../../model/cluster/server.js'
import type { Group } from './graph.js'

/** More siblings than this are folded. */
export const MOST_SIBLINGS = 8

export interface Fold {
  readonly id: string
  readonly groups: readonly Group[]
  readonly servers: number
  /** Seconds; absent when none of them reports a lag. */
  readonly worstLag?: number
  readonly worst: Condition
  /** So many are not well. */
  readonly troubled: number
}

/** Shown one by one: those with replicas, then those in trouble, then in the order given. */
export function foldSiblings(
  siblings: readonly Group[],
  id: string,
): { readonly shown: readonly Group[]; readonly fold?: Fold } {
  if (siblings.length <= MOST_SIBLINGS) return { shown: siblings }
  const ranked = siblings.toSorted((a, b) => rank(b) - rank(a))
  const kept = new Set(ranked.slice(0, MOST_SIBLINGS - 1))
  const folded = siblings.filter((group) => !kept.has(group))
  return { shown: siblings.filter((group) => kept.has(group)), fold: foldOf(folded, id) }
}

const rank = (group: Group): number =>
  (group.children.length > 0 ? 100 : 0) +
  Math.max(0, ...serversIn(group).map(({ condition }) => urgencyOf(condition))) * 10

export const serversIn = (group: Group): readonly Server[] => [...group.servers, ...group.children.flatMap(serversIn)]

function foldOf(groups: readonly Group[], id: string): Fold {
  const servers = groups.flatMap(serversIn)
  const lags = servers.flatMap(({ lag }) => lag ?? [])
  const worst = servers.reduce<Condition>(
    (found, { condition }) => (urgencyOf(condition) > urgencyOf(found) ? condition : found),
    'well',
  )
  return {
    id: `fold ${id}`,
    groups,
    servers: servers.length,
    ...(lags.length === 0 ? {} : { worstLag: Math.max(...lags) }),
    worst,
    troubled: servers.filter(({ condition }) => urgencyOf(condition) >= urgencyOf('late')).length,
  }
}
