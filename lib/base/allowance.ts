// How often something may be done within a time, for each key: the oldest uses are forgotten first.
import { LRUCache } from 'lru-cache'
import { steadyNow } from './time.js'

export interface Bound {
  readonly most: number
  readonly withinMs: number
}

/** Keys that are remembered at once. */
const KEYS = 10_000

/** Takes one use of a key; false when all of the time are used up: that use does not count. */
export function createAllowance({ most, withinMs }: Bound, clock = steadyNow): (key: string) => boolean {
  const uses = new LRUCache<string, readonly number[]>({ max: KEYS })
  return (key) => {
    const now = clock()
    const recent = (uses.get(key) ?? []).filter((at) => now - at < withinMs)
    const isFree = recent.length < most
    uses.set(key, isFree ? [...recent, now] : recent)
    return isFree
  }
}
