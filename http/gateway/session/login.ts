// The login: a token for a password, unless too many were tried or the shipped one comes from elsewhere; and, where the
// settings ask for it, a token for a visitor who gives none.
import { type Identity, isLocal } from '../../../lib/access/index.js'
import { fail, ok } from '../../../lib/base/result.js'
import { HOUR, now, sleep } from '../../../lib/base/time.js'
import type { RequestFacts, Sessions } from '../../api/kit/route.js'
import { limitLines } from '../kit/line-limit.js'
import type { ConcurrencyLimit } from './concurrency-limit.js'
import { createLockout } from './lockout.js'
import type { SessionParts } from './session-parts.js'
import { createSignOn } from './sign-on.js'
import { toClaimTime } from './token-seal.js'

export interface LoginParts extends SessionParts {
  /** Signing and sealing cost RSA operations like verifying does. */
  readonly limit: ConcurrencyLimit
}

/** Logins that wait for their turn at once. */
const MOST_WAITING = 500

export function createLogin({ seal, log, live, limit }: LoginParts): Omit<Sessions, 'tokens'> {
  const lockout = createLockout()
  let waiting = 0
  const complain = limitLines(log)
  const signOn = createSignOn(() => live().provider)
  const give = ({ user, fingerprint = '' }: Identity) => {
    const at = now()
    const exp = toClaimTime(at + live().tokenHours * HOUR)
    const claims = { sub: user, fp: fingerprint, iat: toClaimTime(at), exp }
    return limit(async () => ok({ token: await seal.close(claims) }))
  }
  return {
    open: async ({ user, password, request }) => {
      const { address } = request
      const who = { user, address, request: request.id }
      const attempt = { user, address, local: isLocal(request) }
      const turnMs = lockout.isLocked(attempt) ? undefined : lockout.turnOf(attempt)
      if (turnMs === undefined || (turnMs > 0 && waiting >= MOST_WAITING)) {
        complain('warn', 'login-locked', who)
        return fail('locked-out', 'too many failed logins; wait three minutes')
      }
      if (turnMs > 0) {
        waiting += 1
        await sleep(turnMs)
        waiting -= 1
      }
      const { access } = live()
      const identity = access.login(user, password)
      if (!identity || isShippedElsewhere(access.isShipped(identity), request)) {
        lockout.failed(attempt)
        const why = identity ? 'the shipped password works locally only' : 'user or password is wrong'
        complain('warn', 'login-failed', { ...who, why })
        return fail('wrong-credentials', why)
      }
      lockout.succeeded(attempt)
      log('info', 'login', who)
      return give(identity)
    },
    admit: async (door, request) => {
      const { access, visitors } = live()
      const user = visitors[door]
      if (user === undefined) return fail('disabled', `${switchOf[door]} is off`)
      const identity = access.find(user)
      const who = { user, address: request.address, by: door, request: request.id }
      if (!identity || isShippedElsewhere(access.isShipped(identity), request)) {
        const why = identity ? 'its password is the shipped one, which works locally only' : 'it is no user'
        complain('warn', 'login-failed', { ...who, why })
        return fail('disabled', `${settingOf[door]} names ${user}: ${why}`)
      }
      log('info', 'login-admitted', who)
      return give(identity)
    },
    signOn: signOn.begin,
    signedOn: async (query, request) => {
      const who = { address: request.address, by: 'single sign-on', request: request.id }
      const name = await signOn.finish(query)
      if (!name.ok) {
        complain('warn', 'login-failed', { ...who, why: name.failure.message })
        return name
      }
      const { access } = live()
      const user = name.value
      if (!access.knows({ user }) || isShippedElsewhere(access.isShipped({ user }), request)) {
        complain('warn', 'login-failed', { ...who, user, why: 'it is no user here' })
        return fail('wrong-credentials', `${user} is no user here`)
      }
      log('info', 'login-admitted', { ...who, user })
      return give({ user })
    },
  }
}

/** What opens a door, and what names who comes in through it. */
const switchOf = { autologin: 'api-autologin', dashboard: 'api-dashboard-user' } as const
const settingOf = { autologin: 'api-autologin-user', dashboard: 'api-dashboard-user' } as const

/** The shipped password is public, so it is refused for remote clients. */
function isShippedElsewhere(shipped: boolean, request: RequestFacts): boolean {
  return shipped && !isLocal(request)
}
