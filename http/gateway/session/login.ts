// The login: a token for the user that was identified.
import type { Identity } from '../../../lib/access/index.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { HOUR, now } from '../../../lib/base/time.js'
import type { Sessions } from '../../api/kit/route.js'
import type { ConcurrencyLimit } from './concurrency-limit.js'
import type { Identify } from './identify.js'
import type { SessionParts } from './session-parts.js'
import { type IssuedClaims, toClaimTime } from './token-seal.js'

export interface LoginParts extends Pick<SessionParts, 'seal' | 'live'> {
  readonly identify: Identify
  /** Signing and sealing cost RSA operations like verifying does. */
  readonly limit: ConcurrencyLimit
}

/** A token for the identity, and when it expires (milliseconds since the epoch). */
export type GiveToken = (
  identity: Identity,
  bounds: { readonly lifetimeMs: number } & Pick<IssuedClaims, 'sid' | 'door'>,
) => Promise<Result<{ readonly token: string; readonly expiresAt: number }>>

export const createGiveToken =
  ({ seal, limit }: Pick<LoginParts, 'seal' | 'limit'>): GiveToken =>
  ({ user, fingerprint = '' }, { lifetimeMs, ...marks }) => {
    const at = now()
    const exp = toClaimTime(at + lifetimeMs)
    const claims = { sub: user, fp: fingerprint, iat: toClaimTime(at), exp, ...marks }
    return limit(async () => ok({ token: await seal.close(claims), expiresAt: exp * 1_000 }))
  }

export function createLogin({
  identify,
  live,
  give,
}: Pick<LoginParts, 'identify' | 'live'> & { readonly give: GiveToken }): Pick<
  Sessions,
  'open' | 'admit' | 'signOn' | 'signedOn'
> {
  const tokenOf = async (identity: Result<Identity>, marks: Pick<IssuedClaims, 'door'> = {}) => {
    if (!identity.ok) return identity
    const given = await give(identity.value, { lifetimeMs: live().tokenHours * HOUR, ...marks })
    return given.ok ? ok({ token: given.value.token }) : given
  }
  return {
    open: async (login) => tokenOf(await identify.byPassword(login)),
    admit: async (door, request) => tokenOf(await identify.byDoor(door, request), { door }),
    signOn: async () => {
      const begun = await identify.signOn()
      return begun.ok ? ok({ location: begun.value.location }) : begun
    },
    signedOn: async (query, request) => tokenOf(await identify.bySignOn(query, request)),
  }
}
