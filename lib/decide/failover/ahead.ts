// The primary refused once and its replicas lost it: start the failover's first steps while the death is being proven.

import type { Plan } from '../../model/operation/operation.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import type { Situation } from '../situation/situation.js'
import { isGone, REFUSALS_APART_MS } from '../situation/state-name.js'
import { judgeEvidence } from './death/evidence.js'
import { planFailover } from './failover.js'

/**
 * The failover that follows if the second probe is refused as well, starting with what can be undone: replicas
 * that have lost their source stop reconnecting. Its first re-probe waits for the proof; without it everything is undone.
 */
export function planAhead(situation: Situation): Plan | undefined {
  const { snapshot } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (primary?.observation !== 'refused' || isGone(primary)) return undefined
  const servers = snapshot.servers.map((server) => (server.id === primary.id ? refusedAgain(server) : server))
  const foreseen: Situation = { ...situation, snapshot: { ...snapshot, servers } }
  if (judgeEvidence(foreseen).level !== 'conclusive') return undefined
  const plan = planFailover(foreseen, { user: 'manager', forced: false, ahead: true })
  return plan.ok ? plan.value : undefined
}

const refusedAgain = (server: ServerSnapshot): ServerSnapshot => ({
  ...server,
  refusals: Math.max(2, server.refusals),
  refusedSince: server.observedAt - REFUSALS_APART_MS,
})
