// Joins the parts: listeners, chains, sessions and event streams, started and stopped as one.
import { X509Certificate } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Readable } from 'node:stream'
import { createFairShares, holderOf } from '../../lib/access/bound/index.js'
import { type Asker, createAccess, type Grant, grants, isChanging, judgeAsker } from '../../lib/access/index.js'
import { builtPath } from '../../lib/base/package-root.js'
import { done, type Failure, fail, ok, type Result } from '../../lib/base/result.js'
import { now } from '../../lib/base/time.js'
import type { BrowserSessions } from '../../lib/store/index.js'
import type { EventSource, FleetSource } from '../api/kit/route.js'
import type { GatewayContext, Session } from './kit/context.js'
import { defaultLimits, type GatewayOptions, type Limits, type LiveOptions } from './kit/options.js'
import { acceptsGzip } from './reply/compress.js'
import { createEventStream, parseLastEventId } from './reply/events.js'
import type { FeedOptions } from './reply/feed.js'
import { createFleetStream } from './reply/fleet-stream.js'
import { createAgentLines } from './request/agent-lines.js'
import { createAuthentication, describeLogin, originOf } from './request/authenticate.js'
import { type ChainParts, createChain } from './request/chain.js'
import { createForward } from './request/forward.js'
import { createRefusalLog } from './request/refusal-log.js'
import { createRolePath } from './request/role-path.js'
import { requestSignal } from './request/row-context.js'
import { createVigil, type Vigil } from './request/vigil.js'
import { loadCertificate } from './server/certificate.js'
import { boundConnections, readFileLimit } from './server/file-limit.js'
import { type Listener, openListener, type Transport } from './server/listener.js'
import { makeCertificate } from './server/self-signed.js'
import type { LiveAccess } from './session/session-parts.js'
import { createSessions } from './session/sessions.js'
import { createTokenSeal } from './session/token-seal.js'

export interface Gateway {
  /** Ports that are listened on: useful where 0 was asked for. 0 is none. */
  readonly apiPort: number
  readonly httpPort: number | undefined
  /** Takes effect with the next request; a user whose password changed is logged out. */
  reconfigure(options: LiveOptions): void
  /** Why a user may not have any more on a cluster what it asked for; undefined: it may. By the permissions in force now. */
  judgeAsker(asker: Asker, cluster: string): string | undefined
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
  const seal = createTokenSeal(options.makeKeys)
  if (!transport.ok) return transport

  const { browsers, workingDir } = options
  let given: LiveOptions = options
  const key = () => browsers.derive('fingerprint')
  let live = toLive(given, key())
  const access = () => live.access
  const { manager, log, openapi, tokens, peers } = options
  const noteOwners = () => tokens.noteOwners((user) => live.access.knows({ user }), Math.floor(now()))
  noteOwners()
  browsers.onKey(() => {
    live = toLive(given, key())
  })
  const clusters = () => manager.clusters()
  const sessions = createSessions({ seal, log, tokens, browsers, workingDir, clusters, live: () => live })
  const noteUse = ({ apiToken }: Session, address: string) => apiToken && tokens.used(apiToken.id, address)
  const vigil = createVigil({ sessions, access })
  const stop = new AbortController()
  stop.signal.addEventListener('abort', () => vigil.close(), { once: true })
  // Every stream that is open listens for the end.
  setMaxListeners(0, stop.signal)
  const parts: ServeParts = {
    ...{ manager, log, openapi, limits, sessions, edge: () => live, slow: createFairShares(limits.slowAnswers) },
    describe: (session) => describeLogin(session, live.access),
    authenticate: createAuthentication({
      ...{ seal, sessions, access, noteUse },
      ...(peers ? { openForwarded: (text: string) => peers.open(text) } : {}),
    }),
    ...(peers ? { forward: createForward({ peers, tokens, bodyBytes: limits.bodyBytes, stopping: stop.signal }) } : {}),
    logRefusal: createRefusalLog(log),
    page: {
      ...{ built: builtPath('dashboard'), ...options.page },
      maxAge: () => live.staticMaxAge,
      origins: () => live.pageOrigins ?? [],
      admits: (ctx) => sessions.admits('dashboard', originOf(ctx)),
    },
    listenerCertificate: transport.value.type === 'plain' || !options.api ? undefined : transport.value.pair.cert,
    stopping: stop.signal,
    ...{ vigil, stream: createStreamer({ limits, vigil, clusters, stopping: stop.signal }) },
  }
  const listeners = await openAll(options, { parts, limits, transport: transport.value })
  if (!listeners.ok) return listeners
  const [api, http] = listeners.value
  if (api && transport.value.type !== 'plain')
    peers?.listens(new X509Certificate(transport.value.pair.cert).fingerprint256)
  return ok({
    apiPort: api?.port ?? 0,
    httpPort: http?.port,
    reconfigure: (next) => {
      given = next
      live = toLive(next, key())
      noteOwners()
      void endSessions(browsers, { access: live.access, log })
    },
    judgeAsker: (asker, cluster) =>
      judgeAsker(asker, cluster, {
        ...{ access: live.access, userTokens: live.userTokens, at: now() },
        token: (id) => tokens.get(id),
      }),
    defaultCredentialsInUse: () => [...live.access.shipped],
    powerfulVisitors: () => powerfulVisitors(live, manager.clusters()),
    close: async () => {
      stop.abort()
      await Promise.all([api?.close(), http?.close()])
    },
  })
}

const toLive = (options: LiveOptions, key: Buffer): LiveAccess => ({
  ...options,
  access: createAccess({ ...options.access, key }),
})

/** Sessions of browsers whose user is gone, or whose password was changed, are no longer refreshed. */
async function endSessions(
  browsers: BrowserSessions,
  { access, log }: Pick<LiveAccess, 'access'> & Pick<GatewayOptions, 'log'>,
): Promise<void> {
  for (const { id, user } of await browsers.keepKnown((identity) => access.knows(identity)))
    log('info', 'session-ended', { user, session: id, why: 'the user was removed, or the password was changed' })
}

function powerfulVisitors({ access, visitors }: LiveAccess, clusters: readonly string[]): readonly string[] {
  const places = ['', ...clusters]
  return Object.entries(visitors).flatMap(([door, user]) => {
    if (door === 'dashboard') return [] // its sessions are read-only
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

  const answerOther = createAgentLines(manager, options.statementKey)
  const main = api ? await openListener({ ...api, transport, limits, serve: full, answerOther }) : ok(undefined)
  if (!main.ok) return named('api-port', main.failure)
  if (!http) return ok([main.value, undefined])
  const second = await openListener({ ...http, transport: { type: 'plain' }, limits, serve: plain, answerOther })
  if (second.ok) return ok([main.value, second.value])
  await main.value?.close()
  return named('http-port', second.failure)
}

/** Says which setting chose the address that cannot be listened on. */
const named = (setting: 'api-port' | 'http-port', { code, message }: Failure): Result<never> =>
  fail(code, `${setting} ${message}`)

interface StreamerParts {
  readonly limits: Limits
  readonly vigil: Vigil
  readonly clusters: () => readonly string[]
  readonly stopping: AbortSignal
}

/** Event streams live as long as what permits them; their number is bounded. */
function createStreamer({ limits, vigil, clusters, stopping }: StreamerParts) {
  const shares = createFairShares(limits.eventStreams)
  return (ctx: GatewayContext, source: EventSource | FleetSource): Result<void> => {
    const { caller, params } = ctx.state
    if (!caller) return fail('not-logged-in', 'no valid token')
    const share = shares.take(holderOf(caller, params?.cluster, clusters))
    if (!share.ok) return share
    ctx.res.once('close', share.value)
    const options: FeedOptions = {
      maxBytes: limits.eventBytes,
      heartbeatMs: limits.heartbeatMs,
      watch: (ended) => vigil.watch(ctx, ended),
      signal: requestSignal(ctx, stopping),
    }
    ctx.body = openStream(ctx, source, options)
    return done
  }
}

/** A browser that connects again sends the header; what its address says is older then. */
function openStream(ctx: GatewayContext, source: EventSource | FleetSource, options: FeedOptions): Readable {
  const header = ctx.req.headers['last-event-id']
  const given = (name: string) => (typeof ctx.query[name] === 'string' ? ctx.query[name] : undefined)
  if (typeof source === 'function')
    return createEventStream({ ...options, source, after: parseLastEventId(header, given('lastEventId')) })
  const packs = acceptsGzip(ctx.req.headers['accept-encoding'])
  ctx.vary('Accept-Encoding')
  if (packs) ctx.set('Content-Encoding', 'gzip')
  const since = typeof header === 'string' ? header : given('since')
  return createFleetStream({ ...options, source, since, packs })
}
