// A histogram as plain, immutable data: it lives in an actor's state, crosses threads and is rendered with the samples.

export interface Histogram {
  /** Upper bounds, rising; the last bucket without a bound is implied. */
  readonly bounds: readonly number[]
  /** Observations per bucket, not cumulated; one more than bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

export const emptyHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: bounds.map(() => 0).concat(0),
  sum: 0,
})

/** The histogram with one more value. */
export function observe(histogram: Histogram, value: number): Histogram {
  const { bounds, counts, sum } = histogram
  const found = bounds.findIndex((bound) => value <= bound)
  const bucket = found === -1 ? bounds.length : found
  return { bounds, counts: counts.with(bucket, (counts[bucket] ?? 0) + 1), sum: sum + value }
}

export const countObservations = ({ counts }: Histogram): number => counts.reduce((sum, count) => sum + count, 0)
