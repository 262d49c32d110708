// The rate of a transfer from its byte counts, and the time that is left at it.
import { SECOND } from '../../../lib/base/time.js'
import type { JobProgress } from '../../../lib/model/operation/job.js'

export interface Meter {
  note(figures: { readonly bytes: number; readonly totalBytes?: number }, at: number): JobProgress
  /** Whether it was last shown at least `ms` ago; then it counts as shown. */
  due(at: number, ms: number): boolean
}

/** The rate is that of the last seconds. */
const WINDOW_MS = 10 * SECOND

export function openMeter(): Meter {
  let samples: readonly { readonly bytes: number; readonly at: number }[] = []
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    note: ({ bytes, totalBytes }, at) => {
      samples = [...samples.filter((sample) => at - sample.at <= WINDOW_MS), { bytes, at }]
      const first = samples[0] ?? { bytes, at }
      const rate = at > first.at ? Math.max(0, Math.round(((bytes - first.bytes) * SECOND) / (at - first.at))) : 0
      const left = totalBytes === undefined || rate === 0 ? undefined : ((totalBytes - bytes) * SECOND) / rate
      return {
        ...{ bytes, rate, at },
        ...(totalBytes === undefined ? {} : { totalBytes }),
        ...(left === undefined || left < 0 ? {} : { leftMs: Math.round(left) }),
      }
    },
    due: (at, ms) => {
      const is = at - shownAt >= ms
      if (is) shownAt = at
      return is
    },
  }
}
