// Who takes over: by what was received, then by preference, then by what is applied. Sets are compared, never sums.

import { transactions } from '../../../base/counted.js'
import {
  compareSets,
  contains,
  countTransactions,
  type GtidSet,
  isEmpty,
  noTransactions,
  subtract,
  union,
} from '../../../model/server/gtid.js'
import { addressText, type Rating, type ServerId } from '../../../model/server/server.js'
import { channelsElsewhere, findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import type { CandidateRow } from '../../../model/verdict.js'
import { isReachable, receivedOf, unappliedOf } from '../../situation/channel.js'
import { mayMissOwn } from '../../situation/history/candidate-history.js'
import { lostByPrimary } from '../../situation/history/history.js'
import { blockingPart, errantOf, heldByOrigin } from '../../situation/history/holdings.js'
import { behindLock, heldBy } from '../../situation/lock-wait.js'
import type { Situation } from '../../situation/situation.js'
import { type ElectionContext, type ElectionKind, type Ineligible, judgeEligibility } from './eligibility.js'

export interface ElectionOptions {
  readonly kind: ElectionKind
  readonly forced?: boolean
  /** A person's choice: this server is elected, or none. */
  readonly wanted?: ServerId
  /** Servers that the asking plan has stopped receiving: that is not held against them. */
  readonly stopped?: readonly ServerId[]
  /** See `Election.living`. */
  readonly living?: boolean
}

export interface Election {
  readonly candidate?: ServerId
  /** Every member but the primary: the candidate first, the ineligible last. */
  readonly ranking: readonly CandidateRow[]
  /**
   * An ignored server, or one in maintenance, that alone holds received transactions: its data wins, not itself. The
   * candidate follows it
   * until it has everything, and only then takes over.
   */
  readonly donor?: ServerId
  /** Reachable servers that hold genuine transactions which the winner could not get. */
  readonly heldElsewhere: readonly { readonly server: ServerId; readonly transactions: number }[]
  /** Eligible servers whose best received sets have diverged: none is elected. */
  readonly diverged: readonly ServerId[]
  /**
   * The primary answers and goes on writing. Servers were read one after the other: what one has received beyond another one may have
   * been written between the two readings, so only what the primary itself has lost counts as held elsewhere.
   */
  readonly living?: true
}

interface Contender {
  readonly server: ServerSnapshot
  readonly received: GtidSet
  readonly unapplied: number
  readonly depth: number
  readonly errant: boolean
  /** Others hold transactions of its own that it may be missing. */
  readonly doubtful: boolean
  /** A lock of a backup stops its applier, or would: it takes over later than another one. */
  readonly locked: boolean
  /** It has a channel to another cluster: as a primary it would send that cluster's transactions to all. */
  readonly shared: boolean
  readonly ineligible?: Ineligible
}

/**
 * Elects among the members. For a failover the received set decides before everything else, so the winner never has
 * less than another eligible server; in a switchover the winner catches up while the primary is frozen, so a
 * preferred one wins at once.
 */
export function elect(situation: Situation, options: ElectionOptions): Election {
  const { kind, forced = false, wanted, stopped = [], living = false } = options
  const { snapshot } = situation
  const primary = findServer(snapshot, snapshot.primary)
  const context: ElectionContext = { situation, kind, forced, stopped, ...(primary ? { primary } : {}) }
  const contenders = snapshot.servers.filter(({ id }) => id !== primary?.id).map((server) => enter(server, context))
  const eligible = contenders.filter(({ ineligible }) => !ineligible)
  const ordered = [...eligible].sort(kind === 'failover' ? byReceived : byPreference)
  const diverged = kind === 'failover' ? contradicting(eligible) : []
  const first = wanted === undefined ? ordered[0] : eligible.find(({ server }) => server.id === wanted)
  const winner = diverged.length > 0 ? undefined : first
  const heldElsewhere = winner ? holdingMore(winner, contenders, { ...context, living }) : []
  const donor = kind === 'failover' ? heldElsewhere.find(({ server }) => canServe(server, context)) : undefined
  return {
    ...(winner ? { candidate: winner.server.id } : {}),
    ranking: rank(ordered, contenders),
    ...(donor ? { donor: donor.server.id } : {}),
    heldElsewhere: heldElsewhere
      .filter((holder) => holder !== donor)
      .map(({ server, transactions }) => ({ server: server.id, transactions })),
    diverged: diverged.map(({ server }) => server.id),
    ...(living ? { living } : {}),
  }
}

function enter(server: ServerSnapshot, context: ElectionContext): Contender {
  const { situation, primary } = context
  const ineligible = judgeEligibility(server, context)
  return {
    server,
    received: receivedOf(server, situation.settings),
    unapplied: countTransactions(unappliedOf(server, situation.settings)),
    depth: depthOf(server, situation),
    errant: primary !== undefined && !isEmpty(errantOf(server, primary, situation.memory)),
    doubtful: mayMissOwn(server, situation),
    shared: server.foreignChannels !== undefined,
    locked: (behindLock(server) ?? heldBy(server)) !== undefined,
    ...(ineligible ? { ineligible } : {}),
  }
}

/** Its distance from the root of the topology, in servers. */
function depthOf(server: ServerSnapshot, { snapshot }: Situation): number {
  const seen = new Set<ServerId>([server.id])
  let at = server.sourceId
  while (at !== undefined && !seen.has(at)) {
    seen.add(at)
    at = findServer(snapshot, at)?.sourceId
  }
  return seen.size
}

const ratings: Readonly<Record<Rating, number>> = { preferred: 0, unrated: 1, ignored: 2 }

/** A larger set has more transactions, so the count orders sets wherever they are ordered at all. */
const byReceived = (a: Contender, b: Contender): number =>
  countTransactions(b.received) - countTransactions(a.received) || byRest(a, b)

const byPreference = (a: Contender, b: Contender): number =>
  ratings[a.server.rating] - ratings[b.server.rating] || Number(a.shared) - Number(b.shared) || byReceived(a, b)

const byRest = (a: Contender, b: Contender): number =>
  ratings[a.server.rating] - ratings[b.server.rating] ||
  Number(a.errant) - Number(b.errant) ||
  Number(a.doubtful) - Number(b.doubtful) ||
  Number(a.shared) - Number(b.shared) ||
  Number(a.locked) - Number(b.locked) ||
  a.unapplied - b.unapplied ||
  a.depth - b.depth ||
  (a.server.id < b.server.id ? -1 : 1)

/** The eligible ones that no other eligible one has all of, when they are not all the same. */
function contradicting(eligible: readonly Contender[]): readonly Contender[] {
  const best = eligible.filter(
    (one) => !eligible.some((other) => compareSets(other.received, one.received) === 'ahead'),
  )
  return best.every(({ received }) => compareSets(received, best[0]?.received ?? noTransactions) === 'equal')
    ? []
    : best
}

interface Holder {
  readonly server: ServerSnapshot
  readonly transactions: number
}

/** Reachable servers that are not eligible and received transactions that the winner did not receive. */
function holdingMore(
  winner: Contender,
  contenders: readonly Contender[],
  { situation, primary, living }: ElectionContext & { readonly living: boolean },
): readonly Holder[] {
  const { settings, memory } = situation
  const has = heldByOrigin(winner.server, settings)
  const comparable = (set: GtidSet) => (living && primary ? lostOf(set, situation, primary) : set)
  return contenders
    .filter(({ server, ineligible }) => ineligible && isReachable(server) && server.sourceId !== undefined)
    .map(({ server }) => {
      const own = primary ? errantOf(server, primary, memory) : noTransactions
      const more = subtract(blockingPart(subtract(heldByOrigin(server, settings), union(has, own)), server), has)
      return { server, transactions: countTransactions(comparable(more)) }
    })
    .filter(({ transactions }) => transactions > 0)
    .sort((a, b) => b.transactions - a.transactions)
}

/** Of `set` what the primary, which answers, has lost: nothing that was written between two readings is among it. */
export function lostOf(set: GtidSet, situation: Situation, primary: ServerSnapshot): GtidSet {
  return subtract(set, subtract(set, lostByPrimary(situation, primary)))
}

/**
 * A server that is only not wanted (ignored, in maintenance) and could be followed: it applies at once, it logs, and
 * nothing else speaks against it. One that is delayed on purpose has in its binary log only what it has applied: for the
 * rest the failover would have to wait, so its transactions are left to a person.
 */
export function canServe(server: ServerSnapshot, context: ElectionContext): boolean {
  const unwanted = server.rating === 'ignored' || server.maintenance
  const wanted = { ...server, rating: 'unrated', maintenance: false } as const
  return unwanted && judgeEligibility(wanted, context) === undefined && server.state?.logReplicaUpdates === true
}

function rank(ordered: readonly Contender[], contenders: readonly Contender[]): readonly CandidateRow[] {
  const best = ordered.reduce((set, { received }) => union(set, received), noTransactions)
  const row = ({ server, received, unapplied }: Contender) => {
    const waits = behindLock(server)
    return {
      server: server.id,
      ...(waits === undefined ? {} : { waits }),
      received,
      unapplied,
      missing: countTransactions(subtract(best, received)),
    }
  }
  return [
    ...ordered.map((contender, index) => ({
      ...row(contender),
      eligible: true,
      rank: index + 1,
      reason: explain(contender, ordered[index - 1]) + flowOf(contender),
    })),
    ...contenders.flatMap((contender) =>
      contender.ineligible
        ? [
            {
              ...row(contender),
              eligible: false,
              code: contender.ineligible.code,
              reason: `${contender.server.name} ${contender.ineligible.reason}.`,
            },
          ]
        : [],
    ),
  ]
}

/** What its election would bring to all servers besides, and what of it is not known to be of another cluster. */
function flowOf({ server }: Contender): string {
  const { name, state, strange = {}, foreignChannels } = server
  if (!foreignChannels) return ''
  const open = Object.keys(strange).filter((stream) => !(stream in (state?.gtid.foreign ?? noTransactions)))
  const doubt =
    open.length === 0
      ? ''
      : ` The primary was not read since they were first seen, so it is not known whether ${open.join(', ')} are transactions of this cluster: they count as its own.`
  const sources = channelsElsewhere(server).map(
    (channel) => `${addressText(channel.source)} (channel ${channel.name === '' ? 'default' : channel.name})`,
  )
  return ` ${name} also replicates from ${sources.join(', ')}: if it takes over, those transactions flow into all replicas, which cannot follow it where it has deleted binary logs of them.${doubt}`
}

/** Why it ranks below the one before it. */
function explain(one: Contender, above: Contender | undefined): string {
  const { name, rating } = one.server
  if (!above) return `${name} ranks first${rating === 'preferred' ? ' and is preferred' : ''}.`
  const than = above.server.name
  const less = countTransactions(subtract(above.received, one.received))
  if (less > 0 && contains(above.received, one.received))
    return `${name} received ${transactions(less)} less than ${than}.`
  if (above.server.rating !== rating) return `${name} received as much as ${than}, which is ${above.server.rating}.`
  if (above.errant !== one.errant) return `${name} has errant transactions, ${than} has none.`
  if (above.doubtful !== one.doubtful) return `${name} may be missing transactions that it wrote itself.`
  if (above.shared !== one.shared) return `${name} received as much as ${than}.`
  if (above.locked !== one.locked)
    return `${name} received as much as ${than}, but ${behindLock(one.server) ?? heldBy(one.server)}.`
  if (above.unapplied !== one.unapplied)
    return `${name} received as much as ${than} but has ${transactions(one.unapplied)} to apply, ${than} ${above.unapplied}.`
  if (above.depth !== one.depth) return `${name} is further from the primary than ${than}.`
  return `${name} is equal to ${than}, which has the lower id.`
}
