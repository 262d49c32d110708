// The login: a token for the user that was identified.
import { createFairShares, holderOf, sharedBounds } from '../../../lib/access/bound/index.js'
import type { Identity } from '../../../lib/access/index.js'
import { createLimit } from '../../../lib/base/limit.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { HOUR, now } from '../../../lib/base/time.js'
import type { Sessions } from '../../api/kit/route.js'
import type { Identify } from './identify.js'
import type { SessionParts } from './session-parts.js'
import { type IssuedClaims, toClaimTime } from './token-seal.js'

/** Signing and sealing cost RSA operations like verifying does: so many at a time, one of each cluster. */
const ISSUING = 2

/** A token for the identity, and when it expires (milliseconds since the epoch); `mailbox-full` beyond the share of its cluster. */
export type GiveToken = (
  identity: Identity,
  bounds: { readonly lifetimeMs: number } & Pick<IssuedClaims, 'sid' | 'door'>,
) => Promise<Result<{ readonly token: string; readonly expiresAt: number }>>

export function createGiveToken({ seal, live, clusters }: Pick<SessionParts, 'seal' | 'live' | 'clusters'>): GiveToken {
  const limit = createLimit(ISSUING)
  const shares = createFairShares(sharedBounds.logins)
  const takeShare = (identity: Identity) => {
    const { access } = live()
    const may = (grant: string, cluster: string) => access.may(identity, grant, cluster)
    const sees = (cluster: string) => access.sees(identity, cluster)
    return shares.takeFor(holderOf({ user: identity.user, address: '', may, sees }, undefined, clusters))
  }
  return async (identity, { lifetimeMs, ...marks }) => {
    const taken = takeShare(identity)
    if (!taken.ok) return taken
    const { user, fingerprint = '' } = identity
    const at = now()
    const exp = toClaimTime(at + lifetimeMs)
    const claims = { sub: user, fp: fingerprint, iat: toClaimTime(at), exp, ...marks }
    const { cluster, release } = taken.value
    try {
      // Behind what waits of its own cluster, not behind that of others.
      const token = await limit.runAlone(cluster, new AbortController().signal, () => seal.close(claims))
      return token === undefined ? fail('mailbox-full', 'no token was made') : ok({ token, expiresAt: exp * 1_000 })
    } finally {
      release()
    }
  }
}

export function createLogin({
  identify,
  live,
  give,
}: Pick<SessionParts, 'live'> & { readonly identify: Identify; readonly give: GiveToken }): Pick<
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
