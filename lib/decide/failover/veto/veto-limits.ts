// Rules that people set: mode, limits, the outside check, maintenance, one operation at a time.
import { SECOND } from '../../../base/time.js'
import type { VetoInput, VetoResult } from './veto.js'

export const judgeObserve = ({ situation: { settings } }: VetoInput): VetoResult =>
  settings['monitoring-observe']
    ? {
        state: 'closed',
        value: 'observed',
        limit: 'not observed',
        sentence: 'The cluster is only observed: the manager changes nothing.',
      }
    : { state: 'clear', value: 'not observed', limit: 'not observed', sentence: 'The manager may change the cluster.' }

export const judgePause = ({ situation: { settings } }: VetoInput): VetoResult =>
  settings['monitoring-pause']
    ? {
        state: 'closed',
        value: 'paused',
        limit: 'not paused',
        sentence: 'Monitoring is paused: the manager takes no action automatically.',
      }
    : { state: 'clear', value: 'not paused', limit: 'not paused', sentence: 'The cluster is not paused.' }

/** Only the instance that can prove its ownership acts. */
export function judgeOwnership({ situation: { snapshot }, primary }: VetoInput): VetoResult {
  const value = snapshot.tenure ?? 'owner'
  const sentence =
    value === 'standby'
      ? 'Another instance of the manager owns the cluster, or none does; this one changes nothing.'
      : 'This instance cannot prove that it owns the cluster: its lease was not renewed.'
  if (value !== 'owner') return { state: 'closed', value, limit: 'owner', sentence }
  const { confirmed } = snapshot
  if (confirmed !== undefined && primary?.failingSince !== undefined && confirmed < primary.failingSince)
    return {
      ...{ state: 'waiting', value: 'not confirmed', limit: 'owner' },
      sentence: 'The arbitrator has not confirmed yet that no other instance of the manager sees the primary.',
    }
  return { state: 'clear', value, limit: 'owner', sentence: 'This instance owns the cluster.' }
}

/** Two managers that act close each other's primaries. */
export const judgeRivalry = ({ situation: { snapshot } }: VetoInput): VetoResult =>
  snapshot.rival?.acts
    ? {
        state: 'closed',
        value: snapshot.rival.hosts.join(', '),
        limit: 'none',
        sentence: `Another manager, at ${snapshot.rival.hosts.join(', ')}, acts on these servers; this one changes nothing.`,
      }
    : {
        state: 'clear',
        value: snapshot.rival ? `${snapshot.rival.hosts.join(', ')} gives way` : 'none',
        limit: 'none',
        sentence: 'No other manager acts on these servers.',
      }

export function judgeMode({ situation: { settings } }: VetoInput): VetoResult {
  const mode = settings['failover-mode']
  return mode === 'automatic'
    ? { state: 'clear', value: mode, limit: 'automatic', sentence: 'The manager may fail over automatically.' }
    : {
        state: 'closed',
        value: mode,
        limit: 'automatic',
        sentence: 'Start the failover manually, or set failover-mode to automatic.',
      }
}

export function judgeLimit({ situation: { settings, memory } }: VetoInput): VetoResult {
  const limit = settings['failover-limit']
  const base = { value: `${memory.failoverCount}`, limit: `${limit}` }
  if (limit <= 0) return { ...base, state: 'off', sentence: 'The number of failovers is not limited.' }
  return memory.failoverCount >= limit
    ? {
        ...base,
        state: 'closed',
        sentence: 'The limit is reached; investigate the causes, then reset the failover control.',
      }
    : {
        ...base,
        state: 'clear',
        sentence: `${memory.failoverCount} of ${limit} allowed failovers used since the last reset.`,
      }
}

export function judgeTimeLimit({ situation: { settings, memory, now } }: VetoInput): VetoResult {
  const limit = settings['failover-time-limit']
  const never = memory.lastFailoverAt === 0
  const ageMs = never ? undefined : Math.max(0, now - memory.lastFailoverAt)
  const base = {
    value: ageMs === undefined ? 'never' : `${Math.floor(ageMs / SECOND)} s`,
    limit: `${limit} s`,
    ...(ageMs === undefined ? {} : { ageMs }),
  }
  if (limit <= 0) return { ...base, state: 'off', sentence: 'No minimum time between failovers is set.' }
  return ageMs !== undefined && ageMs < limit * SECOND
    ? { ...base, state: 'closed', sentence: 'The last failover was too recent; wait, or reset the failover control.' }
    : { ...base, state: 'clear', sentence: 'The last failover is long enough ago.' }
}

export function judgeExternal({ situation: { settings, memory, now }, primary }: VetoInput): VetoResult {
  if (!settings['failover-falsepositive-external'])
    return { state: 'off', value: 'not configured', limit: 'dead', sentence: 'No external check is configured.' }
  const check = memory.externalCheck
  const isOld = !check || check.at < (primary?.failingSince ?? 0)
  if (isOld)
    return {
      state: 'waiting',
      value: 'no answer yet',
      limit: 'dead',
      sentence: 'The external check has not answered yet.',
    }
  const base = { value: check.detail, limit: 'dead', ageMs: now - check.at }
  return check.alive
    ? { ...base, state: 'closed', sentence: 'The external check still reaches the primary.' }
    : { ...base, state: 'clear', sentence: 'The external check does not reach the primary either.' }
}

export function judgeMaintenance({ primary }: VetoInput): VetoResult {
  const away = primary?.maintenance === true || primary?.stoppedOnRequest === true
  return away
    ? {
        state: 'closed',
        value: primary.maintenance ? 'maintenance' : 'stopped on request',
        limit: 'none',
        sentence: 'The primary is in maintenance or stopped on request; switch over first, or end its maintenance.',
      }
    : { state: 'clear', value: 'none', limit: 'none', sentence: 'The primary is not in maintenance.' }
}

export function judgeOperation({ situation: { snapshot, now } }: VetoInput): VetoResult {
  const running = snapshot.operation
  return running
    ? {
        state: 'closed',
        value: running.id,
        limit: 'none',
        ageMs: now - running.startedAt,
        sentence: `${running.kind} by ${running.owner} is running.`,
      }
    : { state: 'clear', value: 'none', limit: 'none', sentence: 'No operation is running.' }
}
