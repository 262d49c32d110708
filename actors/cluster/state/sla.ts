// How much of the time the cluster was writable, failable and in sync: three accumulators over elapsed time.

import { isoTime } from '../../../lib/base/time.js'

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

/** A period ends with its month (UTC) at the latest. */
export const closeMonth = (record: SlaRecord, now: number): SlaRecord =>
  monthOf(record.sla.since) === monthOf(now) ? record : closePeriod(record, now)

const monthOf = (at: number): string => isoTime(at).slice(0, 7)

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
