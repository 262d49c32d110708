// How much of the time the cluster was writable, failable and in sync: three accumulators over elapsed time.

import { nextTime } from '../../../lib/decide/upkeep/timetable.js'

export interface Sla {
  readonly since: number
  readonly at: number
  readonly upMs: number
  readonly failableMs: number
  readonly syncMs: number
}

export interface SlaState {
  readonly up: boolean
  readonly failable: boolean
  readonly inSync: boolean
}

export const startSla = (now: number): Sla => ({ since: now, at: now, upMs: 0, failableMs: 0, syncMs: 0 })

/** Adds the time since the last call, counted by the state that held during it. */
export function advanceSla(sla: Sla, state: SlaState, now: number): Sla {
  const elapsed = Math.max(0, now - sla.at)
  return {
    since: sla.since,
    at: now,
    upMs: sla.upMs + (state.up ? elapsed : 0),
    failableMs: sla.failableMs + (state.failable ? elapsed : 0),
    syncMs: sla.syncMs + (state.inSync ? elapsed : 0),
  }
}

/** Closed periods that are kept. */
const PERIODS = 24

/** The running period and the closed ones, oldest first. */
export interface SlaRecord {
  readonly sla: Sla
  readonly slaHistory: readonly Sla[]
}

/** Ends the running period and begins another. A period in which nothing was seen leaves no trace. */
export function closePeriod({ sla, slaHistory }: SlaRecord, now: number): SlaRecord {
  const closed = sla.at > sla.since ? [...slaHistory, sla].slice(-PERIODS) : slaHistory
  return { sla: startSla(now), slaHistory: closed }
}

/** When periods end: `scheduler-sla-rotate` and its pattern. */
export interface SlaSchedule {
  readonly 'scheduler-sla-rotate': boolean
  readonly 'scheduler-sla-rotate-cron': string
}

/**
 * Ends the period at the first moment of the pattern after its beginning, in the zone of the process; where the manager
 * was not running then, as soon as it runs again.
 */
export function closeDue(record: SlaRecord, schedule: SlaSchedule, now: number): SlaRecord {
  if (!schedule['scheduler-sla-rotate']) return record
  const due = dueAt(schedule['scheduler-sla-rotate-cron'], record.sla.since)
  return due === undefined || now < due ? record : closePeriod(record, now)
}

/** A pattern is worked out once for each period, not with every judgement; most clusters share pattern and period. */
const dueTimes = new Map<string, number | undefined>()
const MOST_DUE_TIMES = 10_000

function dueAt(pattern: string, since: number): number | undefined {
  const key = `${since} ${pattern}`
  if (dueTimes.has(key)) return dueTimes.get(key)
  if (dueTimes.size >= MOST_DUE_TIMES) dueTimes.clear()
  const due = nextTime(pattern, since)
  dueTimes.set(key, due)
  return due
}

/** The period continues after a pause of the manager: the state of the cluster meanwhile is unknown and not counted. */
export const resumeSla = (sla: Sla, now: number): Sla => ({
  ...sla,
  since: sla.since + Math.max(0, now - sla.at),
  at: now,
})

/** Percent as text with five decimals; never rounds up to a full hundred unless nothing was missed. */
export function slaPercent(partMs: number, sla: Sla): string {
  const total = sla.at - sla.since
  if (total <= 0 || partMs >= total) return '100.00000'
  return Math.min(99.99999, (partMs / total) * 100).toFixed(5)
}
