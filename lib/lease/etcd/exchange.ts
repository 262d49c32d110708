// One POST to etcd's JSON gateway over a kept connection, and the stream of a watch.
import http from 'node:http'
import https from 'node:https'
import { fail, ok, type Result } from '../../base/result.js'
import type { EtcdOptions } from './options.js'

export interface Exchange {
  readonly endpoint: string
  /** Below the endpoint: `/v3/kv/range`. */
  readonly path: string
  readonly body: object
  readonly token: string
  /** Ends it, whatever it waits for. */
  readonly signal: AbortSignal
}

export interface Agents {
  readonly http: http.Agent
  readonly https: https.Agent
}

/** Replies of a fleet's keys are far below; a server that is no etcd may send without an end. */
const MOST_BYTES = 64 << 20

export function openAgents({ ca, cert, key }: EtcdOptions): Agents {
  const tls = { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(key ? { key } : {}) }
  return { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true, ...tls }) }
}

interface Arrived {
  readonly status: number
  readonly reply: http.IncomingMessage
}

/** Failures: `store-unreachable` with why there was no reply. */
function send(agents: Agents, { endpoint, path, body, token, signal }: Exchange): Promise<Result<Arrived>> {
  return new Promise((resolve) => {
    const missing = (error: unknown) =>
      resolve(fail('store-unreachable', `${endpoint}: ${error instanceof Error ? error.message : String(error)}`))
    try {
      const url = new URL(path, endpoint)
      const text = JSON.stringify(body)
      const options = {
        method: 'POST',
        signal,
        headers: { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: token }) },
      }
      const request =
        url.protocol === 'https:'
          ? https.request(url, { ...options, agent: agents.https })
          : http.request(url, { ...options, agent: agents.http })
      request.once('error', missing)
      request.once('response', (reply) => resolve(ok({ status: reply.statusCode ?? 0, reply })))
      request.end(text)
    } catch (error) {
      missing(error)
    }
  })
}

export interface Answered {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** The reply to a call. Failure: `store-unreachable`. */
export async function post(agents: Agents, exchange: Exchange): Promise<Result<Answered>> {
  const arrived = await send(agents, exchange)
  if (!arrived.ok) return arrived
  const { status, reply } = arrived.value
  const { endpoint } = exchange
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MOST_BYTES) throw new Error(`the reply is longer than ${MOST_BYTES} bytes`)
    }
    return ok({ status, body: JSON.parse(Buffer.concat(chunks).toString()) as Answered['body'] })
  } catch (error) {
    reply.destroy()
    return fail('store-unreachable', `${endpoint}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Calls `heard` for every line of a watch, which is one message of etcd. Resolves when the stream has ended. */
export async function follow(agents: Agents, exchange: Exchange, heard: (line: string) => void): Promise<void> {
  const arrived = await send(agents, exchange)
  if (!arrived.ok) return
  let rest = ''
  try {
    for await (const chunk of arrived.value.reply as AsyncIterable<Buffer>) {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > MOST_BYTES) return
      for (const line of lines) if (line !== '') heard(line)
    }
  } catch {
    // The connection broke: the caller follows again.
  } finally {
    arrived.value.reply.destroy()
  }
}
