// What an instance does about ownership, from what etcd shows and what it holds: pure.
import { assign, type ClusterLoad, type InstanceLoad, nextMove } from './assign.js'

export interface Owner {
  readonly instance: string
  readonly token: number
}

/** One instance's view of the fleet. */
export interface OwnershipView {
  readonly self: string
  /** Its lease was there at the last renewal. */
  readonly leased: boolean
  readonly instances: readonly InstanceLoad[]
  readonly clusters: readonly ClusterLoad[]
  readonly owners: ReadonlyMap<string, Owner>
  /** Cluster → token under which it acts. */
  readonly held: ReadonlyMap<string, number>
  /** Clusters that have been free for longer than the instance that should take them needs. */
  readonly overdue: ReadonlySet<string>
}

export type OwnershipAct =
  /** Its ownership ended, or is another one by now: it stops acting. */
  | { readonly type: 'stand-down'; readonly cluster: string }
  /** It is free: its key is created, if nobody else was faster. */
  | { readonly type: 'claim'; readonly cluster: string }
  /** It owns the cluster and does not act yet: the reply to its claim was lost. */
  | { readonly type: 'take'; readonly cluster: string; readonly token: number }
  /** It hands the cluster over: stops acting, then deletes its key. */
  | { readonly type: 'release'; readonly cluster: string; readonly to: string }

export function decideOwnership(view: OwnershipView): readonly OwnershipAct[] {
  const { self, leased, owners, held, clusters, overdue } = view
  const isOwn = (cluster: string): boolean => {
    const owner = owners.get(cluster)
    return leased && owner?.instance === self && owner.token === held.get(cluster)
  }
  const down = [...held.keys()].filter((cluster) => !isOwn(cluster))
  const ended = down.map((cluster): OwnershipAct => ({ type: 'stand-down', cluster }))
  if (!leased) return ended
  const fleet = {
    ...{ instances: view.instances, clusters },
    owners: new Map([...owners].map(([cluster, { instance }]) => [cluster, instance])),
  }
  const wanted = assign(fleet)
  const acts = clusters.flatMap(({ name: cluster }): readonly OwnershipAct[] => {
    const owner = owners.get(cluster)
    // Its old life must have ended first.
    if (held.has(cluster)) return []
    if (owner?.instance === self) return [{ type: 'take', cluster, token: owner.token }]
    return !owner && (wanted.get(cluster) === self || overdue.has(cluster)) ? [{ type: 'claim', cluster }] : []
  })
  const move = nextMove(fleet)
  const released = move && isOwn(move.cluster) && acts.length === 0 ? [move] : []
  return [...ended, ...acts, ...released.map((move): OwnershipAct => ({ type: 'release', ...move }))]
}
