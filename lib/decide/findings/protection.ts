// Since when no server could take over, and whether that is only the short absence of one that restarts.
import { MINUTE, SECOND } from '../../base/time.js'
import type { Memory } from '../../model/memory.js'
import { isMinor } from '../../model/operation/operation.js'
import type { BareSnapshot, ServerSnapshot } from '../../model/snapshot.js'
import type { FailoverVerdict } from '../../model/verdict.js'
import { channelOf, isPositionRefused, isReachable } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'

/** A server that restarts is back and replicates within this time: until then its absence is no error, only a warning. */
export const ABSENCE_MS = MINUTE

/**
 * The memory with the time since when no server could take over; the very object where nothing changed. A failover or switchover
 * that runs leaves it as it is.
 */
export function noteProtection({ snapshot, memory, now }: Situation, verdict: FailoverVerdict): Memory {
  if (snapshot.operation && !isMinor(snapshot.operation)) return memory
  const isUnprotected = verdict.rows.some(({ rule, state }) => rule === 'candidate' && state === 'closed')
  if (isUnprotected)
    return memory.unprotectedSince === undefined ? { ...memory, unprotectedSince: Math.round(now) } : memory
  if (memory.unprotectedSince === undefined) return memory
  const { unprotectedSince: _, ...rest } = memory
  return rest
}

/**
 * No server could take over for less than ABSENCE_MS, and one of those that should does not answer, or has restarted since: it
 * may be on its way back. Restarts that follow each other do not prolong it. A former primary that was replaced when it died is
 * not on its way back, nor is a server that is back and whose source refuses its position.
 */
export function isShortAbsence({ situation }: { readonly situation: Situation }): boolean {
  const { snapshot, memory, settings, now } = situation
  const since = memory.unprotectedSince ?? now
  const hasFallen = ({ id }: ServerSnapshot) => memory.crashes.some(({ oldPrimary }) => oldPrimary === id)
  const isRefused = (server: ServerSnapshot) => {
    const channel = channelOf(server, settings)
    return isReachable(server) && channel !== undefined && isPositionRefused(channel)
  }
  const isReturning = (server: ServerSnapshot) => isAway(server, since) && !hasFallen(server) && !isRefused(server)
  return now - since < ABSENCE_MS && meantToTakeOver(snapshot).some(isReturning)
}

/** The servers beside the primary that were not left out on purpose: those are no loss of protection. */
export const meantToTakeOver = ({ servers, primary }: BareSnapshot): readonly ServerSnapshot[] =>
  servers.filter(({ id, maintenance, rating }) => id !== primary && !maintenance && rating !== 'ignored')

/** A restart between two probes is noticed a moment before what follows from it is judged. */
const NOTICED_MS = SECOND

const isAway = ({ observation, restartedAt = 0 }: ServerSnapshot, since: number): boolean =>
  observation === 'refused' || observation === 'silent' || restartedAt >= since - NOTICED_MS
