// Time is milliseconds inside. The clock never jumps: wall time at start plus monotonic progress, so that a
// corrected system clock is never taken for silence of a server.
export const MILLISECOND = 1
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Milliseconds since the epoch by a clock that only moves forward evenly (wall clock at start + monotonic). */
export const now = (): number => performance.timeOrigin + performance.now()

/** Milliseconds of the machine's steady clock: the same in every thread and process, whatever the time of day is set to. */
export function steadyNow(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * SECOND + nanoseconds / 1e6
}

/** `2026-11-21T07:40:12.345Z` of a `now()` value. */
export const isoTime = (at: number): string => new Date(at).toISOString()

/**
 * Milliseconds since the epoch of a text that a person wrote, in the forms of `Date.parse`; undefined for one that is no time,
 * and for a day that its month does not have: `Date.parse` takes 30 February as 2 March.
 */
export function parseTime(text: string): number | undefined {
  const [, year, month, day] = /^\s*(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? []
  const days = year === undefined ? 31 : new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const at = Date.parse(text)
  return Number.isNaN(at) || Number(day ?? 1) > days ? undefined : at
}

/** `2026/11/21 07:40:12` of a `now()` value in UTC: the text form log entries have on the wire. */
export const logTime = (at: number): string => isoTime(at).slice(0, 19).replaceAll('-', '/').replace('T', ' ')

/** Calls `end` after so many milliseconds; the answer takes that back. */
export type Timer = (ms: number, end: () => void) => () => void

/** By the machine's clock. */
export const startTimer: Timer = (ms, end) => {
  const timer = setTimeout(end, ms)
  return () => clearTimeout(timer)
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function sleep(ms: number, signal?: AbortSignal, timer = startTimer): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const settle = () => {
      cancel()
      signal?.removeEventListener('abort', settle)
      resolve()
    }
    const cancel = timer(ms, settle)
    signal?.addEventListener('abort', settle, { once: true })
  })
}
