// How large the next part of a checksum is, and how long the servers rest before it. Pure.
import { MINUTE, SECOND } from '../../base/time.js'

/** Rows of a part: the first one's, the least and the most. */
export const FIRST_ROWS = 1_000
const LEAST_ROWS = 100
const MOST_ROWS = 20_000
/** A part is to take about so long on the primary. */
const TARGET_MS = SECOND / 4

/** The size that would have taken the wanted time, at most twice the one before, and never beyond the bounds. */
export function nextSize(before: number, { rows, tookMs }: { readonly rows: number; readonly tookMs: number }): number {
  // A last part, or one that was nearly empty, shows nothing of the speed.
  if (rows < before / 2) return before
  const wanted = (before * TARGET_MS) / Math.max(1, tookMs)
  return Math.round(Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.min(wanted, before * 2))))
}

/** After a part that ran into its time limit; undefined: the least one did. */
export const smallerSize = (before: number): number | undefined =>
  before <= LEAST_ROWS ? undefined : Math.max(LEAST_ROWS, Math.round(before / 4))

export interface Pressure {
  /** The compared replica that is furthest behind, and how far, seconds; undefined where none reports it. */
  readonly lag?: { readonly name: string; readonly seconds: number }
  /** Sessions of the primary that execute a statement, the checksum's own among them. */
  readonly running: number
}

export interface PressureBounds {
  /** `monitoring-checksum-max-lag`, seconds; 0: none. */
  readonly lagSeconds: number
  /** `monitoring-checksum-max-running`; 0: none. */
  readonly running: number
}

export interface Rest {
  readonly ms: number
  /** Which bound is passed; absent for the rest between two parts. */
  readonly reason?: string
}

/** Under pressure it is asked again after so long. */
const PRESSED_MS = SECOND
/** Between two parts the servers rest half as long as the part took, at most so long. */
const LONGEST_MS = SECOND

export function judgePace({ lag, running }: Pressure, bounds: PressureBounds, tookMs: number): Rest {
  if (bounds.lagSeconds > 0 && lag && lag.seconds > bounds.lagSeconds)
    return { ms: PRESSED_MS, reason: `${lag.name} is ${lag.seconds} s behind, the limit is ${bounds.lagSeconds} s` }
  if (bounds.running > 0 && running > bounds.running)
    return { ms: PRESSED_MS, reason: `the primary runs ${running} statements, the limit is ${bounds.running}` }
  return { ms: Math.min(LONGEST_MS, Math.round(tookMs / 2)) }
}

/** A replica that has not applied what the primary had so long after it was read is left out of the table. */
export const APPLIED_WITHIN_MS = MINUTE
