// What the gateway is started with: plain values, read from the settings by bin/.
import type { KeyObject, webcrypto } from 'node:crypto'

import type { ManagerFace } from '../../../actors/protocol/manager/face.js'
import type { Peers } from '../../../actors/protocol/manager/peers.js'
import { type FairBound, sharedBounds } from '../../../lib/access/bound/index.js'
import type { AccessOptions } from '../../../lib/access/index.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import type { Secret } from '../../../lib/base/secret.js'
import { SECOND } from '../../../lib/base/time.js'
import type { ApiTokens, BrowserSessions } from '../../../lib/store/index.js'
import type { Door, Route } from '../../api/kit/route.js'
import type { HistoryPlaces } from '../../api/views/kit/me.js'

/** What a gateway signs its tokens with, and what it encrypts them with. */
export interface TokenKeys {
  readonly signing: webcrypto.CryptoKeyPair
  readonly sealing: webcrypto.CryptoKeyPair
}

/** Bounds that keep one client from using up the gateway; tests lower them. */
export interface Limits {
  readonly headersMs: number
  readonly requestMs: number
  readonly keepAliveMs: number
  /** A connection on which nothing moves for so long is closed, unless its request waits for the answer. */
  readonly idleMs: number
  readonly handshakeMs: number
  readonly bodyBytes: number
  readonly headerBytes: number
  /** Connections of a port; fewer where the process may not open enough files. */
  readonly connections: number
  readonly eventStreams: FairBound
  /** Slow answers that are waited for at once. */
  readonly slowAnswers: FairBound
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
  eventStreams: sharedBounds.eventStreams,
  slowAnswers: sharedBounds.slowAnswers,
  eventBytes: 1_048_576,
  heartbeatMs: 10 * SECOND,
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
  /** `http-session-lifetime`: how long a browser's session lives without being used. */
  readonly sessionMs: number
  /** `http-refresh-interval`: how often pages ask for what is not streamed. */
  readonly refreshMs: number
  /** `prometheus-url`, `grafana-url`: where pages link to for longer history; absent: nowhere. */
  readonly history?: HistoryPlaces
  /** `cache-static-max-age`: seconds that browsers keep files of a page without a digest in their name. */
  readonly staticMaxAge: number
  /** `api-user-tokens`: API tokens may be made and used. */
  readonly userTokens: boolean
  /** `api-user-tokens-default-expire-days`. */
  readonly tokenDays: number
  /** Users that visitors who give no password become, by the way they come in; absent: that way is shut. */
  readonly visitors: Readonly<Partial<Record<Door, string>>>
  /** Where users may log in instead; absent: nowhere. */
  readonly provider?: Provider
  /** `http-root-origins`: what a page of `http-root` may load from elsewhere; absent: nothing. */
  readonly pageOrigins?: readonly string[]
  /** `api-allowed-origins`: pages of these origins may read answers in a browser; absent: none. */
  readonly origins?: readonly string[]
  /** `api-trusted-proxies`: ranges whose `X-Forwarded-For` is believed; absent: none. */
  readonly trustedProxies?: readonly string[]
}

export interface GatewayOptions extends LiveOptions {
  /** Signs statements for the health agents of databases; absent: there are none. */
  readonly statementKey?: KeyObject
  readonly manager: ManagerFace
  readonly routes: readonly Route[]
  /** The instances that share the fleet with this one; absent: there are none. */
  readonly peers?: Peers
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
  /** Makes the keys of tokens at the first login; absent: new ones. Specs share a few. */
  readonly makeKeys?: () => Promise<TokenKeys>
  readonly browsers: BrowserSessions
  /** `http-root`: a page in place of the dashboard, '' for none; `built`: where that is, unless it is the one of the build. */
  readonly page: { readonly root: string; readonly built?: string }
  /** `monitoring-datadir`: one-time codes of logins lie below it. */
  readonly workingDir: string
  readonly log: WriteLog
  readonly limits?: Partial<Limits>
}
