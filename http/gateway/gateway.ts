// Joins the parts: listeners, chains, sessions and event streams, started and stopped as one.
import { createAccess, type Grant, grants, isChanging } from '../../lib/access/index.js'
import { done, type Failure, fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import type { EventSource } from '../api/kit/route.js'
import type { GatewayContext, Session } from './kit/context.js'
import { defaultLimits, type GatewayOptions, type Limits, type LiveOptions } from './kit/options.js'
import { createShares } from './kit/shares.js'
import { createEventStream, parseLastEventId } from './reply/events.js'
import { createAuthentication, originOf } from './request/authenticate.js'
import { type ChainParts, createChain } from './request/chain.js'
import { createRefusalLog } from './request/refusal-log.js'
import { createRolePath } from './request/role-path.js'
import { requestSignal } from './request/row-context.js'
import { loadCertificate } from './server/certificate.js'
import { boundConnections, readFileLimit } from './server/file-limit.js'
import { type Listener, openListener, type Transport } from './server/listener.js'
import { makeCertificate } from './server/self-signed.js'
import type { LiveAccess } from './session/session-parts.js'
import { createSessions, type SessionStore } from './session/sessions.js'
import { createTokenSeal } from './session/token-seal.js'

export interface Gateway {
  /** Ports that are listened on: useful where 0 was asked for. 0 is none. */
  readonly apiPort: number
  readonly httpPort: number | undefined
  /** Takes effect with the next request; a user whose password changed is logged out. */
  reconfigure(options: LiveOptions): void
  /** Users that still have the password the product ships with (finding WARN0108). */
  defaultCredentialsInUse(): readonly string[]
  /** Visitors who give no password and become someone who can change something (finding WARN0240), a line each. */
  powerfulVisitors(): readonly string[]
  /** Ends event streams at once, lets requests end within the grace, then cuts them off: within 5 s. */
  close(): Promise<void>
}

/** Opens the listeners; the failure names the address, file or certificate that is wrong. */
export async function startGateway(options: GatewayOptions): Promise<Result<Gateway>> {
  const wanted: Limits = { ...defaultLimits, ...options.limits }
  const limits: Limits = { ...wanted, connections: boundConnections(wanted.connections, await readFileLimit()) }
  const transport = await findTransport(options)
  const seal = createTokenSeal()
  if (!transport.ok) return transport

  let live = toLive(options)
  const access = () => live.access
  const { manager, log, openapi, tokens } = options
  const noteOwners = () => tokens.noteOwners((user) => live.access.knows({ user }), Math.floor(now()))
  noteOwners()
  const clusters = () => manager.clusters()
  const sessions = createSessions({ seal, log, tokens, clusters, live: () => live })
  const noteUse = ({ apiToken }: Session, address: string) => apiToken && tokens.used(apiToken.id, address)
  const stop = new AbortController()
  const parts: ServeParts = {
    ...{ manager, log, openapi, limits, sessions, edge: () => live, slow: createShares(limits.slowEach) },
    authenticate: createAuthentication({ seal, sessions, access, noteUse }),
    logRefusal: createRefusalLog(log),
    stopping: stop.signal,
    stream: createStreamer({ limits, sessions, stopping: stop.signal }),
  }
  const listeners = await openAll(options, { parts, limits, transport: transport.value })
  if (!listeners.ok) return listeners
  const [api, http] = listeners.value
  return ok({
    apiPort: api?.port ?? 0,
    httpPort: http?.port,
    reconfigure: (next) => {
      live = toLive(next)
      noteOwners()
    },
    defaultCredentialsInUse: () => [...live.access.shipped],
    powerfulVisitors: () => powerfulVisitors(live, manager.clusters()),
    close: async () => {
      stop.abort()
      await Promise.all([api?.close(), http?.close()])
    },
  })
}

const toLive = (options: LiveOptions): LiveAccess => ({ ...options, access: createAccess(options.access) })

function powerfulVisitors({ access, visitors }: LiveAccess, clusters: readonly string[]): readonly string[] {
  const places = ['', ...clusters]
  return Object.entries(visitors).flatMap(([door, user]) => {
    const identity = access.find(user)
    const may = (grant: Grant) => places.some((cluster) => identity && access.may(identity, grant, cluster))
    return grants.some((grant) => isChanging(grant) && may(grant)) ? [`${door}: ${user}`] : []
  })
}

async function findTransport({ certificate }: GatewayOptions): Promise<Result<Transport>> {
  if (!certificate) return ok({ type: 'both', pair: await makeCertificate(Date.now()) })
  const pair = await loadCertificate(certificate, Date.now())
  return pair.ok ? ok({ type: 'tls', pair: pair.value }) : pair
}

type ServeParts = Omit<ChainParts, 'routes' | 'documents'>

interface OpenParts {
  readonly parts: ServeParts
  readonly limits: Limits
  readonly transport: Transport
}

type Listeners = readonly [api: Listener | undefined, http: Listener | undefined]

async function openAll(options: GatewayOptions, { parts, limits, transport }: OpenParts): Promise<Result<Listeners>> {
  const { manager, routes, api, http, httpsBind } = options
  const open = routes.filter(({ grant }) => grant === 'none')
  const full = createRolePath(manager, createChain({ ...parts, routes, documents: true }))
  const plain = httpsBind ? createRolePath(manager, createChain({ ...parts, routes: open, documents: false })) : full

  const main = api ? await openListener({ ...api, transport, limits, serve: full }) : ok(undefined)
  if (!main.ok) return named('api-port', main.failure)
  if (!http) return ok([main.value, undefined])
  const second = await openListener({ ...http, transport: { type: 'plain' }, limits, serve: plain })
  if (second.ok) return ok([main.value, second.value])
  await main.value?.close()
  return named('http-port', second.failure)
}

/** Says which setting chose the address that cannot be listened on. */
const named = (setting: 'api-port' | 'http-port', { code, message }: Failure): Result<never> =>
  fail(code, `${setting} ${message}`)

interface StreamerParts {
  readonly limits: Limits
  readonly sessions: SessionStore
  readonly stopping: AbortSignal
}

/** Event streams live as long as their session; their number is bounded. */
function createStreamer({ limits, sessions, stopping }: StreamerParts) {
  let open = 0
  const shares = createShares(limits.eventStreamsEach)
  return (ctx: GatewayContext, source: EventSource): Result<void> => {
    if (open >= limits.eventStreams) return fail('mailbox-full', `${open} event streams are open`)
    const { address, caller } = ctx.state
    const release = shares.take({ user: caller?.user ?? '', address })
    if (!release) return fail('mailbox-full', `${limits.eventStreamsEach} event streams of this user are open`)
    open += 1
    ctx.res.once('close', () => {
      open -= 1
      release()
    })
    const { session } = ctx.state
    const { lastEventId } = ctx.query
    ctx.body = createEventStream({
      source,
      after: parseLastEventId(
        ctx.req.headers['last-event-id'],
        typeof lastEventId === 'string' ? lastEventId : undefined,
      ),
      maxBytes: limits.eventBytes,
      heartbeatMs: limits.heartbeatMs,
      mayGoOn: () => session === undefined || sessions.isLive(session, originOf(ctx)),
      signal: requestSignal(ctx, stopping),
    })
    return done
  }
}
