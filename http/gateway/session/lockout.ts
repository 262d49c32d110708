// Counts failed logins per user and address: passwords cannot be tried out, no user is locked out. Bounded in memory.
import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'
import { now as clock, DAY, HOUR, MINUTE, SECOND } from '../../../lib/base/time.js'
import type { Line } from './turns.js'

/** A count starts with the first failure and is forgotten so long after it. */
export const LOCKOUT_WINDOW = 3 * MINUTE

/** A user that failed at an address is known there for so long: it waits behind those that did not. */
const KNOWN_FOR = HOUR

/**
 * Failures that are allowed within the window. The pair of user and address is the strict one: a stranger cannot lock
 * an administrator out of another machine by failing as often as that. Above the wide counts attempts take turns instead: a
 * stranger, or all clients of a proxy that hides them, make others wait, and lock no user out. A site may have 65,536
 * networks of IPv6: with so many failures within an hour all its networks are known.
 */
const allowed = { pair: 3, address: 10, user: 30, site: 16 } as const

/**
 * Lines above a wide count. A user that is tried from many addresses has two: that of addresses where nobody has failed with
 * its name within an hour, one attempt of each at a time, and that of all others. So a flood of wrong passwords delays a right
 * login from a fresh address by ten seconds at most, whatever number of addresses it comes from that have failed before; while
 * it comes from n fresh ones at once, by n / 5 seconds at most, and a full line is drawn for.
 *
 * Guesses for one name are at most 25,800 an hour, from however many addresses: 18,000 in the fresh line, which takes as many
 * addresses, 7,200 in the other, and 30 without a line in each window of three minutes. One address has 60 an hour.
 */
const lines = {
  fresh: { everyMs: SECOND / 5, longestMs: 10 * SECOND },
  known: { everyMs: SECOND / 2, longestMs: 10 * SECOND },
} as const

/** Who was refused in the fresh line waits with the others if it comes again at once: asking often gives no more chances. */
const DRAWN_FOR = 2 * SECOND

interface Count {
  readonly since: number
  readonly failures: number
}

export interface Attempt {
  readonly user: string
  readonly address: string
  /** Made on this machine: counted apart, a way in that no client elsewhere can slow down. */
  readonly local?: boolean
}

/** What an attempt has to wait for, one line after the other. */
export interface Entry {
  readonly lines: readonly Line[]
  /** To be called once, when it has waited. */
  leave(outcome: 'admitted' | 'refused'): void
}

export interface Lockout {
  /** Whether an attempt must be refused without checking its password; asked before and after its turn. */
  isLocked(attempt: Attempt): boolean
  enter(attempt: Attempt): Entry
  failed(attempt: Attempt): void
  succeeded(attempt: Attempt): void
}

const atOnce: Entry = { lines: [], leave: () => {} }

export function createLockout(now: () => number = clock): Lockout {
  const counts = new LRUCache<string, Count>({ max: 60_000 })
  /** Users that logged in from an address: they need not wait for strangers that try their name. */
  const welcome = new LRUCache<string, true>({ max: 10_000, ttl: 30 * DAY })
  /** Pairs that are in a fresh line, and when pairs were last refused in one. */
  const inFresh = new Set<string>()
  const refusals = new LRUCache<string, number>({ max: 10_000 })

  const failuresOf = (key: string, periodMs: number): number => {
    const count = counts.get(key)
    return count && now() - count.since < periodMs ? count.failures : 0
  }
  const add = (key: string, periodMs: number): void => {
    const failures = failuresOf(key, periodMs)
    const since = failures > 0 ? (counts.peek(key)?.since ?? now()) : now()
    counts.set(key, { since, failures: failures + 1 })
  }
  const isFresh = (attempt: Attempt): boolean => {
    const pair = pairKey(attempt)
    const site = siteKey(attempt)
    if (inFresh.has(pair) || now() - (refusals.get(pair) ?? -Infinity) < DRAWN_FOR) return false
    if (site !== undefined && failuresOf(site, KNOWN_FOR) >= allowed.site) return false
    return failuresOf(pair, KNOWN_FOR) === 0
  }

  return {
    isLocked: (attempt) => failuresOf(pairKey(attempt), LOCKOUT_WINDOW) >= allowed.pair,
    enter: (attempt) => {
      const pair = pairKey(attempt)
      if (welcome.has(pair)) return atOnce
      const address = addressKey(attempt)
      const ofAddress = failuresOf(address, LOCKOUT_WINDOW) < allowed.address ? [] : [{ key: address, ...lines.known }]
      const user = userKey(attempt)
      // On this machine a user is not slowed by those who try its name elsewhere.
      if (attempt.local || failuresOf(user, LOCKOUT_WINDOW) < allowed.user) return { ...atOnce, lines: ofAddress }
      if (ofAddress.length > 0 || !isFresh(attempt))
        return { ...atOnce, lines: [...ofAddress, { key: user, ...lines.known }] }
      inFresh.add(pair)
      return {
        lines: [{ key: `fresh ${user}`, ...lines.fresh }],
        leave: (outcome) => {
          inFresh.delete(pair)
          if (outcome === 'refused') refusals.set(pair, now())
        },
      }
    },
    failed: (attempt) => {
      // What is counted of the pair for an hour was forgotten as a lock after three minutes.
      add(pairKey(attempt), LOCKOUT_WINDOW)
      add(addressKey(attempt), LOCKOUT_WINDOW)
      if (attempt.local) return
      add(userKey(attempt), LOCKOUT_WINDOW)
      const site = siteKey(attempt)
      if (site !== undefined) add(site, KNOWN_FOR)
    },
    // The counts of the address and of the user stay: an own account must not buy guesses at another.
    succeeded: (attempt) => {
      counts.delete(pairKey(attempt))
      welcome.set(pairKey(attempt), true)
    },
  }
}

/** A local attempt is another place than those that a proxy on this machine forwards. */
const pairKey = ({ user, address, local }: Attempt): string => `p ${local ? 'local' : network(address)} ${user}`

const addressKey = ({ address, local }: Attempt): string => `a ${local ? 'local' : network(address)}`

const userKey = ({ user }: Attempt): string => `u ${user}`

/** The /48 that a site is given, which holds many networks; none of IPv4. */
const siteKey = ({ user, address, local }: Attempt): string | undefined =>
  local || !isV6(address) ? undefined : `s ${groupsOf(address, 3)} ${user}`

/** An IPv6 client has a whole /64 to itself, so that is what counts as one address. */
const network = (address: string): string => (isV6(address) ? groupsOf(address, 4) : address)

const isV6 = (address: string): boolean => isIPv6(address) && !address.startsWith('::ffff:')

function groupsOf(address: string, groups: number): string {
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0
  return [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, groups).join(':')
}
