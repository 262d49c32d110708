// A bound that owners share: divided by cluster, then by user, with a reserve for those who serve the whole service.
import type { FailureCode } from '../../base/failures.js'
import { fail, ok, type Result } from '../../base/result.js'
import { type Grant, grants } from '../grants.js'

export interface FairBound {
  /** What it counts: `event streams`. */
  readonly unit: string
  readonly total: number
  /** Of the total: taken by callers with a grant of the whole service only. */
  readonly reserve: number
  readonly perCluster: number
  /** Of one user within a cluster; of one address for visitors without a user. */
  readonly perUser: number
  readonly failure: FailureCode
  /** What the caller can do: `close some of them`. */
  readonly remedy: string
}

/** Of whom a thing is that counts: kept with the thing as long as it is in force. */
export interface Share {
  /** Against which cluster it counts: its name, '' for none, SERVICE for a caller with a grant of the whole service. */
  readonly cluster: string
  readonly user: string
}

/** No cluster has this name. */
export const SERVICE = '*'

/** Who asks, as a bound sees it. */
export interface Holder {
  /** A name, or the address of a visitor without one. */
  readonly user: string
  /** What the thing belongs to: its cluster; of a thing of all clusters, those on which the caller holds a grant. */
  readonly clusters: readonly string[]
  /** Holds a `global-*` grant for the whole service. */
  readonly isGlobal: boolean
  /** Whether it may see the names of the users of a cluster. */
  readonly mayName: (cluster: string) => boolean
}

/** What is read of a caller. */
export interface BoundCaller {
  readonly user: string
  readonly address: string
  may(grant: string, cluster: string): boolean
  sees(cluster: string): boolean
}

const global = grants.filter((grant) => grant.startsWith('global-'))
const listing: readonly Grant[] = ['grant-show', 'cluster-grant']

/**
 * The caller as holder of a thing of one cluster. Without one, or where it holds no grant on that cluster: of all on which it
 * holds one.
 */
export function holderOf(caller: BoundCaller, cluster: string | undefined, all: () => readonly string[]): Holder {
  const isGlobal = global.some((grant) => caller.may(grant, ''))
  const ofCaller = () => all().filter((name) => caller.sees(name))
  return {
    user: caller.user === '' ? caller.address : caller.user,
    clusters: isGlobal ? [] : cluster !== undefined && caller.sees(cluster) ? [cluster] : ofCaller(),
    isGlobal,
    mayName: (name) => listing.some((grant) => caller.may(grant, name)),
  }
}

/**
 * The share of one more, beside those that are held; else a failure that says which part is used up, by whom, and what to do.
 *
 * A user is no obstacle: an owner makes users at will. A cluster is one, and so each thing counts against one cluster. A thing
 * of all clusters counts against the one of the caller's own that holds least: a user of several clusters has the sum of
 * their parts, and takes nothing of a cluster in which it has no grant. Users without any cluster share one part. The same
 * name may be another person in another cluster: users are counted within theirs.
 *
 * A cluster takes no more than is left for the others: of `n` clusters that take all they can, each has 1/(n+1) of what is not
 * reserved, and the same is left for the next one, however many clusters an owner has.
 */
export function judgeShare(bound: FairBound, held: readonly Share[], holder: Holder): Result<Share> {
  const ofCluster = countBy(held, ({ cluster }) => cluster)
  const share = shareOf(ofCluster, holder)
  const ofUser = countBy(
    held.filter(({ cluster }) => cluster === share.cluster),
    ({ user }) => user,
  )
  const common = bound.total - bound.reserve
  const left = Math.max(0, Math.min(common - (held.length - countOf(ofCluster, SERVICE)), bound.total - held.length))
  const state: State = { bound, holder, share, ofCluster, ofUser, common, left }
  const broken = rules.find(({ isBroken }) => isBroken(state))
  return broken ? fail(bound.failure, `${bound.unit}: ${broken.text(state)}; ${bound.remedy}`) : ok(share)
}

/** What one more would count for, where nothing is refused. */
export const placeShare = (held: readonly Share[], holder: Holder): Share =>
  shareOf(
    countBy(held, ({ cluster }) => cluster),
    holder,
  )

function shareOf(ofCluster: ReadonlyMap<string, number>, { user, clusters, isGlobal }: Holder): Share {
  const own = isGlobal ? [SERVICE] : clusters.length === 0 ? [''] : clusters
  const least = own.reduce((one, other) => (countOf(ofCluster, other) < countOf(ofCluster, one) ? other : one))
  return { cluster: least, user }
}

export interface FairShares {
  /** Takes one for the holder. The function gives it back, once. */
  take(holder: Holder): Result<() => void>
  /** The same, with the cluster against which it counts. */
  takeFor(holder: Holder): Result<{ readonly cluster: string; readonly release: () => void }>
}

/** What is held in memory as long as it is in use. */
export function createFairShares(bound: FairBound): FairShares {
  const held = new Set<Share>()
  const takeFor: FairShares['takeFor'] = (holder) => {
    const judged = judgeShare(bound, [...held], holder)
    if (!judged.ok) return judged
    const share = { ...judged.value }
    held.add(share)
    return ok({ cluster: share.cluster, release: () => void held.delete(share) })
  }
  return {
    takeFor,
    take: (holder) => {
      const taken = takeFor(holder)
      return taken.ok ? ok(taken.value.release) : taken
    },
  }
}

interface State {
  readonly bound: FairBound
  readonly holder: Holder
  readonly share: Share
  readonly ofCluster: ReadonlyMap<string, number>
  readonly ofUser: ReadonlyMap<string, number>
  /** What is not reserved, and how much of it is left. */
  readonly common: number
  readonly left: number
}

interface Rule {
  readonly isBroken: (state: State) => boolean
  readonly text: (state: State) => string
}

const countOf = (counts: ReadonlyMap<string, number>, name: string): number => counts.get(name) ?? 0

/** The first one that is broken is the answer. */
const rules: readonly Rule[] = [
  {
    isBroken: ({ bound, share, ofUser }) => countOf(ofUser, share.user) >= bound.perUser,
    text: ({ bound, share }) => `${share.user} has all ${bound.perUser} of one user${placeOf(share)}`,
  },
  {
    isBroken: ({ bound, holder, ofCluster }) => holder.isGlobal && sum(ofCluster) >= bound.total,
    text: ({ bound, ofCluster }) => `all ${bound.total} are taken, most by ${most(ofCluster, clusterText)}`,
  },
  {
    isBroken: ({ bound, holder, share, ofCluster }) =>
      !holder.isGlobal && countOf(ofCluster, share.cluster) >= bound.perCluster,
    text: (state) =>
      `${clusterText(state.share.cluster)} has all ${state.bound.perCluster} of one cluster${usersText(state)}`,
  },
  {
    isBroken: ({ holder, share, ofCluster, left }) => !holder.isGlobal && countOf(ofCluster, share.cluster) >= left,
    text: (state) =>
      `${clusterText(state.share.cluster)} has ${countOf(state.ofCluster, state.share.cluster)}${usersText(state)}, and no cluster takes more ` +
      `than is left for the others: ${state.left} of ${state.common}`,
  },
]

/** Users of the cluster are named to who may list them. */
function usersText({ holder, share, ofUser }: State): string {
  if (ofUser.size === 0) return ''
  if (holder.mayName(share.cluster)) return `, most by ${most(ofUser, (user) => user)}`
  return `, ${countOf(ofUser, holder.user)} of them by ${holder.user}`
}

const placeOf = ({ cluster }: Share): string => (cluster === SERVICE || cluster === '' ? '' : ` in ${cluster}`)

const words: Readonly<Record<string, string>> = { [SERVICE]: 'administrators', '': 'users without a cluster' }
const clusterText = (cluster: string): string => words[cluster] ?? cluster

function most(counts: ReadonlyMap<string, number>, text: (name: string) => string): string {
  const [name, count] = [...counts].reduce((larger, next) => (next[1] > larger[1] ? next : larger), ['', 0])
  return `${text(name)} (${count})`
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0)

function countBy(shares: readonly Share[], keyOf: (share: Share) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const share of shares) counts.set(keyOf(share), (counts.get(keyOf(share)) ?? 0) + 1)
  return counts
}
