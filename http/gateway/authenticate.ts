// From the Authorization header to a caller: koa-jwt verifies what is new, the book of sessions remembers it.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import jwt from 'koa-jwt'
import type { Caller } from '../../actors/protocol/manager/face.js'
import type { Access, Origin } from '../../lib/access/index.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import type { GatewayContext } from './context.js'
import type { Check, Session, SessionBook } from './sessions.js'
import { ISSUER, type TokenSeal } from './token.js'

const SCHEME = 'bearer '

export interface Authenticator {
  /** The session of a request's token; `not-logged-in` when it has none or a bad one. */
  authenticate(ctx: GatewayContext): Promise<Result<Session>> | Result<Session>
  /** The live session of a request whose connection has sent the same token before: nothing has to be verified. */
  recall(req: IncomingMessage): Session | undefined
}

export function createAuthenticator(seal: TokenSeal, book: SessionBook): Authenticator {
  const verify = jwt({
    // koa-jwt's types know no key objects; its verifier takes them, and is five times faster with them than with PEM.
    secret: seal.publicKey as unknown as Buffer,
    algorithms: ['RS256'],
    issuer: ISSUER,
    key: 'claims',
    getToken: ({ state }) => state.signed,
  })
  // What a connection sent last: most clients keep theirs open and send the same header again, so that even the digest
  // of the token is spared. Goes with the connection.
  const last = new WeakMap<Socket, { readonly header: string; readonly session: Session }>()
  const recall = (req: IncomingMessage) => {
    const memo = last.get(req.socket)
    return memo && memo.header === req.headers.authorization && book.isLive(memo.session, originOf(req))
      ? memo.session
      : undefined
  }
  const authenticate = (ctx: GatewayContext) => {
    const recalled = recall(ctx.req)
    if (recalled) return ok(recalled)
    const { headers, socket } = ctx.req
    const header = headers.authorization
    const token = bearerToken(header)
    if (header === undefined || token === undefined) return fail('not-logged-in', 'the request has no bearer token')
    const check: Check = async (signed) => {
      ctx.state.signed = signed
      await verify(ctx, async () => {})
      return readClaims(ctx.state.claims)
    }
    const remember = (result: Result<Session>) => {
      if (result.ok) last.set(socket, { header, session: result.value })
      return result
    }
    const result = book.identify(token, originOf(ctx.req), check)
    return result instanceof Promise ? result.then(remember) : remember(result)
  }
  return { authenticate, recall }
}

/** Where a request comes from. */
export const originOf = (req: IncomingMessage): Origin => ({
  address: req.socket.remoteAddress ?? '',
  headers: req.headers,
})

/** What the session's user may do, as configured at each question; an API token narrows it. */
export function callerOf(session: Session, address: string, access: () => Access): Caller {
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

/** A request without a token where none is needed. */
export const nobody = (address: string): Caller => ({ user: '', address, may: () => false, sees: () => false })

/** The scheme's name in any case; tokens have no blanks. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  return header.slice(SCHEME.length).trim()
}

function readClaims(claims: unknown): Session | undefined {
  if (typeof claims !== 'object' || claims === null) return undefined
  const { sub, fp, exp } = claims as Readonly<Record<string, unknown>>
  if (typeof sub !== 'string' || typeof fp !== 'string' || typeof exp !== 'number') return undefined
  // Who signed on elsewhere gave no password: a change of it does not concern the session.
  return { user: sub, expiresAt: exp * SECOND, ...(fp === '' ? {} : { fingerprint: fp }) }
}
