// The sessions that verified tokens stand for, the logins that issue tokens, and the API tokens.
import { LRUCache } from 'lru-cache'
import { isLocal, isTokenLive, type Origin, scopeOf } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import type { ApiTokens } from '../../../lib/store/index.js'
import type { Door, Sessions } from '../../api/kit/route.js'
import { noHistory } from '../../api/views/kit/me.js'
import type { Session } from '../kit/context.js'
import { createTokenIssuer } from './api-tokens.js'
import { createBrowserLogins } from './browser.js'
import { limitConcurrency } from './concurrency-limit.js'
import { createIdentify } from './identify.js'
import { createGiveToken, createLogin } from './login.js'
import type { SessionParts } from './session-parts.js'

export interface SessionStore extends Sessions {
  /** The session of an API token or of a token that was verified before, live or not. */
  find(token: string): Session | undefined
  /** The signed token inside one that is not known yet; `not-logged-in` unless this process issued it, `mailbox-full`. */
  unwrap(token: string): Promise<Result<string>>
  /** Keeps the session of a verified token. */
  remember(token: string, session: Session): void
  /** Whether a visitor who gives no password comes in. */
  admits(door: Door, origin: Origin): boolean
  /** Whether the API token of this id is known here and not valid any more. */
  hasEnded(apiToken: string): boolean
  /** False as soon as the session has expired or was ended, its password was changed, its token revoked or its user removed. */
  isLive(session: Session, origin: Origin): boolean
}

/**
 * The only cache of identities: to decrypt and verify a token takes 0.7 ms, thirty times as long as the rest of a read.
 * By the end of the token, its authentication tag; the whole token is compared then. To digest or hash all of it would
 * cost a tenth of a read. The cache checks its clock once a second.
 */
const VERIFIED = { max: 10_000, ttl: 60 * SECOND, ttlResolution: SECOND }

/** Decryptions at a time, each on a thread: forged tokens use one processor at most. */
export const DECRYPTING = { running: 1, waiting: 256 }

interface Verified {
  readonly token: string
  readonly session: Session
}

/** Longer than the 22 characters of the tag never hurts, shorter only costs a comparison. */
const tagOf = (token: string): string => token.slice(-24)

const invalid = fail('not-logged-in', 'no valid token')

export function createSessions(parts: SessionParts): SessionStore {
  const { seal, tokens, live, browsers } = parts
  const identify = createIdentify(parts)
  // A separate limit: forged tokens delay no login.
  const give = createGiveToken(parts)
  const verified = new LRUCache<string, Verified>(VERIFIED)
  const decrypting = new Map<string, Promise<Result<string>>>()
  const limit = limitConcurrency(DECRYPTING)
  const decrypt = (token: string): Promise<Result<string>> =>
    limit(() =>
      seal
        .open(token)
        .then(ok)
        .catch(() => invalid),
    )

  return {
    find: (token) => {
      const issued = tokens.find(token)
      if (!issued) {
        const known = verified.get(tagOf(token))
        return known?.token === token ? known.session : undefined
      }
      const { id, user, expiresAt = Infinity } = issued
      return { user, expiresAt, kind: 'api-token', apiToken: { id, scope: scopeOf(issued) } }
    },
    unwrap: (token) => {
      if (!seal.fits(token) || !seal.isWellFormed(token)) return Promise.resolve(invalid)
      const running = decrypting.get(token) ?? decrypt(token).finally(() => decrypting.delete(token))
      decrypting.set(token, running)
      return running
    },
    remember: (token, session) => void verified.set(tagOf(token), { token, session }),
    isLive: (session, origin) => {
      const { access, userTokens } = live()
      if (session.expiresAt <= now() || !access.knows(session)) return false
      if (session.apiToken && !(userTokens && isStillValid(tokens, session.apiToken.id))) return false
      if (session.browser !== undefined && !browsers.get(session.browser)) return false
      return !access.isShipped(session) || isLocal(origin)
    },
    hasEnded: (id) => tokens.get(id) !== undefined && !isStillValid(tokens, id),
    admits: identify.opens,
    ...createLogin({ identify, live, give }),
    browser: createBrowserLogins({ ...parts, identify, give }),
    refreshMs: () => live().refreshMs,
    history: () => live().history ?? noHistory,
    tokens: createTokenIssuer(parts),
  }
}

function isStillValid(tokens: ApiTokens, id: string): boolean {
  const token = tokens.get(id)
  return token !== undefined && isTokenLive(token, now())
}
