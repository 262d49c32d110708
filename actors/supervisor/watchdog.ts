// Finds host threads that hang: their heartbeat stops while the main thread keeps checking.

import { now } from '../../lib/base/time.js'

export interface Watched {
  /** Rises while the thread turns; undefined while it is not up. */
  readonly beat: number | undefined
  /** Called once the beat has stopped for too long. */
  hung(silentMs: number): void
}

export interface WatchOptions {
  readonly pollMs: number
  /** Checks in a row that find no new beat. */
  readonly misses: number
}

interface Sight {
  readonly beat: number | undefined
  readonly misses: number
}

/** Watches the threads that `threads` lists at each check; returns the function that ends it. */
export function watch(threads: () => Iterable<Watched>, { pollMs, misses }: WatchOptions): () => void {
  const sights = new WeakMap<Watched, Sight>()
  let checkedAt = now()
  const check = () => {
    const since = now() - checkedAt
    checkedAt += since
    if (!isOnTime(since, pollMs)) return
    for (const thread of threads()) {
      const sight = judgeBeat(sights.get(thread), thread.beat)
      sights.set(thread, sight)
      if (sight.misses < misses) continue
      // The next thread in its place may be seen first at the same beat: nothing counts from this one.
      sights.delete(thread)
      thread.hung(misses * pollMs)
    }
  }
  const timer = setInterval(check, pollMs)
  return () => clearInterval(timer)
}

/**
 * Whether a check proves anything: a late one was itself without the processor, as the threads may have been.
 * Terminating those would only add to the load.
 */
export const isOnTime = (sinceMs: number, pollMs: number): boolean => sinceMs < 2 * pollMs

/** Counts checks rather than time: a main thread that was blocked itself has not checked meanwhile. */
export const judgeBeat = (before: Sight | undefined, beat: number | undefined): Sight =>
  before !== undefined && beat !== undefined && before.beat === beat
    ? { beat, misses: before.misses + 1 }
    : { beat, misses: 0 }
