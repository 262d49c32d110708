// What a row's `answer` is given: inputs, caller, and the cluster and server that the path names.
import { type ClusterProtocol, longWork } from '../../../actors/protocol/cluster.js'
import type { ActorRef } from '../../../actors/protocol/envelope.js'
import type { Caller, ManagerFace } from '../../../actors/protocol/manager/face.js'
import type { Asker } from '../../../lib/access/index.js'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { markIn } from '../../../lib/model/plan-id.js'
import { findMember, findProxyAt } from '../../api/kit/member.js'
import type { Context, LoginFacts, Member, RequestFacts, RouteGrant, Sessions } from '../../api/kit/route.js'
import { type GatewayContext, type PathValues, pathOf, type Session } from '../kit/context.js'

/** The cluster and the server that a path names. */
export interface Target {
  readonly cluster?: ActorRef<ClusterProtocol>
  readonly server?: Member
}

/** A proxy has no role, so no slot in the role flags. */
const NO_SLOT = -1

/** Finds what `:cluster` and `:server` (with `:port`) stand for: `unknown-cluster`, `unknown-server`, `actor-gone`, `quarantined`. */
export function resolveTarget(manager: ManagerFace, params: PathValues): Result<Target> {
  const { cluster: name, server, port } = params
  if (name === undefined) return ok({})
  const reason = manager.quarantined().get(name)
  const cluster = manager.cluster(name) ?? (reason === undefined ? undefined : stoppedCluster(name, reason))
  if (!cluster) return fail('unknown-cluster', `no cluster is named ${name}`)
  if (server === undefined) return ok({ cluster })
  const view = manager.members(name)
  if (!view) return reason === undefined ? fail('actor-gone', `${name} has not been probed yet`) : stopped(name, reason)
  const proxy = port === undefined ? undefined : findProxyAt(view, server, port)
  const member = findMember(view, server, port) ?? (proxy && { ...proxy, slot: NO_SLOT })
  return member ? ok({ cluster, server: member }) : fail('unknown-server', `${name} has no server ${server}`)
}

/** The parts of a request that are known once its row, caller and target are. */
export interface ContextParts {
  readonly ctx: GatewayContext
  readonly manager: ManagerFace
  readonly sessions: Sessions
  readonly caller: Caller
  /** That opened the row. */
  readonly grant: RouteGrant
  readonly describe: (session: Session) => LoginFacts
  readonly target: Target
  readonly inputs: { readonly params: unknown; readonly query: unknown; readonly body: unknown }
  /** PEM; undefined: it is served without TLS. */
  readonly listenerCertificate: string | undefined
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal
}

/** A class for its lazy getters: the signal and the request facts are rarely asked for. */
export class RowContext implements Context<unknown, unknown, unknown> {
  readonly #parts: ContextParts
  #signal: AbortSignal | undefined

  constructor(parts: ContextParts) {
    this.#parts = parts
  }
  get params() {
    return this.#parts.inputs.params
  }
  get query() {
    return this.#parts.inputs.query
  }
  get body() {
    return this.#parts.inputs.body
  }
  get caller() {
    return this.#parts.caller
  }
  get login() {
    const { session } = this.#parts.ctx.state
    return session && this.#parts.describe(session)
  }
  get manager() {
    return this.#parts.manager
  }
  get sessions() {
    return this.#parts.sessions
  }
  get request() {
    return factsOf(this.#parts.ctx)
  }
  get listenerCertificate() {
    return this.#parts.listenerCertificate
  }
  get confirmed() {
    return markIn((this.#parts.inputs.query as { readonly confirm?: string } | undefined)?.confirm)
  }
  get signal() {
    this.#signal ??= requestSignal(this.#parts.ctx, this.#parts.stopping)
    return this.#signal
  }
  get cluster() {
    const { cluster } = this.#parts.target
    if (!cluster) throw new TypeError('the path of this row has no :cluster')
    return askedBy(cluster, this.asker)
  }
  get asker() {
    return askerOf(this.#parts)
  }
  get server() {
    const { server } = this.#parts.target
    if (!server) throw new TypeError('the path of this row has no :server')
    return server
  }
}

const long: ReadonlySet<string> = new Set(longWork)

/** Requests for work that begins later or lasts in steps say who asks for it. */
function askedBy(cluster: ActorRef<ClusterProtocol>, asker: Asker | undefined): ActorRef<ClusterProtocol> {
  if (!asker) return cluster
  return {
    id: cluster.id,
    ask: (type, payload, options) => cluster.ask(type, long.has(type) ? { ...payload, asker } : payload, options),
    tell: (type, payload) => cluster.tell(type, payload),
  }
}

/** Undefined for a request without a user. */
function askerOf({ caller, grant, ctx }: Pick<ContextParts, 'caller' | 'grant' | 'ctx'>): Asker | undefined {
  const { user, apiToken } = caller
  if (user === '' || grant === 'none') return undefined
  const { browser } = ctx.state.session ?? {}
  return {
    user,
    ...(apiToken === undefined ? {} : { apiToken }),
    ...(browser === undefined ? {} : { session: browser }),
    grants: grant === 'token' ? [] : [grant].flat(),
  }
}

/** Aborts when the client disconnects or the gateway stops, whichever is first. */
export function requestSignal({ res }: Pick<GatewayContext, 'res'>, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  const abort = () => gone.abort()
  stopping.addEventListener('abort', abort, { once: true })
  res.once('close', () => {
    stopping.removeEventListener('abort', abort)
    abort()
  })
  if (stopping.aborted || res.closed) abort()
  return gone.signal
}

function factsOf({ req, state }: GatewayContext): RequestFacts {
  const { method = '', headers } = req
  const { id, address, secure } = state
  return { id, method, path: pathOf(req), address, secure, headers }
}

function stopped(name: string, reason: string) {
  return fail('quarantined', `${name} was stopped: ${reason}`)
}

/** Answers every ask of a cluster whose actor was stopped after repeated crashes. */
function stoppedCluster(id: string, reason: string): ActorRef<ClusterProtocol> {
  return { id, ask: async () => stopped(id, reason), tell: () => {} }
}
