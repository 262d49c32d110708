// Logins and sessions: gives tokens for passwords, and tells whom a token stands for without an RSA operation.
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Identity, isLocal, isTokenLive, type Origin, scopeOf, type TokenScope } from '../../lib/access/index.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now, SECOND } from '../../lib/base/time.js'
import type { ApiTokens } from '../../lib/store/index.js'
import type { Sessions } from '../api/kit/route.js'
import { createGate } from './gate.js'
import { createLogin } from './login.js'
import type { SessionParts } from './session-parts.js'
import { createTokenDesk } from './token-desk.js'

/** Whom a verified token stands for. */
export interface Session extends Identity {
  readonly expiresAt: number
  /** When it came with an API token: which, and what that lets through. */
  readonly apiToken?: { readonly id: string; readonly scope: TokenScope }
}

export interface SessionBook extends Sessions {
  /** Whom the token stands for; `check` verifies the signature of one that is not known yet. */
  identify(token: string, origin: Origin, check: Check): Promise<Result<Session>> | Result<Session>
  /** False as soon as the session has expired, its password has changed, its token was revoked or its user is gone. */
  isLive(session: Session, origin: Origin): boolean
}

/** Verifies a signed token and gives its session; undefined when it is not genuine. */
export type Check = (signed: string) => Promise<Session | undefined>

/** Most tokens that are remembered, and how long at most; the cache looks at its clock once a second. */
const REMEMBERED = { max: 10_000, ttl: 60 * SECOND, ttlResolution: SECOND }

/** RSA operations at a time, each on a thread: who forges tokens gets one processor at most. */
const VERIFYING = { running: 1, waiting: 256 }
const GIVING = { running: 2, waiting: 256 }

const refusal = fail('not-logged-in', 'no valid token')

export function createSessions(parts: SessionParts): SessionBook {
  const { seal, tokens, live } = parts
  const known = new LRUCache<string, Session>(REMEMBERED)
  const refused = new LRUCache<string, true>(REMEMBERED)
  const pending = new Map<string, Promise<Result<Session>>>()
  const gate = createGate(VERIFYING)

  const isLive = (session: Session, origin: Origin) => {
    const { access, userTokens } = live()
    if (session.expiresAt <= now() || !access.knows(session)) return false
    if (session.apiToken && !(userTokens && isStillGiven(tokens, session.apiToken.id))) return false
    return !access.isShipped(session) || isLocal(origin)
  }
  const alive = (session: Session, origin: Origin) => (isLive(session, origin) ? ok(session) : refusal)
  const verify = async (token: string, key: string, check: Check): Promise<Result<Session>> => {
    const result = await gate(async () => {
      const session = await seal
        .open(token)
        .then(check)
        .catch(() => undefined)
      return session ? ok(session) : refusal
    })
    if (result.ok) known.set(key, result.value)
    if (!result.ok && result.failure.code === 'not-logged-in') refused.set(key, true)
    return result
  }

  return {
    isLive,
    identify: (token, origin, check) => {
      const given = tokens.find(token)
      if (given) {
        const { id, user, expiresAt = Infinity } = given
        return alive({ user, expiresAt, apiToken: { id, scope: scopeOf(given) } }, origin)
      }
      if (!seal.fits(token)) return refusal
      const key = hash('sha256', token, 'base64')
      const session = known.get(key)
      if (session) return alive(session, origin)
      if (refused.has(key) || !seal.isWellFormed(token)) return refusal
      const running = pending.get(key) ?? verify(token, key, check).finally(() => pending.delete(key))
      pending.set(key, running)
      return running.then((result) => (result.ok ? alive(result.value, origin) : result))
    },
    // Through a gate of its own: forged tokens keep nobody from logging in.
    ...createLogin({ ...parts, gate: createGate(GIVING) }),
    tokens: createTokenDesk(parts),
  }
}

function isStillGiven(tokens: ApiTokens, id: string): boolean {
  const token = tokens.get(id)
  return token !== undefined && isTokenLive(token, now())
}
