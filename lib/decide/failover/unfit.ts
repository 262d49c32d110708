// A primary that answers and is missing part of the history: when it is replaced by the server that holds all of it.

import { transactions } from '../../base/counted.js'
import { SECOND } from '../../base/time.js'
import { contains, countTransactions, isEmpty, noTransactions } from '../../model/server/gtid.js'
import { findServer } from '../../model/snapshot.js'
import { isReachable, isWritable, receivedOf } from '../situation/channel.js'
import { mayMissOwn } from '../situation/history/candidate-history.js'
import { missingFromPrimary, wroteNothing } from '../situation/history/history.js'
import { heldByOrigin } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import type { Evidence } from './death/evidence.js'
import type { Election } from './election/elect.js'

/** Hosts bring a server back within so long: it may hold more than the candidate. */
const COMING_BACK_MS = 10 * SECOND

/**
 * The evidence as it stands, or, for a closed primary that must not be opened, the evidence that it can be replaced without a
 * loss: the candidate holds everything that it is missing and everything that it has. One that took writes without the
 * history, or that a person closed, is replaced on request only: its GTIDs may name transactions of their own.
 */
export function judgeUnfit(
  evidence: Evidence,
  election: Election,
  { situation, forced }: { readonly situation: Situation; readonly forced: boolean },
): Evidence {
  const { snapshot, memory, settings, now } = situation
  const primary = findServer(snapshot, snapshot.primary)
  const candidate = findServer(snapshot, election.candidate)
  if (!primary?.state || !candidate || !isReachable(primary) || primary.maintenance) return evidence
  const missing = missingFromPrimary(situation, primary)
  if (isEmpty(missing) || !contains(heldByOrigin(candidate, settings), missing)) return evidence
  const isUnused = !memory.held?.forked || wroteNothing(primary)
  const isClosed = !isWritable(primary) && isUnused && !memory.closedByHand
  const isAll =
    contains(receivedOf(candidate, settings), primary.state.gtid.executed ?? noTransactions) &&
    !mayMissOwn(candidate, situation)
  const isWaiting = snapshot.servers.some(
    ({ id, maintenance, failingSince = 0 }) => id !== primary.id && !maintenance && now - failingSince < COMING_BACK_MS,
  )
  if (!forced && (!isClosed || !isAll || isWaiting)) return evidence
  return {
    ...{ level: 'conclusive', witnesses: [], missing },
    reason: `${primary.name} is missing ${transactions(countTransactions(missing))} that ${candidate.name} holds.`,
  }
}
