// What the middlewares of one request share: its row, who sent it, and why it was refused.
import type { IncomingMessage } from 'node:http'
import type { Context as KoaContext, ParameterizedContext } from 'koa'
import type { Caller } from '../../../actors/protocol/manager/face.js'
import type { Identity, TokenScope } from '../../../lib/access/index.js'
import type { Failure } from '../../../lib/base/result.js'
import type { LoginKind, Route } from '../../api/kit/route.js'

/** The user that a verified token was issued to. */
export interface Session extends Identity {
  /** Milliseconds since the epoch; infinite for an API token without an end. */
  readonly expiresAt: number
  readonly kind: LoginKind
  /** Of a visitor of the dashboard: every action is refused. */
  readonly readOnly?: true
  /** The session of a browser that it belongs to. */
  readonly browser?: string
  /** Set for a request with an API token: its id, and the grants and clusters it is limited to. */
  readonly apiToken?: { readonly id: string; readonly scope: TokenScope }
}

/** Values of a path's parameters, decoded, by name. */
export type PathValues = Readonly<Record<string, string>>

export interface GatewayState {
  /** Request id: in the log and in `X-Request-Id`. */
  id: string
  /** Of the client, behind the proxies that are trusted. */
  address: string
  /** Whether the client speaks TLS, to this listener or to a proxy that is trusted. */
  secure: boolean
  /** Origins whose pages may read answers. */
  origins: readonly string[]
  route?: Route
  params?: PathValues
  caller?: Caller
  session?: Session
  /** The bearer token of the request while it is unknown, the signed token inside it, and the claims koa-jwt verified. */
  bearer?: string
  signed?: string
  claims?: unknown
  /** Another instance has passed the request on, and says who asks. */
  isForwarded?: true
  /** The request asked what would be done: nothing was done. */
  planned?: true
  /** Set by the middleware that refuses the request; the row's response is made of it. */
  failure?: Failure
}

export type GatewayContext = ParameterizedContext<GatewayState, KoaContext>

/** The target of a request up to its query, as it was sent. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}
