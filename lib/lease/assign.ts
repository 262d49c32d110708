// Which instance should own which cluster: a function of who is there, computed alike by every instance.

export interface InstanceLoad {
  readonly id: string
  /** Clusters of this site are its own before those of others. */
  readonly site: string
}

export interface ClusterLoad {
  readonly name: string
  /** What it costs to own it: its servers. */
  readonly weight: number
  /** The site whose instances own it while there is one; '' any. */
  readonly site: string
}

/** Cluster → id of the instance. */
export type Owners = ReadonlyMap<string, string>

export interface Fleet {
  readonly instances: readonly InstanceLoad[]
  readonly clusters: readonly ClusterLoad[]
  readonly owners: Owners
}

/**
 * The owner that every cluster should have at once; none when there is no instance. Owners stay while they are there and of the
 * right site. Free clusters go to the least loaded instance, the heaviest first.
 */
export const assign = (fleet: Fleet): Owners => place(fleet).wanted

/**
 * The next cluster that its owner should hand over, and to whom: one that belongs to another site, or the one that makes the
 * loads most even. Each move makes the sum of the squares of the loads less, so moves come to an end.
 */
export function nextMove(fleet: Fleet): Move | undefined {
  const { instances, owners } = fleet
  const { wanted, loads } = place(fleet)
  const there = new Set(instances.map(({ id }) => id))
  let best: (Move & { readonly gain: number }) | undefined
  for (const cluster of inOrder(fleet.clusters)) {
    const [from, placed] = [owners.get(cluster.name), wanted.get(cluster.name)]
    if (from === undefined || placed === undefined || !there.has(from)) continue
    if (placed !== from) return { cluster: cluster.name, to: placed }
    const to = leastLoaded(permitted(cluster, instances), loads)
    if (to === undefined || to === from) continue
    const gain = (loads.get(from) ?? 0) - (loads.get(to) ?? 0) - cluster.weight
    if (gain > (best?.gain ?? 0)) best = { cluster: cluster.name, to, gain }
  }
  return best && { cluster: best.cluster, to: best.to }
}

export interface Move {
  readonly cluster: string
  readonly to: string
}

interface Placed {
  readonly wanted: ReadonlyMap<string, string>
  readonly loads: ReadonlyMap<string, number>
}

function place({ instances, clusters, owners }: Fleet): Placed {
  const loads = new Map(instances.map(({ id }) => [id, 0]))
  const wanted = new Map<string, string>()
  const give = ({ name, weight }: ClusterLoad, id: string) => {
    wanted.set(name, id)
    loads.set(id, (loads.get(id) ?? 0) + weight)
  }
  const free: ClusterLoad[] = []
  for (const cluster of inOrder(clusters)) {
    const owner = owners.get(cluster.name)
    if (owner !== undefined && permitted(cluster, instances).includes(owner)) give(cluster, owner)
    else free.push(cluster)
  }
  for (const cluster of free) {
    const least = leastLoaded(permitted(cluster, instances), loads)
    if (least !== undefined) give(cluster, least)
  }
  return { wanted, loads }
}

/** The heaviest first. */
const inOrder = (clusters: readonly ClusterLoad[]): readonly ClusterLoad[] =>
  [...clusters].sort((left, right) => right.weight - left.weight || compare(left.name, right.name))

/** Those of its site, or all while none of them is there. */
function permitted({ site }: ClusterLoad, instances: readonly InstanceLoad[]): readonly string[] {
  const own = site === '' ? [] : instances.filter((instance) => instance.site === site)
  return (own.length > 0 ? own : instances).map(({ id }) => id)
}

/** Of several the first by name. */
function leastLoaded(ids: readonly string[], loads: ReadonlyMap<string, number>): string | undefined {
  let least: string | undefined
  for (const id of ids) {
    const [own, best] = [loads.get(id) ?? 0, loads.get(least ?? '') ?? 0]
    if (least === undefined || own < best || (own === best && id < least)) least = id
  }
  return least
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
