// Rules about the primary: is it dead, was it known, has every other server had its say.
import { isReachable } from '../../situation/channel.js'
import { NOTHING_TO_MOVE } from '../../situation/galera.js'
import type { Situation } from '../../situation/situation.js'
import { hasFailed, isGone } from '../../situation/state-name.js'
import type { Witness } from '../death/evidence.js'
import { nameOf } from '../election/eligibility.js'
import type { VetoInput, VetoResult } from './veto.js'

export function judgeDeath({ situation: { settings, now }, evidence, primary }: VetoInput): VetoResult {
  const limit = settings['failover-falsepositive-ping-counter']
  const failing = primary?.failingSince
  const base = {
    value: primary ? `${primary.failures} failed probes, ${primary.refusals} refused` : 'no primary',
    limit: `${limit}`,
    ...(failing === undefined ? {} : { ageMs: now - failing }),
    sentence: evidence.reason,
  }
  if (evidence.level !== 'none') return { ...base, state: 'clear' }
  const down = primary !== undefined && (hasFailed(primary, settings) || isGone(primary))
  return { ...base, state: down ? 'closed' : 'waiting' }
}

export function judgeWitnesses({ situation, evidence: { witnesses, missing }, primary }: VetoInput): VetoResult {
  const { settings } = situation
  const limit = `${settings['failover-falsepositive-heartbeat-timeout']} s`
  if (missing)
    return { state: 'off', value: 'not needed', limit, sentence: 'The primary answers, and is missing transactions.' }
  const value = witnesses.map((witness) => testimonyText(witness, situation)).join(', ') || 'no replica reachable'
  const receiving = witnesses.filter(({ testimony }) => testimony === 'receives')
  const running = primary && isReachable(primary)
  if (receiving.length > 0)
    return {
      state: 'closed',
      value,
      limit,
      ageMs: Math.min(...receiving.map(({ silentMs }) => silentMs)),
      sentence: running
        ? 'Replicas still receive from the primary: it is healthy.'
        : 'A replica still receives from the primary: it is alive; check the network path between manager and primary.',
    }
  if (witnesses.some(({ testimony }) => testimony === 'quiet' || testimony === 'outdated'))
    return {
      state: 'waiting',
      value,
      limit,
      sentence: 'The replicas have received nothing, but not yet for long enough.',
    }
  if (!settings['failover-falsepositive-heartbeat'])
    return {
      state: 'off',
      value,
      limit,
      sentence: 'Replicas are not waited for; one that still receives would block the failover.',
    }
  return { state: 'clear', value, limit, sentence: 'No replica receives from the primary.' }
}

const testimonyText = ({ server, testimony, silentMs, neededMs }: Witness, situation: Situation): string =>
  testimony === 'cut-off' || testimony === 'abstains'
    ? `${nameOf(situation, server)} ${testimony}`
    : `${nameOf(situation, server)} ${testimony} (${Math.round(silentMs)} of ${Math.round(neededMs)} ms)`

export const judgeShape = ({ situation: { snapshot } }: VetoInput): VetoResult =>
  snapshot.topology === 'galera'
    ? { state: 'closed', value: 'galera', limit: 'replicas', sentence: NOTHING_TO_MOVE }
    : {
        ...{ state: 'clear', value: snapshot.topology, limit: 'replicas' },
        sentence: 'One server has the primary role, and it can be moved.',
      }

export function judgeKnown({ situation: { memory }, primary }: VetoInput): VetoResult {
  const base = { value: primary?.name ?? 'none', limit: 'seen as primary' }
  if (!primary) return { ...base, state: 'closed', sentence: 'The cluster has no primary that could be replaced.' }
  return memory.primary === primary.id
    ? { ...base, state: 'clear', sentence: `The manager has observed ${primary.name} acting as primary.` }
    : {
        ...base,
        state: 'closed',
        sentence: `${primary.name} has only been reported as primary by its replicas; start the failover manually if it is gone.`,
      }
}

export function judgeOutage({ situation: { settings, memory, snapshot } }: VetoInput): VetoResult {
  const others = snapshot.servers.filter((server) => server.id !== snapshot.primary && isReachable(server))
  const base = { value: memory.totalOutage ? 'all servers were down' : 'none', limit: 'none' }
  if (!memory.totalOutage || !others.some(({ startedWithoutPrimary }) => startedWithoutPrimary))
    return {
      ...base,
      state: 'clear',
      sentence: 'The cluster has not been down as a whole since its primary was last seen.',
    }
  if (settings['failover-restart-unsafe'])
    return {
      ...base,
      state: 'off',
      sentence: 'The first server after a total outage may take over (failover-restart-unsafe).',
    }
  return {
    ...base,
    state: 'closed',
    sentence:
      'The whole cluster was down and the primary is not back; it may have more transactions. Start it, or start the failover manually.',
  }
}

/** The election waits until every server's received set is known: a suspect server answers or fails within a few probes. */
export function judgeSeen({ situation: { settings, snapshot } }: VetoInput): VetoResult {
  const open = snapshot.servers.filter(
    (server) =>
      server.id !== snapshot.primary &&
      !server.maintenance &&
      (server.observation === 'unseen' || (server.failures > 0 && !hasFailed(server, settings) && !isGone(server))),
  )
  const base = { value: open.map(({ name }) => name).join(', ') || 'all', limit: 'all' }
  return open.length > 0
    ? { ...base, state: 'waiting', sentence: 'Not all servers have been probed; what they received is not known yet.' }
    : { ...base, state: 'clear', sentence: 'All other servers have been probed.' }
}
