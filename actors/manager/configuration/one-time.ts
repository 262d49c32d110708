// What is handed over once: a mail carries a token, and who brings it back first reads a secret, or sets a password.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { keepFairly } from '../../../lib/access/bound/keep-fairly.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import type { Secret } from '../../../lib/base/secret.js'
import { DAY } from '../../../lib/base/time.js'

/** How long a token opens what it stands for; a restart of the manager ends all. */
export const ONE_TIME_MS = DAY
/** How many wait at once: beyond them the oldest of the clusters with most end first. */
export const ONE_TIME_TOKENS = 1_000

/** A secret is shown as it is; of a user of the service the token sets another password, as long as it has `secret`. */
export type Handover =
  | { readonly type: 'secret'; readonly user: string; readonly cluster: string; readonly secret: Secret }
  | { readonly type: 'password'; readonly user: string; readonly cluster: string; readonly secret: Secret }

export class OneTimeTokens {
  readonly #waiting = new LRUCache<string, Handover>({ max: ONE_TIME_TOKENS + 1, ttl: ONE_TIME_MS })

  /** The token: 256 bits, for a mail. */
  offer(handover: Handover): string {
    const token = `once_${randomBytes(32).toString('base64url')}`
    this.giveBack(token, handover)
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
    if (this.#waiting.size <= ONE_TIME_TOKENS) return
    this.#waiting.purgeStale()
    const all = [...this.#waiting.rkeys()]
    const kept = new Set(keepFairly(all, ONE_TIME_TOKENS, (one) => this.#waiting.peek(one)?.cluster ?? ''))
    for (const one of all) if (!kept.has(one)) this.#waiting.delete(one)
  }
}

/** A password for a user who chose none. */
export const newPassword = (): string => randomBytes(24).toString('base64url')
