// Rules about the primary: is it dead, was it known, has every other server had its say.
import { isReachable } from '../situation/channel.js'
import { NOTHING_TO_MOVE } from '../situation/galera.js'
import type { Situation } from '../situation/situation.js'
import { hasFailed, isGone } from '../situation/state-name.js'
import { nameOf } from './eligibility.js'
import type { Witness } from './evidence.js'
import type { VetoInput, VetoResult } from './veto.js'

export function judgeDeath({ situation: { settings, now }, evidence, primary }: VetoInput): VetoResult {
  const limit = settings['failover-falsepositive-ping-counter']
  const failing = primary?.failingSince
  const base = {
    value: primary ? `${primary.failures} failed looks, ${primary.refusals} refused` : 'no primary',
    limit: `${limit}`,
    ...(failing === undefined ? {} : { ageMs: now - failing }),
    sentence: evidence.reason,
  }
  if (evidence.level !== 'none') return { ...base, state: 'clear' }
  const down = primary !== undefined && (hasFailed(primary, settings) || isGone(primary))
  return { ...base, state: down ? 'closed' : 'waiting' }
}

export function judgeWitnesses({ situation, evidence: { witnesses }, primary }: VetoInput): VetoResult {
  const { settings } = situation
  const limit = `${settings['failover-falsepositive-heartbeat-timeout']} s`
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
        ? 'The replicas hear from the primary, as they should.'
        : 'A replica still hears from the primary: it lives, look at the way between the manager and it.',
    }
  if (witnesses.some(({ testimony }) => testimony === 'quiet' || testimony === 'outdated'))
    return {
      state: 'waiting',
      value,
      limit,
      sentence: 'The replicas have heard nothing, but not for long enough to say so.',
    }
  if (!settings['failover-falsepositive-heartbeat'])
    return {
      state: 'off',
      value,
      limit,
      sentence: 'Replicas are not waited for; one that receives would still forbid it.',
    }
  return { state: 'clear', value, limit, sentence: 'No replica hears from the primary.' }
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
        sentence: 'The primary role belongs to one server, and can be moved.',
      }

export function judgeKnown({ situation: { memory }, primary }: VetoInput): VetoResult {
  const base = { value: primary?.name ?? 'none', limit: 'seen at work' }
  if (!primary) return { ...base, state: 'closed', sentence: 'The cluster has no primary that could be replaced.' }
  return memory.primary === primary.id
    ? { ...base, state: 'clear', sentence: `${primary.name} was seen at work as the primary.` }
    : {
        ...base,
        state: 'closed',
        sentence: `${primary.name} is the primary by its replicas' word only; fail over by hand if it is gone.`,
      }
}

export function judgeOutage({ situation: { settings, memory, snapshot } }: VetoInput): VetoResult {
  const others = snapshot.servers.filter((server) => server.id !== snapshot.primary && isReachable(server))
  const base = { value: memory.totalOutage ? 'all servers were down' : 'none', limit: 'none' }
  if (!memory.totalOutage || !others.some(({ startedWithoutPrimary }) => startedWithoutPrimary))
    return { ...base, state: 'clear', sentence: 'The cluster was never down as a whole since its primary was seen.' }
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
      'The whole cluster was down and the primary is not back: it may hold more. Start it, or fail over by hand.',
  }
}

/** An election that has not seen every ballot waits: a server that is suspect has its word in a few looks. */
export function judgeSeen({ situation: { settings, snapshot } }: VetoInput): VetoResult {
  const open = snapshot.servers.filter(
    (server) =>
      server.id !== snapshot.primary &&
      !server.maintenance &&
      (server.observation === 'unseen' || (server.failures > 0 && !hasFailed(server, settings) && !isGone(server))),
  )
  const base = { value: open.map(({ name }) => name).join(', ') || 'all', limit: 'all' }
  return open.length > 0
    ? { ...base, state: 'waiting', sentence: 'Not every server was looked at; what they received is not known yet.' }
    : { ...base, state: 'clear', sentence: 'Every other server was looked at.' }
}
