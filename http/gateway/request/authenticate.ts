// From the Authorization header to a caller: koa-jwt verifies each new token, the sessions remember the verified ones.
import type { Middleware } from 'koa'
import jwt from 'koa-jwt'
import type { Caller } from '../../../actors/protocol/manager/face.js'
import type { Peers } from '../../../actors/protocol/manager/peers.js'
import { type Access, type Origin, scopeOf } from '../../../lib/access/index.js'
import type { Failure } from '../../../lib/base/result.js'
import { HOUR, SECOND } from '../../../lib/base/time.js'
import type { ForwardedRequest } from '../../../lib/lease/index.js'
import type { LoginFacts } from '../../api/kit/route.js'
import type { GatewayContext, GatewayState, Session } from '../kit/context.js'
import type { SessionStore } from '../session/sessions.js'
import { ISSUER, type TokenSeal } from '../session/token-seal.js'
import { FORWARDED } from './forward.js'

const SCHEME = 'bearer '

/** Streams of a request that was passed on end after this time. */
const FORWARDED_MS = HOUR

export interface AuthenticateParts {
  readonly seal: Pick<TokenSeal, 'publicKey'>
  readonly sessions: SessionStore
  readonly access: () => Access
  /** What another instance says of a request that it passes on; absent: there are none. */
  readonly openForwarded?: Peers['open']
  /** Records when and from where an API token was used. */
  readonly noteUse: (session: Session, address: string) => void
}

/**
 * The middlewares that set `state.caller`. A row that needs no token (`isOpen`) is answered without one too, or with a bad one;
 * any other is refused as `not-logged-in`. koa-jwt throws an error of status 401 for a token with a wrong signature.
 */
export function createAuthentication(
  parts: AuthenticateParts,
): (isOpen: boolean) => readonly Middleware<GatewayState>[] {
  const verify = (passthrough: boolean) =>
    jwt({
      // koa-jwt's types know no key objects; its verifier takes them, and is five times faster with them than with PEM.
      secret: parts.seal.publicKey as unknown as jwt.SecretLoader,
      algorithms: ['RS256'],
      issuer: ISSUER,
      key: 'claims',
      getToken: ({ state }) => state.signed,
      passthrough,
    })
  const [strict, lenient] = [verify(false), verify(true)]
  return (isOpen) => [unwrap(parts, isOpen), whenNew(isOpen ? lenient : strict), admit(parts, isOpen)]
}

/** Finds the session of a token that was verified before, or decrypts one that was not. */
function unwrap(parts: AuthenticateParts, isOpen: boolean): Middleware<GatewayState> {
  const { sessions, openForwarded } = parts
  return (ctx, next) => {
    const { state, req } = ctx
    const forwarded = req.headers[FORWARDED]
    if (openForwarded && typeof forwarded === 'string')
      return admitForwarded(ctx, openForwarded(forwarded), { ...parts, isOpen }) ? next() : refuse(ctx, notForwarded)
    const token = bearerToken(req.headers.authorization)
    if (token === undefined)
      return isOpen ? next() : refuse(ctx, { code: 'not-logged-in', message: 'the request has no bearer token' })
    const session = sessions.find(token)
    if (session) {
      state.session = session
      return next()
    }
    return sessions.unwrap(token).then((signed) => {
      if (signed.ok) Object.assign(state, { bearer: token, signed: signed.value })
      return signed.ok || isOpen ? next() : refuse(ctx, signed.failure)
    })
  }
}

const notForwarded: Failure = {
  code: 'not-logged-in',
  message: 'no instance of this fleet has passed this request on',
}

/** The sender has authenticated the caller; what the caller may do is decided by the access as it is here. */
function admitForwarded(
  ctx: GatewayContext,
  request: ForwardedRequest | undefined,
  { access, sessions, isOpen }: AuthenticateParts & { readonly isOpen: boolean },
): boolean {
  const { state, req } = ctx
  if (!request || request.method !== req.method || request.url !== req.url) return false
  const { user, address, readOnly, apiToken, at } = request
  if (user === '' && isOpen) {
    state.address = address
    state.caller = anonymous(address)
    state.isForwarded = true
    return true
  }
  if (!access().knows({ user }) || (apiToken && sessions.hasEnded(apiToken.id))) return false
  const session: Session = {
    ...{ user, kind: apiToken ? 'api-token' : 'login', expiresAt: at + FORWARDED_MS },
    ...(readOnly ? { readOnly } : {}),
    ...(apiToken ? { apiToken: { id: apiToken.id, scope: scopeOf(apiToken) } } : {}),
  }
  state.session = session
  state.address = address
  state.caller = callerOf(session, address, access)
  state.isForwarded = true
  return true
}

/** koa-jwt verifies what was decrypted just now; without it, koa-jwt would search the request for other tokens. */
const whenNew =
  (verify: jwt.Middleware): Middleware<GatewayState> =>
  (ctx, next) =>
    ctx.state.signed === undefined ? next() : verify(ctx, next)

/** The caller of a live session; it may have ended since its token was verified, so it is checked on every request. */
function admit({ sessions, access, noteUse }: AuthenticateParts, isOpen: boolean): Middleware<GatewayState> {
  return (ctx, next) => {
    const { state } = ctx
    if (state.isForwarded) return next()
    const { address } = state
    const session = state.session ?? remember(sessions, state)
    if (session && sessions.isLive(session, originOf(ctx))) {
      state.session = session
      state.caller = callerOf(session, address, access)
      noteUse(session, address)
      return next()
    }
    delete state.session
    if (!isOpen) return refuse(ctx, { code: 'not-logged-in', message: 'no valid token' })
    state.caller = anonymous(address)
    return next()
  }
}

function remember(sessions: SessionStore, { bearer, claims }: GatewayState): Session | undefined {
  const session = bearer === undefined ? undefined : readClaims(claims)
  if (bearer !== undefined && session) sessions.remember(bearer, session)
  return session
}

function refuse({ state }: GatewayContext, failure: Failure): void {
  state.failure = failure
}

/** Where a request comes from. */
export const originOf = ({ req, state }: Pick<GatewayContext, 'req' | 'state'>): Origin => ({
  address: state.address,
  headers: req.headers,
})

/** What the session's user may do, as configured at each question; an API token narrows it. */
function callerOf(session: Session, address: string, access: () => Access): Caller {
  const { user, apiToken } = session
  const mayItself = (grant: string, cluster: string) => access().may(session, grant, cluster)
  const seesItself = (cluster: string) => access().sees(session, cluster)
  if (!apiToken) return { user, address, may: mayItself, sees: seesItself }
  const { id, scope } = apiToken
  return {
    user,
    address,
    apiToken: id,
    may: (grant, cluster) => scope.opens(grant, cluster) && mayItself(grant, cluster),
    sees: (cluster) => scope.reaches(cluster) && seesItself(cluster),
  }
}

/** What rows learn of the session; an API token narrows the grants of its user. */
export function describeLogin(session: Session, access: Access): LoginFacts {
  const { kind, expiresAt, readOnly = false, fingerprint, browser, apiToken } = session
  const scope = apiToken?.scope
  return {
    ...{ kind, expiresAt, readOnly },
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(browser === undefined ? {} : { browser }),
    grantsOn: (cluster) => {
      const own = access.grantsOn(session, cluster)
      return scope ? own.filter((grant) => scope.opens(grant, cluster)) : own
    },
  }
}

/** The caller of a request without a token where none is required. */
const anonymous = (address: string): Caller => ({ user: '', address, may: () => false, sees: () => false })

/** The scheme's name in any case; tokens have no blanks. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  return header.slice(SCHEME.length).trim()
}

function readClaims(claims: unknown): Session | undefined {
  if (typeof claims !== 'object' || claims === null) return undefined
  const { sub, fp, exp, sid, door } = claims as Readonly<Record<string, unknown>>
  if (typeof sub !== 'string' || typeof fp !== 'string' || typeof exp !== 'number') return undefined
  // A user of the single sign-on gave no password: a change of it does not concern the session.
  return {
    user: sub,
    expiresAt: exp * SECOND,
    kind: typeof sid === 'string' ? 'session' : door === undefined ? 'login' : 'visitor',
    ...(fp === '' ? {} : { fingerprint: fp }),
    ...(typeof sid === 'string' ? { browser: sid } : {}),
    ...(door === 'dashboard' ? { readOnly: true } : {}),
  }
}
