// What the steps of the chain share about one request, and what a row's `answer` is given of it.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context as KoaContext, ParameterizedContext } from 'koa'
import type { ClusterProtocol } from '../../actors/protocol/cluster.js'
import type { ActorRef } from '../../actors/protocol/envelope.js'
import type { Caller, ManagerFace } from '../../actors/protocol/manager/face.js'
import { fail, ok, type Result } from '../../lib/base/result.js'
import { findMember, findProxyAt } from '../api/kit/member.js'
import type { Context, Member, RequestFacts, Sessions } from '../api/kit/route.js'
import type { Match } from './match.js'
import type { Session } from './sessions.js'

export interface GatewayState {
  /** Request id. */
  id: string
  match?: Match
  caller?: Caller
  session?: Session
  /** The signed token inside the sealed one, and its claims once koa-jwt has verified them. */
  signed?: string
  claims?: unknown
}

export type GatewayContext = ParameterizedContext<GatewayState, KoaContext>

/** A request and its response, under the number that its log lines and its answer carry. */
export interface Exchange {
  readonly id: string
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

export const exchangeOf = ({ state, req, res }: GatewayContext): Exchange => ({ id: state.id, req, res })

/** Numbers requests; no two makers of numbers give the same one. */
export function createNumbering(): () => string {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}

/** The target of a request up to its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

/** The cluster and the server that a path names. */
export interface Target {
  readonly cluster?: ActorRef<ClusterProtocol>
  readonly server?: Member
}

/** A proxy has no role: its flags are those of nobody. */
const NO_SLOT = -1

/** Finds what `:cluster` and `:server` (with `:port`) stand for. */
export function resolveTarget(manager: ManagerFace, params: Match['params']): Result<Target> {
  const { cluster: name, server, port } = params
  if (name === undefined) return ok({})
  const reason = manager.quarantined().get(name)
  const cluster = manager.cluster(name) ?? (reason === undefined ? undefined : stoppedCluster(name, reason))
  if (!cluster) return fail('unknown-cluster', `no cluster is named ${name}`)
  if (server === undefined) return ok({ cluster })
  const view = manager.members(name)
  if (!view)
    return reason === undefined ? fail('actor-gone', `${name} has not been looked at yet`) : stopped(name, reason)
  const proxy = port === undefined ? undefined : findProxyAt(view, server, port)
  const member = findMember(view, server, port) ?? (proxy && { ...proxy, slot: NO_SLOT })
  return member ? ok({ cluster, server: member }) : fail('unknown-server', `${name} has no server ${server}`)
}

/** The parts of a request that are known once its row, caller and target are. */
export interface ContextParts {
  readonly exchange: Exchange
  readonly manager: ManagerFace
  readonly sessions: Sessions
  readonly caller: Caller
  readonly target: Target
  readonly inputs: { readonly params: unknown; readonly query: unknown; readonly body: unknown }
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal
}

/** A class for its lazy parts: as an object with getters it would be the dearest thing in the chain. */
export class RequestContext implements Context<unknown, unknown, unknown> {
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
  get manager() {
    return this.#parts.manager
  }
  get sessions() {
    return this.#parts.sessions
  }
  get request() {
    return factsOf(this.#parts.exchange)
  }
  get signal() {
    this.#signal ??= requestSignal(this.#parts.exchange, this.#parts.stopping)
    return this.#signal
  }
  get cluster() {
    const { cluster } = this.#parts.target
    if (!cluster) throw new TypeError('the path of this row has no :cluster')
    return cluster
  }
  get server() {
    const { server } = this.#parts.target
    if (!server) throw new TypeError('the path of this row has no :server')
    return server
  }
}

/** Aborts when the client goes away or the gateway stops, whichever is first. */
export function requestSignal({ res }: Pick<Exchange, 'res'>, stopping: AbortSignal): AbortSignal {
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

function factsOf({ id, req }: Exchange): RequestFacts {
  const { method = '', headers, socket } = req
  return { id, method, path: pathOf(req), address: socket.remoteAddress ?? '', headers }
}

function stopped(name: string, reason: string) {
  return fail('quarantined', `${name} was stopped: ${reason}`)
}

/** Answers for a cluster that runs no more. */
function stoppedCluster(id: string, reason: string): ActorRef<ClusterProtocol> {
  return { id, ask: async () => stopped(id, reason), tell: () => {} }
}
