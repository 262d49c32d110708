// Whether a replica may take writes after its next start: read_only that a statement set is gone then.
import { SECOND } from '../../base/time.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isUnread } from '../failover/election/eligibility.js'
import { isReachable } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'

/**
 * Whether read_only of a replica was set by a statement since its start, and not by the manager as it moved the primary role. A server
 * does not say what its files have once a statement has set the variable: of one that the manager closed after it was the primary nothing is
 * known, and nothing is said.
 */
export function mayStartOpen(server: ServerSnapshot, { snapshot, memory }: Situation): boolean {
  const { slow, state, role, readOnlyIgnored, maintenance } = server
  const isReplica = role === 'replica' || role === 'relay'
  if (!isReplica || server.id === snapshot.primary || readOnlyIgnored || maintenance || !isReachable(server))
    return false
  if (!state?.readOnly || slow?.readOnlyByStatement !== true || isUnread(server)) return false
  const startedAt = (server.stateAt ?? 0) - state.uptimeSeconds * SECOND
  return !memory.history.some(
    ({ at, oldPrimary, newPrimary }) => at > startedAt && [oldPrimary, newPrimary].includes(server.id),
  )
}
