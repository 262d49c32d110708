// Before a closed primary is opened again: what it may have lost, who may know more, and who is to answer its commits.
import { SECOND } from '../../base/time.js'
import type { Command } from '../../model/operation/command.js'
import { type GtidSet, noTransactions, subtract, union } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable } from '../situation/channel.js'
import { executedByOrigin, heldByOrigin, isOrigin, pick } from '../situation/holdings.js'
import type { Situation } from '../situation/situation.js'
import { reachableFollowersOf } from '../situation/sources.js'

/**
 * Transactions of the primary's own that others received and the primary lost in a crash: opening it would fork the
 * history, with GTIDs that are in use. A server that holds them need not follow it any more. Known only of a primary that was
 * read after them, and that restarted or is closed: one that writes may report a commit after its replicas have it.
 */
export function lostByPrimary({ snapshot, settings }: Situation, primary: ServerSnapshot): GtidSet {
  const { state } = primary
  if (!state || !isReachable(primary) || (primary.restartedAt === undefined && !state.readOnly)) return noTransactions
  return snapshot.servers
    .filter((server) => server.id !== primary.id && isReachable(server) && !server.maintenance)
    .filter(({ stateAt }) => (stateAt ?? 0) <= (primary.stateAt ?? 0))
    .map((server) => pick(heldByOrigin(server, settings), (stream) => isOrigin(stream, state)))
    .reduce((set, own) => union(set, subtract(own, executedByOrigin(primary))), noTransactions)
}

/** Hosts bring a server back within so long. */
const COMING_BACK_MS = 10 * SECOND

/** A server that was lost a moment ago, and that may hold what the primary has lost: it is waited for, not for long. */
export const mayComeBack = ({ snapshot, now }: Situation, { id }: ServerSnapshot): boolean =>
  snapshot.servers.some(
    (server) => server.id !== id && !server.maintenance && now - (server.failingSince ?? 0) < COMING_BACK_MS,
  )

/**
 * Semi-sync is wanted, the source side is off, as after a restart, and a follower whose receiving thread is in one of
 * these states could acknowledge.
 */
export function missingAcknowledgements(
  { snapshot, memory, settings }: Situation,
  { id, state }: ServerSnapshot,
  threads: readonly Channel['io'][],
): { readonly follower: ServerSnapshot; readonly replica: boolean } | undefined {
  const semiSync = state?.semiSync
  const wanted = memory.semiSync || settings['force-slave-semisync']
  if (!semiSync || !wanted || semiSync.sourceEnabled || semiSync.waitPoint === 'none') return undefined
  const follower = reachableFollowersOf(snapshot.servers, id).find(
    (one) => one.state?.semiSync.replicaEnabled && one.state.channels.some(({ io }) => threads.includes(io)),
  )
  return follower && { follower, replica: semiSync.replicaEnabled }
}

/** Before the first write: acknowledged on one server only, it would be lost if that one died again. */
export function enableAcknowledgements(situation: Situation, primary: ServerSnapshot): readonly Command[] {
  const due = missingAcknowledgements(situation, primary, ['running', 'connecting'])
  if (!due) return []
  return [{ type: 'set-semi-sync', server: primary.id, source: true, replica: due.replica, bestEffort: true }]
}
