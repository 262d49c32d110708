// Limits concurrent work: a number of pieces, optionally one at a time for the same key.
import pLimit, { type LimitFunction } from 'p-limit'

export interface Limit {
  /** Runs `work` when there is room, first come first served. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** The same, or undefined when `signal` aborts before it has started. */
  runUnless<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined>
  /** The same, one at a time for the same key: work that waits for its key does not count. */
  runAlone<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined>
  /** Pieces of work that run. */
  readonly busy: number
  /** The maximum of concurrent pieces so far. */
  readonly peak: number
  /** Pieces of work that run or wait. */
  readonly pending: number
}

/** At most `most` pieces of work at once. */
export function createLimit(most: number): Limit {
  const slots = pLimit(most)
  const lines = new Map<string, { readonly next: LimitFunction; length: number }>()
  let [busy, peak, pending] = [0, 0, 0]

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    pending += 1
    try {
      return await slots(async () => {
        busy += 1
        peak = Math.max(peak, busy)
        try {
          return await work()
        } finally {
          busy -= 1
        }
      })
    } finally {
      pending -= 1
    }
  }

  /** One queue for each key, as long as something waits or runs in it. */
  const inLine = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { next: pLimit(1), length: 0 }
    lines.set(key, line)
    line.length += 1
    try {
      return await line.next(work)
    } finally {
      line.length -= 1
      if (line.length === 0) lines.delete(key)
    }
  }

  return {
    run,
    runUnless: (signal, work) => unlessAborted(signal, work, run),
    runAlone: (key, signal, work) =>
      unlessAborted(signal, work, (begin) => inLine(key, () => (signal.aborted ? begin() : run(begin)))),
    get busy() {
      return busy
    },
    get peak() {
      return peak
    },
    get pending() {
      return pending
    },
  }
}

/** Passes `work` to `start`; stops waiting at the abort, after which it is not started. */
function unlessAborted<T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  start: (begin: () => Promise<T | undefined>) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    signal.addEventListener('abort', abort, { once: true })
    const begin = async () => {
      signal.removeEventListener('abort', abort)
      return signal.aborted ? undefined : work()
    }
    start(begin).then(resolve, reject)
  })
}
