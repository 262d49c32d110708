// Counts failed logins per user and per address, so that passwords cannot be tried out. Bounded in memory.
import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'
import { now as clock, MINUTE } from '../../../lib/base/time.js'

/** A count starts with the first failure and is forgotten so long after it. */
export const LOCKOUT_WINDOW = 3 * MINUTE

/**
 * Failures that are allowed within the window. The pair of user and address is the strict one: a stranger cannot lock
 * an administrator out of another machine by failing as often as that; the wide counts stop guessing from many places.
 */
const allowed = { pair: 3, address: 10, user: 30 } as const

interface Count {
  readonly since: number
  readonly failures: number
}

export interface Attempt {
  readonly user: string
  readonly address: string
}

export interface Lockout {
  /** Whether an attempt must be refused without checking its password. */
  isLocked(attempt: Attempt): boolean
  failed(attempt: Attempt): void
  succeeded(attempt: Attempt): void
}

export function createLockout(now: () => number = clock): Lockout {
  const counts = new LRUCache<string, Count>({ max: 30_000 })
  const read = (key: string): Count => {
    const count = counts.get(key)
    return count && now() - count.since < LOCKOUT_WINDOW ? count : { since: now(), failures: 0 }
  }
  return {
    isLocked: (attempt) => keysOf(attempt).some(([kind, key]) => read(key).failures >= allowed[kind]),
    failed: (attempt) => {
      for (const [, key] of keysOf(attempt)) {
        const { since, failures } = read(key)
        counts.set(key, { since, failures: failures + 1 })
      }
    },
    // The counts of the address and of the user stay: an own account must not buy guesses at another.
    succeeded: ({ user, address }) => counts.delete(pairKey(user, network(address))),
  }
}

function keysOf({ user, address }: Attempt): readonly (readonly [keyof typeof allowed, string])[] {
  const place = network(address)
  return [
    ['pair', pairKey(user, place)],
    ['address', `a ${place}`],
    ['user', `u ${user}`],
  ]
}

function pairKey(user: string, place: string): string {
  return `p ${place} ${user}`
}

/** An IPv6 client has a whole /64 to itself, so that is what counts as one address. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0
  return [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':')
}
