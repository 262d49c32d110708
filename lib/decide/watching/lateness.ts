// How late the thread of a cluster was: noted with every tick, reported when it is no longer an exception.
import { MINUTE, SECOND } from '../../base/time.js'
import type { Finding } from '../../model/finding.js'

export interface LatenessSample {
  readonly at: number
  /** All the time that the event loop lost so far, milliseconds. */
  readonly lostMs: number
}

/** The stretch that is judged. */
const WINDOW_MS = MINUTE
/** Lost within that stretch: a tenth of it. */
const MOST_LOST_MS = 6 * SECOND
/** Ticks are at most one a second. */
const MOST_SAMPLES = 60

/** The samples of the latest minute, and the one before it. */
export function noteLateness(
  samples: readonly LatenessSample[] = [],
  latest: LatenessSample,
): readonly LatenessSample[] {
  const first = samples.findLastIndex(({ at }) => latest.at - at >= WINDOW_MS)
  return [...samples.slice(Math.max(first, 0)), latest].slice(-MOST_SAMPLES)
}

export function judgeLateness(samples: readonly LatenessSample[] = [], now: number): readonly Finding[] {
  const recent = samples.filter(({ at }) => now - at <= 2 * WINDOW_MS)
  const [first, last] = [recent[0], recent.at(-1)]
  if (!first || !last) return []
  const lost = last.lostMs - first.lostMs
  if (lost < MOST_LOST_MS) return []
  return [
    {
      code: 'WARN0239',
      detail: `${seconds(lost)} s of the last ${seconds(Math.max(last.at - first.at, lost))} s were lost.`,
    },
  ]
}

const seconds = (ms: number): string => String(Math.round(ms / SECOND))
