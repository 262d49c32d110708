// What would be lost if the primary died now: proven to be nothing, bounded, or unknown, always with the reason.
import { counted, transactions } from '../../../base/counted.js'
import { SECOND } from '../../../base/time.js'
import { acknowledgementsIn } from '../../../dialect/index.js'
import {
  contains,
  countTransactions,
  type GtidSet,
  noTransactions,
  subtract,
  union,
} from '../../../model/server/gtid.js'
import type { SemiSyncState } from '../../../model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import type { LossForecast } from '../../../model/verdict.js'
import { isReachable, receivedOf } from '../../situation/channel.js'
import type { Situation } from '../../situation/situation.js'
import { followersOf } from '../../situation/topology/sources.js'
import { canServe, type Election, lostOf } from './elect.js'
import { wasInSync } from './eligibility.js'

/**
 * Nothing is lost when every commit waits, before it shows, for a replica whose received events can be promoted. A
 * source falls back to asynchronous only after waiting for its timeout, so a state read less than that before the
 * death still held when it died.
 */
export function forecastLoss(situation: Situation, election: Election): LossForecast {
  const primary = findServer(situation.snapshot, situation.snapshot.primary)
  const candidate = findServer(situation.snapshot, election.candidate)
  if (!primary?.state) return unknown('The primary has never been probed.')
  if (!candidate) return unknown('No replica could take over: what is committed stays on the primary.')
  const held = election.heldElsewhere.map(
    ({ server, transactions }) => `${nameIn(situation, server)} has ${transactions}`,
  )
  if (held.length > 0) return unknown(`Transactions exist on servers that cannot be promoted: ${held.join(', ')}.`)
  const known = knownLoss(situation, candidate, findServer(situation.snapshot, election.donor))
  const lost = countTransactions(election.living ? lostOf(known, situation, primary) : known)
  if (lost > 0)
    return {
      kind: 'at-least',
      transactions: lost,
      reason: `${transactions(lost)} that a replica of ${primary.name} was seen to have received ${lost === 1 ? 'is' : 'are'} missing on ${candidate.name}.`,
    }
  const doubt = doubtOf(primary, primary.state.semiSync, situation)
  return doubt === undefined
    ? judgeProof(primary, situation, election)
    : countLoss(primary, candidate, { situation, election, doubt })
}

/**
 * Every commit waits for acknowledgements. They prove that nothing is lost if one of them at least comes from a server that can be
 * promoted, or that the candidate gets everything from first. Of a primary that lives that follows from who acknowledges; when it has died,
 * what the others have received is compared (`heldElsewhere`).
 */
function judgeProof(primary: ServerSnapshot, situation: Situation, { ranking, living }: Election): LossForecast {
  const acks = acknowledging(primary, situation)
  const promotable = acks.filter(({ id }) => ranking.some((row) => row.server === id && row.eligible))
  const context = { situation, kind: 'failover', forced: false, primary } as const
  const outside = acks.filter((server) => !promotable.includes(server) && !canServe(server, context))
  const needed = acknowledgementsIn(primary.slow?.variables)
  if (living && outside.length >= needed) {
    const why = outside.map(({ id, name }) => ranking.find(({ server }) => server === id)?.reason ?? `${name}.`)
    return unknown(
      `A commit waits (AFTER_SYNC) for ${counted(needed, 'replica')}, and of ${acks.length} that acknowledge ${promotable.length} can be promoted: ${why.join(' ')} What only that side has acknowledged would stay there.`,
    )
  }
  const others = living
    ? 'what only the others have would be fetched from them first'
    : 'the others have received nothing that it has not'
  const who =
    promotable.length === acks.length
      ? `${counted(acks.length, 'acknowledges', 'acknowledge')} and can be promoted`
      : `of ${acks.length} that acknowledge ${promotable.length} can be promoted, and ${others}`
  return {
    kind: 'none',
    reason: `Every commit waits (AFTER_SYNC) for ${needed === 1 ? 'a replica' : `${needed} replicas`}; ${who}.`,
  }
}

/**
 * What any replica of the primary was ever seen to have received, and neither the candidate nor its donor has: it may have been
 * acknowledged, whatever became of that replica.
 */
export function knownLoss(
  { memory: { held }, snapshot, settings }: Situation,
  candidate: ServerSnapshot,
  donor: ServerSnapshot | undefined,
): GtidSet {
  if (!held?.received || held.primary !== snapshot.primary) return noTransactions
  const has = union(receivedOf(candidate, settings), candidate.state?.gtid.executed ?? noTransactions)
  return subtract(held.received, donor ? union(has, receivedOf(donor, settings)) : has)
}

/** What speaks against the proof; undefined when nothing does. */
function doubtOf(primary: ServerSnapshot, semiSync: SemiSyncState, situation: Situation): string | undefined {
  if (!semiSync.sourceEnabled) return 'Replication is asynchronous'
  if (!semiSync.sourceActive)
    return `Semi-sync fell back to asynchronous (${counted(semiSync.unacknowledged, 'commit')} without acknowledgement)`
  if (semiSync.waitPoint !== 'after-sync')
    return 'The wait point is AFTER_COMMIT: clients may have read what no replica has'
  const acks = acknowledging(primary, situation)
  if (semiSync.clients === 0 || acks.length === 0) return 'No replica acknowledges'
  if (semiSync.clients > acks.length)
    return `${semiSync.clients} receivers acknowledge, of which ${counted(acks.length, 'is a reachable member', 'are reachable members')}`
  const gone = latelyGone(primary, situation)
  if (gone) return `${gone.name}, which is down as well, may have been the only one to acknowledge`
  const agedMs = (primary.failingSince ?? situation.now) - (primary.stateAt ?? 0)
  if (agedMs > semiSync.timeoutMs)
    return `The semi-sync state is ${Math.round(agedMs)} ms old, its timeout ${semiSync.timeoutMs} ms`
  return undefined
}

/** Longest age of the number of receivers that a probe reads. */
const COUNT_MS = SECOND

/** A replica that may have come after the receivers were counted, and that vanished with the primary. */
const latelyGone = (primary: ServerSnapshot, { snapshot }: Situation): ServerSnapshot | undefined =>
  followersOf(snapshot.servers, primary.id).find(
    ({ failingSince, state }) =>
      state?.semiSync.replicaEnabled === true &&
      failingSince !== undefined &&
      failingSince >= (primary.stateAt ?? 0) - COUNT_MS,
  )

const acknowledging = (primary: ServerSnapshot, { snapshot }: Situation): readonly ServerSnapshot[] =>
  snapshot.servers.filter((server) => server.id !== primary.id && isReachable(server) && wasInSync(server, primary))

/** The forecast as it reads when the primary has died. */
export function reportLoss({ kind, reason, transactions: count = 0 }: LossForecast): string {
  if (kind === 'none') return 'No acknowledged transaction is lost: every commit waited (AFTER_SYNC) for a replica.'
  if (kind === 'at-least') return `At least ${transactions(count)} ${count === 1 ? 'is' : 'are'} lost: ${reason}`
  return `Transactions may be lost: ${reason}`
}

interface Count {
  readonly situation: Situation
  readonly election: Election
  readonly doubt: string
}

/** A bound needs a primary that is read at least as late as the replica that would follow it. */
function countLoss(
  primary: ServerSnapshot,
  candidate: ServerSnapshot,
  { situation, election, doubt }: Count,
): LossForecast {
  const { settings, now } = situation
  const donor = findServer(situation.snapshot, election.donor)
  const received = union(receivedOf(candidate, settings), donor ? receivedOf(donor, settings) : noTransactions)
  const executed = primary.state?.gtid.executed ?? noTransactions
  const missing = countTransactions(subtract(executed, received))
  if (isReachable(primary)) {
    const age = Math.round(now - (primary.stateAt ?? now))
    return {
      kind: 'at-most',
      transactions: missing,
      reason: `${doubt}; missing on ${candidate.name}: at most ${transactions(missing)} that ${primary.name} had ${age} ms ago; later writes come on top.`,
    }
  }
  const known = contains(received, executed)
    ? `${candidate.name} has everything that ${primary.name} had at its last probe`
    : `${candidate.name} is missing ${transactions(missing)} that ${primary.name} had at its last probe`
  return unknown(`${doubt}; ${known}; its later writes are unknown.`)
}

const unknown = (reason: string): LossForecast => ({ kind: 'unknown', reason })

const nameIn = ({ snapshot }: Situation, id: string): string => findServer(snapshot, id)?.name ?? id
