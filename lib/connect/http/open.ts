// One HTTP request with undici on a connection of its own, answered with the head of the reply and the stream of its body.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Client, Dispatcher } from 'undici'

export interface HttpOpening {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Longest time until there is a connection, its TLS handshake included. */
  readonly connectMs: number
  /** Longest silence of the server once connected. */
  readonly silenceMs: number
  /** PEM text of the authority that certificates are checked with; the system's when absent. */
  readonly ca?: string
  /** False: any certificate is accepted. */
  readonly verify: boolean
  readonly signal?: AbortSignal
}

export interface OpenedReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Fails when the reply breaks off or the server is silent; destroying it closes the connection. */
  readonly body: Readable
}

/** True for an error of undici that means so long a silence: without a connection, before the head, or within the body. */
export const isSilence = (error: unknown): boolean =>
  /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(wordsOf(error).code)

/** What an error of `openHttp`, or of the body of its reply, says. */
export const reasonOf = (error: unknown): string => wordsOf(error).message

/** Why there is no reply. */
export class HttpError extends Error {
  /** There was a connection when it failed: the request may have been carried out. */
  readonly isConnected: boolean
  /** The server was silent for too long. */
  readonly isSilence: boolean
  /** Of the operating system, of TLS or of undici. */
  readonly code: string

  constructor(cause: unknown, isConnected: boolean) {
    const { message, code } = wordsOf(cause)
    super(message, { cause })
    this.code = code
    this.isConnected = isConnected
    this.isSilence = isSilence(cause)
  }
}

/** Resolves when the head of the reply is there. Follows no redirect. Rejects with an `HttpError`. */
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
      ...{ path: `${url.pathname}${url.search}`, method: method as Dispatcher.HttpMethod, headers, reset: true },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    // Read to its end or given up, its connection is of no further use; the reader sees the error by itself.
    reply.body.on('error', () => undefined).once('close', () => void client.destroy())
    return { status: reply.statusCode, headers: reply.headers, body: reply.body }
  } catch (error) {
    void client.destroy()
    throw new HttpError(error, isConnected)
  }
}

async function createClient({ url, connectMs, silenceMs, ca, verify }: HttpOpening): Promise<Client> {
  const { Client } = await undici()
  return new Client(url.origin, {
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    connect: { timeout: connectMs, rejectUnauthorized: verify, ...(ca === undefined ? {} : { ca }) },
  })
}

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

/** What an error says, and its code; that of a name with several addresses has only codes. */
function wordsOf(cause: unknown): { readonly message: string; readonly code: string } {
  if (!(cause instanceof Error)) return { message: String(cause), code: '' }
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return { message: sentences[code] ?? (cause.message || code || cause.name), code }
}

/** For undici's own errors, which say little of what happened. */
const sentences: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'the server closed the connection (ECONNRESET)',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the reply was cut off (ECONNRESET)',
}
