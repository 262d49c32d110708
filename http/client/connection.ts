// One HTTP exchange with the manager: https first, plain http where the server speaks no TLS and that may be.
import { readFile } from 'node:fs/promises'
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { type Failure, fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import type { Endpoint } from './endpoint.js'
import { bareHost, judgeTrust } from './trust.js'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Longest silence of the server once connected, milliseconds. */
  readonly timeoutMs: number
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Longest wait for a connection with its TLS handshake. */
const CONNECT_MS = 10 * SECOND

/** Sends one request and reads the whole reply, as text. Failures as of `open`. */
export async function exchange(endpoint: Endpoint, request: Exchange): Promise<Result<Reply>> {
  const opened = await open(endpoint, request)
  return opened.ok ? readReply(opened.value) : opened
}

/** Reads an opened reply to its end. `unreachable` when it breaks off, `deadline-passed` when it stalls. */
export async function readReply(response: IncomingMessage): Promise<Result<Reply>> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer)
  } catch (error) {
    return fail('unreachable', `the reply broke off: ${messageOf(error)}`)
  }
  const body = Buffer.concat(chunks).toString('utf8')
  return ok({ status: response.statusCode ?? 0, headers: response.headers, body })
}

/**
 * Sends a request and answers as soon as the head of the reply is there: for streams and large bodies.
 * Failures: `unreachable` (no connection, no trust), `deadline-passed` (connected, no answer), `file-unreadable` (the CA).
 */
export async function open(endpoint: Endpoint, request: Exchange): Promise<Result<IncomingMessage>> {
  const ca = await readCa(endpoint.caFile)
  if (!ca.ok) return ca
  const secure = await attempt(endpoint, request, { tls: true, ca: ca.value })
  if (secure.type === 'answered') return ok(secure.response)
  if (secure.type === 'failed') return { ok: false, failure: secure.failure }
  if (!judgeTrust(endpoint).plain)
    return fail('unreachable', `${where(endpoint)} speaks no TLS; --insecure sends the password in the clear`)
  const plain = await attempt(endpoint, request, { tls: false, ca: undefined })
  if (plain.type === 'answered') return ok(plain.response)
  return plain.type === 'failed'
    ? { ok: false, failure: plain.failure }
    : fail('unreachable', `${where(endpoint)} speaks no HTTP`)
}

async function readCa(file: string | undefined): Promise<Result<string | undefined>> {
  if (file === undefined) return ok(undefined)
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    return fail('file-unreadable', `--cacert: ${messageOf(error)}`)
  }
}

type Attempt =
  | { readonly type: 'answered'; readonly response: IncomingMessage }
  | { readonly type: 'no-tls' }
  | { readonly type: 'failed'; readonly failure: Failure }

interface Transport {
  readonly tls: boolean
  readonly ca: string | undefined
}

function attempt(endpoint: Endpoint, request: Exchange, { tls, ca }: Transport): Promise<Attempt> {
  const { path, method, headers, body, timeoutMs } = request
  const options: https.RequestOptions = {
    host: bareHost(endpoint.host),
    port: endpoint.port,
    path,
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
    agent: false,
    ...(tls ? { rejectUnauthorized: judgeTrust(endpoint).checked, ...(ca === undefined ? {} : { ca }) } : {}),
  }
  return new Promise((resolve) => {
    let connected = false
    const sent = (tls ? https : http).request(options, (response) => resolve({ type: 'answered', response }))
    sent.setTimeout(CONNECT_MS)
    sent.on('socket', (socket) =>
      socket.once(tls ? 'secureConnect' : 'connect', () => {
        connected = true
        sent.setTimeout(timeoutMs)
      }),
    )
    sent.on('timeout', () => sent.destroy(new Silence(connected ? timeoutMs : CONNECT_MS)))
    sent.on('error', (error) =>
      resolve(
        tls && !connected && speaksNoTls(error)
          ? { type: 'no-tls' }
          : { type: 'failed', failure: failureOf(error, endpoint, connected) },
      ),
    )
    sent.end(body)
  })
}

class Silence extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms / SECOND} s`)
  }
}

/** OpenSSL's words for an answer in plain text; Node's codes for them differ by version. */
const speaksNoTls = (error: Error): boolean =>
  /wrong version number|packet length too long|http request|record layer failure/i.test(error.message)

function failureOf(error: NodeJS.ErrnoException, endpoint: Endpoint, connected: boolean): Failure {
  const { code = '', message } = error
  const said = `${where(endpoint)}: ${message}`
  if (error instanceof Silence) return { code: connected ? 'deadline-passed' : 'unreachable', message: said }
  if (code === 'ECONNREFUSED')
    return { code: 'unreachable', message: `nothing listens at ${where(endpoint)}; is the manager running?` }
  if (/SELF_SIGNED|UNABLE_TO|CERT|ALTNAME/.test(code))
    return { code: 'unreachable', message: `the certificate of ${said}; name its CA with --cacert, or use --insecure` }
  return { code: 'unreachable', message: said }
}

const where = ({ host, port }: Endpoint): string => `${host}:${port}`

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
