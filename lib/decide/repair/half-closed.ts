// MySQL: replicas that are read_only and not super_read_only, on which accounts with SUPER or CONNECTION_ADMIN may write.
import { SECOND } from '../../base/time.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { isUnread } from '../failover/election/eligibility.js'
import { isReachable } from '../situation/channel.js'
import { wasMember } from '../situation/history/membership.js'
import type { Situation } from '../situation/situation.js'
import { isSteady } from '../situation/snapshot/rival.js'
import { seenTogether } from '../situation/snapshot/together.js'
import type { Repair } from './enforce.js'

/**
 * A former primary, as far as the manager remembers, is closed by super_read_only, as everything that it closes on MySQL: one that started with
 * read_only alone gets it. Any other replica stays as its files have it, and so does one whose state a statement has set, where a person
 * may be repairing a row (WARN0273): the job table of a server takes no order under super_read_only.
 */
export function closeWhole(situation: Situation): Repair | undefined {
  const server = situation.snapshot.servers.find((one) => isToBeClosed(one, situation))
  return (
    server && {
      reason: `${server.name} was the primary, and started with read_only and without super_read_only`,
      commands: [{ type: 'make-read-only', server: server.id, timeoutMs: 2 * SECOND }],
    }
  )
}

/** Half closed, and not for a moment: the slow reading saw it, too. What the manager closes now is not meant. */
export function staysHalfClosed(server: ServerSnapshot, situation: Situation): boolean {
  const { snapshot, settings } = situation
  if (snapshot.operation || isUnread(server) || server.slow?.readOnlySet?.superOn !== false) return false
  const isLeft = settings['monitoring-observe'] || settings['monitoring-pause'] || !isToBeClosed(server, situation)
  return isLeft && isHalfClosed(server, situation)
}

function isToBeClosed(server: ServerSnapshot, situation: Situation): boolean {
  const { snapshot, settings, memory } = situation
  if (!settings['failover-readonly-state'] || !settings['force-slave-readonly']) return false
  if (![...memory.crashes, ...memory.history].some(({ oldPrimary }) => oldPrimary === server.id)) return false
  const { slow } = server
  if (!isHalfClosed(server, situation) || !slow?.readOnlySet || isUnread(server)) return false
  if (slow.readOnlySet.superOn !== false || slow.readOnlySet.byStatement) return false
  // What the manager closed since that reading was opened by a statement.
  if ((memory.fenced?.[server.id]?.at ?? Number.NEGATIVE_INFINITY) >= slow.at) return false
  return isSteady(server, snapshot) && wasMember(situation, server) && seenTogether(snapshot.servers, settings)
}

function isHalfClosed(server: ServerSnapshot, { snapshot }: Situation): boolean {
  const { role, state, readOnlyIgnored, maintenance } = server
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || server === primary || !isReachable(server) || readOnlyIgnored || maintenance) return false
  if (snapshot.topology === 'active-passive' || (role !== 'replica' && role !== 'relay')) return false
  return state !== undefined && state.identity.flavour !== 'mariadb' && state.readOnly && !state.superReadOnly
}
