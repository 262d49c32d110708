// How far one replica was behind within one hour. Plain data.

/** One hour of one replica. */
export interface DelayHour {
  /** Beginning of the hour, milliseconds since the epoch. */
  readonly hour: number
  /** Ticks that were counted, and those of them with any delay, and with replication stopped by an error. */
  readonly samples: number
  readonly delayed: number
  readonly failed: number
  /** Seconds: the sum over the samples, and the longest. */
  readonly sum: number
  readonly longest: number
}
