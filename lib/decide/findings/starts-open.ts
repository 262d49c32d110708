// Whether a replica may take writes after its next start: read_only that a statement set is gone then.
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isUnread } from '../failover/election/eligibility.js'
import { isReachable } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'

/**
 * Whether a replica is read-only now, and its next start is open as far as is known: SET PERSIST has kept that, its process started open,
 * or someone other than the manager had closed it by a statement when the manager read the process first. Where neither is known nothing
 * is reported.
 */
export function mayStartOpen(server: ServerSnapshot, { snapshot, memory }: Situation): boolean {
  const { slow, state, role, readOnlyIgnored, maintenance } = server
  const isReplica = (role === 'replica' || role === 'relay') && server.id !== snapshot.primary
  if (!isReplica || readOnlyIgnored || maintenance || !isReachable(server) || isUnread(server)) return false
  const { byStatement = false, kept } = slow?.readOnlySet ?? {}
  if (!state?.readOnly || !byStatement) return false
  if (kept !== undefined) return !kept
  return memory.readOnlyStarts?.[server.id]?.open === true
}
