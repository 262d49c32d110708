// Pauses between the steps of long work, so that probes of databases and other work on this machine come first.
import { now, sleep } from './time.js'

/**
 * A function that does one step after the other: from the second on, each waits as long as the one before it took, up to
 * a maximum. The work then takes half of a processor, and less while the machine is loaded.
 */
export function paced(longestRestMs: number, clock: () => number = now): <T>(step: () => Promise<T>) => Promise<T> {
  let restMs = 0
  return async (step) => {
    if (restMs > 0) await sleep(restMs)
    const began = clock()
    try {
      return await step()
    } finally {
      restMs = Math.min(clock() - began, longestRestMs)
    }
  }
}
