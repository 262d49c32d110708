// The role goes back to a preferred server that is healthy again, when failover-switch-to-prefered asks for it.
import { MINUTE } from '../../base/time.js'
import type { Plan } from '../../model/operation/operation.js'
import { findServer } from '../../model/snapshot.js'
import { elect } from '../failover/election/elect.js'
import type { Situation } from '../situation/situation.js'
import { planSwitchover } from './switchover.js'

/** Least time between two changes of the primary: a preferred server that keeps failing must not drag the role about. */
const REST_MS = 5 * MINUTE

/** A switchover of the manager's own; undefined when none is due. Only where it may fail over on its own as well. */
export function planReturn(situation: Situation): Plan | undefined {
  const { snapshot, settings, memory, now } = situation
  if (!settings['failover-switch-to-prefered'] || settings['failover-mode'] !== 'automatic') return undefined
  const primary = findServer(snapshot, snapshot.primary)
  // Galera: writes stay where they are as long as that member is synced.
  if (snapshot.topology === 'galera') return undefined
  if (!primary || primary.rating === 'preferred' || snapshot.operation) return undefined
  if (now - Math.max(memory.lastFailoverAt, memory.history.at(-1)?.at ?? 0) < REST_MS) return undefined
  const { ranking } = elect(situation, { kind: 'switchover' })
  const candidate = ranking.find(
    ({ server, eligible }) => eligible && findServer(snapshot, server)?.rating === 'preferred',
  )
  if (!candidate) return undefined
  const plan = planSwitchover(situation, { user: 'manager', candidate: candidate.server })
  return plan.ok ? plan.value : undefined
}
