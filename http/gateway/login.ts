// The login: a token for a password, unless too many were tried or the shipped one comes from elsewhere.
import { isLocal } from '../../lib/access/index.js'
import { fail, ok } from '../../lib/base/result.js'
import { HOUR, now } from '../../lib/base/time.js'
import type { RequestFacts, Sessions } from '../api/route.js'
import type { Gate } from './gate.js'
import { createLockout } from './lockout.js'
import type { SessionParts } from './sessions.js'
import { toClaimTime } from './token.js'

export interface LoginParts extends SessionParts {
  /** Signing and sealing cost RSA operations like verifying does. */
  readonly gate: Gate
}

export function createLogin({ seal, log, access, tokenHours, gate }: LoginParts): Sessions['open'] {
  const lockout = createLockout()
  return async ({ user, password, request }) => {
    const { address } = request
    const who = { user, address, request: request.id }
    if (lockout.isLocked({ user, address })) {
      log('warn', 'login-locked', who)
      return fail('locked-out', 'too many failed logins; wait three minutes')
    }
    const { credentials } = access()
    const fingerprint = credentials.verify(user, password) ? credentials.fingerprint(user) : undefined
    if (fingerprint === undefined || isShippedElsewhere(credentials.defaults.has(user), request)) {
      lockout.failed({ user, address })
      const why = fingerprint === undefined ? 'user or password is wrong' : 'the shipped password works locally only'
      log('warn', 'login-failed', { ...who, why })
      return fail('wrong-credentials', why)
    }
    lockout.succeeded({ user, address })
    log('info', 'login', who)
    const at = now()
    const claims = { sub: user, fp: fingerprint, iat: toClaimTime(at), exp: toClaimTime(at + tokenHours() * HOUR) }
    return gate(async () => ok({ token: await seal.close(claims) }))
  }
}

/** Whoever reads the manual knows the shipped password: it opens nothing from afar. */
function isShippedElsewhere(shipped: boolean, request: RequestFacts): boolean {
  return shipped && !isLocal(request)
}
