// Passes a request about a cluster on to the instance that owns it, and relays its reply: once, over TLS to the certificate it announced.
import { type IncomingMessage, request as openRequest } from 'node:http'
import { connect, type TLSSocket } from 'node:tls'
import type { Peer, Peers } from '../../../actors/protocol/manager/peers.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { MINUTE, SECOND } from '../../../lib/base/time.js'
import type { ApiTokens } from '../../../lib/store/index.js'
import { isAction, type Route } from '../../api/kit/route.js'
import type { GatewayContext } from '../kit/context.js'
import { readBytes } from './body.js'
import { requestSignal } from './row-context.js'

/** Carries what the sender says of a request. */
export const FORWARDED = 'x-manager-forwarded'

/** Longest wait for a connection with its handshake. Nothing is sent before it: without it the request is answered here. */
const CONNECT_MS = 2 * SECOND
/** Longest silence of the owner; it bounds its own answers. */
const SILENCE_MS = 21 * MINUTE

/** Headers of the client that the owner needs, and those of its reply that are of the connection, or set here. */
const PASSED = ['accept', 'content-type', 'if-none-match'] as const
const OWN = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'date',
  'x-request-id',
  'strict-transport-security',
])

export interface ForwardParts {
  readonly peers: Peers
  readonly tokens: Pick<ApiTokens, 'get'>
  readonly bodyBytes: number
  readonly stopping: AbortSignal
}

/** Undefined: the request is answered here. */
export type Forward = (ctx: GatewayContext, route: Route) => Promise<Result<void> | undefined>

/** What changes a cluster, and what only its owner knows. */
const concernsOwner = (route: Route): boolean => isAction(route) || route.acts === true || route.ofOwner === true

export function createForward(parts: ForwardParts): Forward {
  return async (ctx, route) => {
    const { params = {}, session, isForwarded } = ctx.state
    // One that was passed on already is refused here if the owner is another one by now: no request goes round.
    const isKnown = session !== undefined || (route.grant === 'none' && route.ofOwner === true)
    if (params.cluster === undefined || !isKnown || isForwarded || !concernsOwner(route)) return undefined
    const owner = parts.peers.ownerOf(params.cluster)
    const socket = owner && (await connectTo(owner))
    return owner && socket ? relay(ctx, { ...parts, owner, socket }) : undefined
  }
}

interface RelayParts extends ForwardParts {
  readonly owner: Peer
  readonly socket: TLSSocket
}

async function relay(ctx: GatewayContext, parts: RelayParts): Promise<Result<void>> {
  const { socket, owner, bodyBytes } = parts
  const body = await readBytes(ctx.req, bodyBytes)
  if (!body.ok) {
    socket.destroy()
    return body
  }
  const reply = await send(ctx, body.value, parts)
  if (!reply.ok) return reply
  ctx.status = reply.value.statusCode ?? 502
  for (const [name, value] of Object.entries(reply.value.headers))
    if (value !== undefined && !OWN.has(name)) ctx.set(name, value)
  ctx.set('X-Answered-By', owner.address)
  ctx.body = reply.value
  return done
}

/** Failures: `deadline-passed`, `actor-gone`: the request may have been carried out, and is not sent again. */
function send(ctx: GatewayContext, body: Buffer, parts: RelayParts): Promise<Result<IncomingMessage>> {
  const { socket, owner, peers, stopping } = parts
  const { method, url = '/' } = ctx.req
  const passed = PASSED.flatMap((name) => {
    const value = ctx.req.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const headers = {
    ...Object.fromEntries(passed),
    host: new URL(owner.address).host,
    connection: 'close',
    'content-length': String(body.length),
    [FORWARDED]: peers.seal(owner, { method: method ?? 'GET', url, ...callerOf(ctx, parts) }),
  }
  return new Promise((resolve) => {
    const request = openRequest({
      ...{ method, path: url, headers, signal: requestSignal(ctx, stopping), createConnection: () => socket },
    })
    request.setTimeout(SILENCE_MS, () => {
      resolve(fail('deadline-passed', `${owner.address}, which owns the cluster, does not answer`))
      request.destroy()
    })
    request.once('response', (reply) => resolve(ok(reply)))
    request.once('error', ({ message }) =>
      resolve(
        fail(
          'actor-gone',
          `${owner.address}, which owns the cluster, broke off before it answered (${message}): the request may have been carried out`,
        ),
      ),
    )
    request.end(body)
  })
}

function callerOf({ state }: GatewayContext, { tokens }: RelayParts) {
  const { session, address } = state
  const token = session?.apiToken && tokens.get(session.apiToken.id)
  return {
    ...{ user: session?.user ?? '', address },
    ...(session?.readOnly ? { readOnly: true as const } : {}),
    ...(token ? { apiToken: { id: token.id, grants: token.grants, clusters: token.clusters } } : {}),
  }
}

/** A connection to the instance itself, proven by its certificate; undefined: nothing was sent. */
function connectTo({ address, certificate }: Peer): Promise<TLSSocket | undefined> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(address)
    const socket = connect({
      ...{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443), ALPNProtocols: ['http/1.1'] },
      // Its fingerprint is compared: instances make their certificates, and no authority knows them.
      rejectUnauthorized: false,
    })
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve(undefined)
    }
    const timer = setTimeout(end, CONNECT_MS)
    socket.once('error', end)
    socket.once('secureConnect', () => {
      if (socket.getPeerX509Certificate()?.fingerprint256 !== certificate) return end()
      clearTimeout(timer)
      // An error before the request is written is not unhandled: the request then fails.
      resolve(socket)
    })
  })
}
