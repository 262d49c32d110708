// Secrets that are handed over once: a mail carries a token, and who brings it back first reads the secret.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { reveal, type Secret } from '../../../lib/base/secret.js'
import { DAY } from '../../../lib/base/time.js'

/** How long a token opens its secret, and how many wait at once; a restart of the manager ends all. */
export const ONE_TIME_MS = DAY
const MOST = 1_000

export interface Handover {
  readonly user: string
  /** A password, or the token of the vault. */
  readonly secret: Secret
}

export class OneTimeSecrets {
  readonly #waiting = new LRUCache<string, Handover>({ max: MOST, ttl: ONE_TIME_MS })

  /** The token: 256 bits, for a mail. */
  offer(handover: Handover): string {
    const token = `once_${randomBytes(32).toString('base64url')}`
    this.#waiting.set(token, handover)
    return token
  }

  /** `unknown-token` for one that was used, is too old, or never was. */
  redeem(token: string): Result<{ readonly user: string; readonly password: string }> {
    const found = this.#waiting.get(token)
    if (!found) return fail('unknown-token', 'the token was used already, is older than a day, or is not of this start')
    this.#waiting.delete(token)
    return ok({ user: found.user, password: reveal(found.secret) })
  }
}
