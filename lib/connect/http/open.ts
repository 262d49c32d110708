// One HTTP request with undici on a separate connection; returns the head of the reply and the stream of its body.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

export interface HttpOpening {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Connect timeout, TLS handshake included. */
  readonly connectMs: number
  /** Maximum time without data from the server once connected. */
  readonly silenceMs: number
  /** PEM text of the CA that certificates are verified with; the system's CAs when absent. */
  readonly ca?: string
  /** False: any certificate is accepted. */
  readonly verify: boolean
  /** HTTP proxy through which the server is reached, by CONNECT; its user and password may be in it. */
  readonly proxy?: URL
  readonly signal?: AbortSignal
}

export interface OpenedReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Fails when the reply breaks off or the server is silent; destroying it closes the connection. */
  readonly body: Readable
}

/** True for a timeout error of undici: while connecting, before the head, or within the body. */
export const isSilence = (error: unknown): boolean =>
  /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(wordsOf(error).code)

/** Message of an error of `openHttp`, or of the body of its reply. */
export const reasonOf = (error: unknown): string => wordsOf(error).message

/** Reason of the missing reply. */
export class HttpError extends Error {
  /** The request failed after the connection was established: it may have been carried out. */
  readonly isConnected: boolean
  /** The server sent no data in time. */
  readonly isSilence: boolean
  /** Code of the operating system, of TLS or of undici. */
  readonly code: string

  constructor(cause: unknown, isConnected: boolean) {
    const { message, code } = wordsOf(cause)
    super(message, { cause })
    this.code = code
    this.isConnected = isConnected
    this.isSilence = isSilence(cause)
  }
}

/** Resolves when the head of the reply has arrived. Follows no redirect. Rejects with an `HttpError`. */
export async function openHttp(opening: HttpOpening): Promise<OpenedReply> {
  const { url, method, headers, body, signal } = opening
  const client = await createClient(opening)
  let isConnected = false
  client.once('connect', () => {
    isConnected = true
  })
  try {
    const { request } = await undici()
    const reply = await request.call(client, {
      ...{
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as Dispatcher.HttpMethod,
        headers,
        reset: true,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    // The connection is closed after the body was read or abandoned; the reader receives the error from the stream.
    reply.body.on('error', () => undefined).once('close', () => void client.destroy())
    return { status: reply.statusCode, headers: reply.headers, body: reply.body }
  } catch (error) {
    void client.destroy()
    throw new HttpError(error, isConnected)
  }
}

async function createClient({ url, connectMs, silenceMs, ca, verify, proxy }: HttpOpening): Promise<Dispatcher> {
  const silence = wholeMs(silenceMs)
  const timeouts = { headersTimeout: silence, bodyTimeout: silence }
  const tls = { timeout: wholeMs(connectMs), rejectUnauthorized: verify, ...(ca === undefined ? {} : { ca }) }
  if (proxy) {
    // Of the whole package: its parts find each other's methods only there. The default export has its names in a bundle, too.
    const { ProxyAgent } = (await import('undici')).default
    const token = proxy.username === '' ? {} : { token: `Basic ${loginOf(proxy)}` }
    return new ProxyAgent({ uri: proxy.origin, ...token, ...timeouts, connect: tls, requestTls: tls })
  }
  const { Client } = await undici()
  return new Client(url.origin, { ...timeouts, connect: tls })
}

const loginOf = ({ username, password }: URL): string =>
  Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')

/** undici takes whole milliseconds, and 0 for no timeout: what is left of a deadline is at least 1. */
const wholeMs = (ms: number): number => Math.max(1, Math.ceil(ms))

/**
 * The client and the request of undici, loaded by the first request: all of undici takes 100 ms of CPU time to load, these
 * two 27 ms, and a command line program is started often.
 */
async function undici() {
  const [client, request] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/api/api-request.js'),
  ])
  return { Client: client.default, request: request.default }
}

/** Message and code of an error; the error of a name with several addresses has only codes. */
function wordsOf(cause: unknown): { readonly message: string; readonly code: string } {
  if (!(cause instanceof Error)) return { message: String(cause), code: '' }
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return { message: sentences[code] ?? (cause.message || code || cause.name), code }
}

/** Messages for undici's own errors, which are unspecific. */
const sentences: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the server closed the connection (ECONNRESET)',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the reply was cut off (ECONNRESET)',
}
