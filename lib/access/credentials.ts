// Login credentials: `user:password` pairs, kept only as keyed digests so that no password stays in memory or in a log.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { reveal, type Secret } from '../base/secret.js'

/** The shipped pairs, which are published in the manual. */
const shipped: readonly (readonly [user: string, password: string])[] = [
  ['admin', 'repman'],
  ['dba', 'repman'],
]

export interface Credentials {
  readonly users: readonly string[]
  has(user: string): boolean
  /** Compares in constant time; takes as long for a user that does not exist. Never for one without a password. */
  verify(user: string, password: string): boolean
  /** Changes when the password does, and with the key; undefined for an unknown user. */
  fingerprint(user: string): string | undefined
  /** Users that still have the password the product ships with. */
  readonly defaults: ReadonlySet<string>
}

const keyOfProcess = randomBytes(32)

/**
 * Parses a comma-separated list; the first of several entries of a user wins, invalid entries are skipped. A user with an
 * empty password exists, but logs in elsewhere (single sign-on). Digests are kept in memory only, whatever their key.
 */
export function parseCredentials(pairs: Secret, key: Buffer = keyOfProcess): Credentials {
  const digest = (user: string, password: string): Buffer =>
    createHmac('sha256', key).update(`${user}\0${password}`).digest()
  const digests = new Map<string, { readonly bytes: Buffer; readonly text: string }>()
  for (const pair of reveal(pairs).split(',')) {
    const [user, password] = splitPair(pair.trim())
    if (user === '' || digests.has(user)) continue
    const bytes = digest(user, password)
    digests.set(user, { bytes, text: bytes.toString('base64url') })
  }
  const verify = (user: string, password: string) => {
    const expected = digests.get(user)?.bytes
    const same = timingSafeEqual(digest(user, password), expected ?? key)
    return same && expected !== undefined && password !== ''
  }
  return {
    users: [...digests.keys()],
    has: (user) => digests.has(user),
    verify,
    fingerprint: (user) => digests.get(user)?.text,
    defaults: new Set(shipped.filter(([user, password]) => verify(user, password)).map(([user]) => user)),
  }
}

function splitPair(pair: string): readonly [user: string, password: string] {
  const at = pair.indexOf(':')
  return at < 0 ? ['', ''] : [pair.slice(0, at), pair.slice(at + 1)]
}
