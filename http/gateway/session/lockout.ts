// Counts failed logins per user and address: passwords cannot be tried out, no user is locked out. Bounded in memory.
import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'
import { now as clock, DAY, MINUTE, SECOND } from '../../../lib/base/time.js'

/** A count starts with the first failure and is forgotten so long after it. */
export const LOCKOUT_WINDOW = 3 * MINUTE

/**
 * Failures that are allowed within the window. The pair of user and address is the strict one: a stranger cannot lock
 * an administrator out of another machine by failing as often as that. Above the wide counts attempts take turns instead: a
 * stranger, or all clients of a proxy that hides them, make others wait, and lock no user out.
 */
const allowed = { pair: 3, address: 10, user: 30 } as const
const wide = ['address', 'user'] as const
type Wide = (typeof wide)[number]

/** Between two attempts above a wide count, and the longest that one waits for its turn. */
const TURN_MS = 500
const LONGEST_TURN_MS = 10 * SECOND

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

export interface Lockout {
  /** Whether an attempt must be refused without checking its password. */
  isLocked(attempt: Attempt): boolean
  /** How long an attempt has to wait for its turn, milliseconds; undefined when too many wait. Takes the turn. */
  turnOf(attempt: Attempt): number | undefined
  failed(attempt: Attempt): void
  succeeded(attempt: Attempt): void
}

export function createLockout(now: () => number = clock): Lockout {
  const counts = new LRUCache<string, Count>({ max: 30_000 })
  /** When the latest turn of a wide count is. */
  const turns = new LRUCache<string, number>({ max: 10_000 })
  /** Users that logged in from an address: they need not wait for strangers that try their name. */
  const welcome = new LRUCache<string, true>({ max: 10_000, ttl: 30 * DAY })
  const read = (key: string): Count => {
    const count = counts.get(key)
    return count && now() - count.since < LOCKOUT_WINDOW ? count : { since: now(), failures: 0 }
  }
  return {
    isLocked: (attempt) => read(pairKey(attempt)).failures >= allowed.pair,
    turnOf: (attempt) => {
      if (welcome.has(pairKey(attempt))) return 0
      const busy = widthsOf(attempt).filter((kind) => read(wideKey(kind, attempt)).failures >= allowed[kind])
      const taken = busy.flatMap((kind) => turns.get(wideKey(kind, attempt)) ?? [])
      const at = Math.max(now(), ...taken.map((turn) => turn + TURN_MS))
      if (at - now() > LONGEST_TURN_MS) return undefined
      for (const kind of busy) turns.set(wideKey(kind, attempt), at)
      return at - now()
    },
    failed: (attempt) => {
      const keys = [pairKey(attempt), ...widthsOf(attempt).map((kind) => wideKey(kind, attempt))]
      for (const key of keys) {
        const { since, failures } = read(key)
        counts.set(key, { since, failures: failures + 1 })
      }
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

const wideKey = (kind: Wide, { user, address, local }: Attempt): string =>
  kind === 'user' ? `u ${user}` : `a ${local ? 'local' : network(address)}`

/** On this machine a user is not slowed by those who try its name elsewhere. */
const widthsOf = ({ local }: Attempt): readonly Wide[] => (local ? ['address'] : wide)

/** An IPv6 client has a whole /64 to itself, so that is what counts as one address. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Math.max(0, 8 - left.length - right.length) : 0
  return [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':')
}
