// How far a replica was behind, hour by hour: counted with every tick, printed, and kept for some hours.
import { HOUR } from '../../base/time.js'
import type { DelayHour } from '../../model/server/delay-hour.js'

export interface DelaySample {
  readonly at: number
  /** Absent where it cannot be known. */
  readonly seconds?: number | undefined
  readonly failed: boolean
}

/** The hours with one more sample, newest last; those older than `keep` hours are gone. */
export function noteDelay(
  hours: readonly DelayHour[] = [],
  { at, seconds, failed }: DelaySample,
  keep: number,
): readonly DelayHour[] {
  if (seconds === undefined && !failed) return hours
  const hour = Math.floor(at / HOUR) * HOUR
  const last = hours.at(-1)
  const isSame = last?.hour === hour
  const before = isSame ? last : { hour, samples: 0, delayed: 0, failed: 0, sum: 0, longest: 0 }
  const behind = seconds ?? 0
  const latest: DelayHour = {
    hour,
    samples: before.samples + 1,
    delayed: before.delayed + (behind > 0 ? 1 : 0),
    failed: before.failed + (failed ? 1 : 0),
    sum: before.sum + behind,
    longest: Math.max(before.longest, behind),
  }
  return [...(isSame ? hours.slice(0, -1) : hours), latest].slice(-keep)
}

/** All of them as one. */
export const sumDelays = (hours: readonly DelayHour[]): DelayHour =>
  hours.reduce(
    (all, one) => ({
      hour: all.hour,
      samples: all.samples + one.samples,
      delayed: all.delayed + one.delayed,
      failed: all.failed + one.failed,
      sum: all.sum + one.sum,
      longest: Math.max(all.longest, one.longest),
    }),
    { hour: hours[0]?.hour ?? 0, samples: 0, delayed: 0, failed: 0, sum: 0, longest: 0 },
  )

/** Mean over the samples, seconds. */
export const meanDelay = ({ sum, samples }: DelayHour): number => (samples === 0 ? 0 : sum / samples)

/** `mean 0.4 s, longest 3 s, behind in 12 of 1800 samples, stopped in 0`. */
export const renderDelay = (hour: DelayHour): string =>
  `mean ${meanDelay(hour).toFixed(1)} s, longest ${Math.round(hour.longest)} s, ` +
  `behind in ${hour.delayed} of ${hour.samples} samples, stopped in ${hour.failed}`

/** The hours before the latest one, newest first, as text: `13:00 mean …; 12:00 mean …`, in UTC. */
export const renderDelayHistory = (hours: readonly DelayHour[]): string =>
  hours
    .slice(0, -1)
    .toReversed()
    .map((hour) => {
      const begin = String(Math.floor(hour.hour / HOUR) % 24).padStart(2, '0')
      return `${begin}:00 mean ${meanDelay(hour).toFixed(1)} s longest ${Math.round(hour.longest)} s`
    })
    .join('; ')
