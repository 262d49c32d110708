// What the gateway is started with: plain values, read from the settings by bin/.

import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import type { AccessOptions } from '../../../lib/access/index.js'
import type { Secret } from '../../../lib/base/secret.js'
import { SECOND } from '../../../lib/base/time.js'
import type { ApiTokens } from '../../../lib/store/index.js'
import type { Door, Route } from '../../api/kit/route.js'

/** Writes one log line: a code and its fields. Never given a password, a token or a URL. */
export type GatewayLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  code: string,
  fields: Readonly<Record<string, unknown>>,
) => void

/** Bounds that keep one client from using up the gateway; tests lower them. */
export interface Limits {
  readonly headersMs: number
  readonly requestMs: number
  readonly keepAliveMs: number
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number
  readonly handshakeMs: number
  readonly bodyBytes: number
  readonly headerBytes: number
  /** Connections of a port; fewer where the process may not open enough files. */
  readonly connections: number
  readonly eventStreams: number
  /** Event streams of one user, or of one address without one. */
  readonly eventStreamsEach: number
  /** Slow answers that one user, or one address without one, waits for at once. */
  readonly slowEach: number
  /** Bytes that a slow reader of an event stream may leave waiting before it is dropped. */
  readonly eventBytes: number
  readonly heartbeatMs: number
  /** How long requests under way may take after `close`. */
  readonly graceMs: number
}

export const defaultLimits: Limits = {
  headersMs: 10 * SECOND,
  requestMs: 30 * SECOND,
  keepAliveMs: 30 * SECOND,
  idleMs: 120 * SECOND,
  handshakeMs: 10 * SECOND,
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  connections: 10_000,
  eventStreams: 1_000,
  eventStreamsEach: 200,
  slowEach: 20,
  eventBytes: 1_048_576,
  heartbeatMs: 15 * SECOND,
  graceMs: 4 * SECOND,
}

/** The settings `api-oauth-…`. */
export interface Provider {
  readonly url: string
  readonly clientId: string
  readonly clientSecret: Secret
  /** Where the provider sends users back to: `/api/auth/callback`, or a page that calls it with the same query. */
  readonly redirectUrl: string
  /** The claim that names the user here. */
  readonly claim: 'email' | 'preferred_username' | 'sub'
}

/** What may change while the gateway runs. */
export interface LiveOptions {
  readonly access: AccessOptions
  /** `api-token-timeout`: hours that a token lives. */
  readonly tokenHours: number
  /** `api-user-tokens`: API tokens may be made and used. */
  readonly userTokens: boolean
  /** `api-user-tokens-default-expire-days`. */
  readonly tokenDays: number
  /** Users that visitors who give no password become, by the way they come in; absent: that way is shut. */
  readonly visitors: Readonly<Partial<Record<Door, string>>>
  /** Where users may log in instead; absent: nowhere. */
  readonly provider?: Provider
  /** `api-allowed-origins`: pages of these origins may read answers in a browser; absent: none. */
  readonly origins?: readonly string[]
  /** `api-trusted-proxies`: ranges whose `X-Forwarded-For` is believed; absent: none. */
  readonly trustedProxies?: readonly string[]
}

export interface GatewayOptions extends LiveOptions {
  readonly manager: ManagerFace
  readonly routes: readonly Route[]
  /** The OpenAPI document; asked once, at its first request. */
  readonly openapi: () => unknown
  /** `api-bind` and `api-port`; port 0 takes a free one. Absent for none. */
  readonly api?: { readonly host: string; readonly port: number }
  /** `http-bind-address` and `http-port`; absent for none. */
  readonly http?: { readonly host: string; readonly port: number }
  /** `api-https-bind`: leaves only the unauthenticated endpoints on the HTTP server. */
  readonly httpsBind: boolean
  /** `monitoring-ssl-cert` and `monitoring-ssl-key`: files. Absent: a self-signed pair, and plain HTTP on the same port. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string }
  readonly tokens: ApiTokens
  readonly log: GatewayLog
  readonly limits?: Partial<Limits>
}
