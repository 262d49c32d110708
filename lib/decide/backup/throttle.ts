// How fast a backup may read its source, by how far the source is behind. Pure.
export interface Throttle {
  /** Bytes a second; undefined: as fast as it goes. */
  readonly limit: number | undefined
}

/** A transfer without bytes counts as hung. */
export const LEAST_RATE = 256 * 1024

export interface LagReading {
  /** Of the source, seconds; undefined where it is not known. */
  readonly lagSeconds: number | undefined
  /** `backup-throttle-lag`, seconds; 0: never throttled. */
  readonly bound: number
  /** Bytes a second, as measured. */
  readonly rate: number
  /** `backup-bandwidth`, bytes a second; undefined: none. */
  readonly ceiling: number | undefined
}

/**
 * Beyond the bound the rate is halved at each reading; below half of it, doubled until the ceiling, or, without one, until
 * it is four times what was measured before the first limit and so no limit.
 */
export function judgeThrottle(before: Throttle, { lagSeconds, bound, rate, ceiling }: LagReading): Throttle {
  if (bound === 0 || lagSeconds === undefined) return before
  if (lagSeconds > bound) {
    const from = Math.min(before.limit ?? Number.POSITIVE_INFINITY, rate > 0 ? rate : (before.limit ?? LEAST_RATE))
    return { limit: Math.max(LEAST_RATE, Math.round(from / 2)) }
  }
  if (lagSeconds > bound / 2 || before.limit === undefined || before.limit === ceiling) return before
  const doubled = before.limit * 2
  if (ceiling !== undefined && doubled >= ceiling) return { limit: ceiling }
  // What was asked for is more than it uses: the limit holds nothing back.
  return doubled > rate * 4 ? { limit: ceiling } : { limit: doubled }
}
