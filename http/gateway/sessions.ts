// Logins and sessions: gives tokens for passwords, and tells whom a token stands for without an RSA operation.
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Access, isLocal, type Origin } from '../../lib/access/index.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { now, SECOND } from '../../lib/base/time.js'
import type { Sessions } from '../api/route.js'
import { createGate } from './gate.js'
import { createLogin } from './login.js'
import type { GatewayLog } from './options.js'
import type { TokenSeal } from './token.js'

/** Whom a verified token stands for. */
export interface Session {
  readonly user: string
  readonly fingerprint: string
  readonly expiresAt: number
}

export interface SessionBook extends Sessions {
  /** Whom the token stands for; `check` verifies the signature of one that is not known yet. */
  identify(token: string, origin: Origin, check: Check): Promise<Result<Session>> | Result<Session>
  /** False as soon as the session has expired, its password has changed or its user is gone. */
  isLive(session: Session, origin: Origin): boolean
}

/** Verifies a signed token and gives its session; undefined when it is not genuine. */
export type Check = (signed: string) => Promise<Session | undefined>

export interface SessionParts {
  readonly seal: TokenSeal
  readonly log: GatewayLog
  /** As configured now. */
  readonly access: () => Access
  readonly tokenHours: () => number
}

/** Most tokens that are remembered, and how long at most; the cache looks at its clock once a second. */
const REMEMBERED = { max: 10_000, ttl: 60 * SECOND, ttlResolution: SECOND }

const refusal = fail('not-logged-in', 'no valid token')

export function createSessions({ seal, log, access, tokenHours }: SessionParts): SessionBook {
  const known = new LRUCache<string, Session>(REMEMBERED)
  const refused = new LRUCache<string, true>(REMEMBERED)
  const pending = new Map<string, Promise<Result<Session>>>()
  const gate = createGate({ running: 2, waiting: 256 })

  const isLive = ({ user, fingerprint, expiresAt }: Session, origin: Origin) => {
    const { credentials } = access()
    if (expiresAt <= now() || credentials.fingerprint(user) !== fingerprint) return false
    return !credentials.defaults.has(user) || isLocal(origin)
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
      if (!seal.fits(token)) return refusal
      const key = hash('sha256', token, 'base64')
      const session = known.get(key)
      if (session) return alive(session, origin)
      if (refused.has(key) || !seal.isWellFormed(token)) return refusal
      const running = pending.get(key) ?? verify(token, key, check).finally(() => pending.delete(key))
      pending.set(key, running)
      return running.then((result) => (result.ok ? alive(result.value, origin) : result))
    },
    open: createLogin({ seal, log, access, tokenHours, gate }),
  }
}
