// What is handed over once: a mail carries a token, and who brings it back first reads a secret, or sets a password.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import type { Secret } from '../../../lib/base/secret.js'
import { DAY } from '../../../lib/base/time.js'

/** How long a token opens what it stands for, and how many wait at once; a restart of the manager ends all. */
export const ONE_TIME_MS = DAY
const MOST = 1_000

/** A secret is shown as it is; of a user of the service the token sets another password, as long as it has `secret`. */
export type Handover =
  | { readonly type: 'secret'; readonly user: string; readonly secret: Secret }
  | { readonly type: 'password'; readonly user: string; readonly cluster: string; readonly secret: Secret }

export class OneTimeTokens {
  readonly #waiting = new LRUCache<string, Handover>({ max: MOST, ttl: ONE_TIME_MS })

  /** The token: 256 bits, for a mail. */
  offer(handover: Handover): string {
    const token = `once_${randomBytes(32).toString('base64url')}`
    this.#waiting.set(token, handover)
    return token
  }

  /** Ends the token; `unknown-token` for one that was used, is too old, or never was. */
  take(token: string): Result<Handover> {
    const found = this.#waiting.get(token)
    if (!found) return fail('unknown-token', 'the token was used already, is older than a day, or is not of this start')
    this.#waiting.delete(token)
    return ok(found)
  }

  /** Gives a token back that opened nothing, for a day. */
  giveBack(token: string, handover: Handover): void {
    this.#waiting.set(token, handover)
  }
}

/** A password for a user who chose none. */
export const newPassword = (): string => randomBytes(24).toString('base64url')
