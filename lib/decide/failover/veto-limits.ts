// Rules that people set: mode, limits, the outside check, maintenance, one operation at a time.
import { SECOND } from '../../base/time.js'
import type { VetoInput, VetoResult } from './veto.js'

export const judgePause = ({ situation: { settings } }: VetoInput): VetoResult =>
  settings['monitoring-pause']
    ? { state: 'closed', value: 'paused', limit: 'not paused', sentence: 'The manager does nothing on its own.' }
    : { state: 'clear', value: 'not paused', limit: 'not paused', sentence: 'The cluster is not paused.' }

export function judgeMode({ situation: { settings } }: VetoInput): VetoResult {
  const mode = settings['failover-mode']
  return mode === 'automatic'
    ? { state: 'clear', value: mode, limit: 'automatic', sentence: 'The manager may fail over on its own.' }
    : {
        state: 'closed',
        value: mode,
        limit: 'automatic',
        sentence: 'A person must start the failover, or set failover-mode to automatic.',
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
        sentence: 'The limit is reached; look into the causes, then reset the failover control.',
      }
    : {
        ...base,
        state: 'clear',
        sentence: `${memory.failoverCount} of ${limit} failovers were used since the last reset.`,
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
  if (limit <= 0) return { ...base, state: 'off', sentence: 'No pause is asked between failovers.' }
  return ageMs !== undefined && ageMs < limit * SECOND
    ? { ...base, state: 'closed', sentence: 'The last failover was too recent; wait, or reset the failover control.' }
    : { ...base, state: 'clear', sentence: 'The last failover is long enough ago.' }
}

export function judgeExternal({ situation: { settings, memory, now }, primary }: VetoInput): VetoResult {
  if (!settings['failover-falsepositive-external'])
    return { state: 'off', value: 'not asked', limit: 'dead', sentence: 'No outside check is configured.' }
  const check = memory.externalCheck
  const isOld = !check || check.at < (primary?.failingSince ?? 0)
  if (isOld)
    return {
      state: 'waiting',
      value: 'no answer yet',
      limit: 'dead',
      sentence: 'The outside check has not answered yet.',
    }
  const base = { value: check.detail, limit: 'dead', ageMs: now - check.at }
  return check.alive
    ? { ...base, state: 'closed', sentence: 'The outside check still sees the primary.' }
    : { ...base, state: 'clear', sentence: 'The outside check does not see the primary either.' }
}

export function judgeMaintenance({ primary }: VetoInput): VetoResult {
  const away = primary?.maintenance === true || primary?.stoppedOnRequest === true
  return away
    ? {
        state: 'closed',
        value: primary.maintenance ? 'maintenance' : 'stopped on request',
        limit: 'none',
        sentence: 'The primary is away on request; switch over first, or end its maintenance.',
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
