// Before a closed primary is opened again: who may know more than it, and who is to acknowledge its commits.
import { transactions } from '../../base/counted.js'
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import {
  countTransactions,
  formatSet,
  type GtidSet,
  isEmpty,
  noTransactions,
  subtract,
  union,
} from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, mainChannel, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isReachable } from '../situation/channel.js'
import { wantsAcknowledgements } from '../situation/durability.js'
import { isGaleraMember } from '../situation/galera.js'
import { ownElsewhere } from '../situation/history/candidate-history.js'
import { missingAtOpening } from '../situation/history/history.js'
import { heldByOrigin } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import { reachableFollowersOf } from '../situation/topology/sources.js'

/**
 * Why a server must not take writes; undefined when nothing speaks against it. A Galera member gets what it is missing itself.
 * With `behind`, what the server's own replication brings does not count.
 */
export function refuseOpening(situation: Situation, id: ServerId, { behind = false } = {}): string | undefined {
  const server = findServer(situation.snapshot, id)
  if (!server || isGaleraMember(server)) return undefined
  const own = ownElsewhere(server, situation)
  const missed = missingAtOpening(situation, server)
  const set = union(behind ? subtract(missed, comingTo(server, situation)) : missed, own?.set ?? noTransactions)
  if (isEmpty(set)) return undefined
  return `${server.name} is missing ${transactions(countTransactions(set))} that other servers held: ${formatSet(set)}; fail over to a server that holds them`
}

/** What its channel brings, by origin: what it received, and what its source holds; none unless both threads run and the source answers. */
function comingTo(server: ServerSnapshot, { snapshot, settings }: Situation): GtidSet {
  const channel = channelOf(server, settings)
  const source = findServer(snapshot, server.sourceId)
  if (channel?.io !== 'running' || channel.sql !== 'running' || !source || !isReachable(source)) return noTransactions
  return union(heldByOrigin(server, settings), heldByOrigin(source, settings))
}

/** Hosts bring a server back within so long. */
const COMING_BACK_MS = 10 * SECOND

/** A server that was lost a moment ago, and that may hold what the primary has lost: it is waited for, not for long. */
export const mayComeBack = ({ snapshot, now }: Situation, { id }: ServerSnapshot): boolean =>
  snapshot.servers.some(
    (server) => server.id !== id && !server.maintenance && now - (server.failingSince ?? 0) < COMING_BACK_MS,
  )

/**
 * Semi-sync is configured, the source side is off, as after a restart, and a follower whose receiving thread is in one of
 * these states could acknowledge.
 */
export function missingAcknowledgements(
  { snapshot, memory, settings }: Situation,
  { id, state }: ServerSnapshot,
  threads: readonly Channel['io'][],
): { readonly follower: ServerSnapshot; readonly replica: boolean } | undefined {
  const semiSync = state?.semiSync
  const wanted = wantsAcknowledgements({ settings, memory })
  if (!semiSync || !wanted || semiSync.sourceEnabled || semiSync.waitPoint === 'none') return undefined
  const follower = reachableFollowersOf(snapshot.servers, id).find(
    (one) => one.state?.semiSync.replicaEnabled && threads.includes(mainChannel(one)?.io ?? 'stopped'),
  )
  return follower && { follower, replica: semiSync.replicaEnabled }
}

/** Before the first write: acknowledged on one server only, it would be lost if that one died again. */
export function enableAcknowledgements(situation: Situation, primary: ServerSnapshot): readonly Command[] {
  const due = missingAcknowledgements(situation, primary, ['running', 'connecting'])
  if (!due) return []
  return [{ type: 'set-semi-sync', server: primary.id, source: true, replica: due.replica, bestEffort: true }]
}
