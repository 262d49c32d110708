// One HTTP exchange with the manager: https first, plain http where the server speaks no TLS and that may be.
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { type Failure, fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import { HttpError, isSilence, type OpenedReply, openHttp, reasonOf } from '../../lib/connect/http/open.js'
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

/** Failures of a connection that was never there: nothing of the request was sent. */
interface Unsent extends Failure {
  readonly isUnsent: true
}

export const isUnsent = (failure: Failure): boolean => 'isUnsent' in failure

/** Longest wait for a connection with its TLS handshake. */
const CONNECT_MS = 10 * SECOND

/** Sends one request and reads the whole reply, as text. Failures as of `open`. */
export async function exchange(endpoint: Endpoint, request: Exchange): Promise<Result<Reply>> {
  const opened = await open(endpoint, request)
  return opened.ok ? readReply(opened.value) : opened
}

/** Reads an opened reply to its end. `unreachable` when it breaks off, `deadline-passed` when it stalls. */
export async function readReply({ status, headers, body }: OpenedReply): Promise<Result<Reply>> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer)
  } catch (error) {
    if (isSilence(error)) return fail('deadline-passed', 'the reply stalled')
    return fail('unreachable', `the reply broke off: ${reasonOf(error)}`)
  }
  return ok({ status, headers, body: Buffer.concat(chunks).toString('utf8') })
}

/**
 * Sends a request and answers as soon as the head of the reply is there: for streams and large bodies.
 * Failures: `unreachable` (no connection, no trust), `deadline-passed` (connected, no answer), `file-unreadable` (the CA).
 */
export async function open(endpoint: Endpoint, request: Exchange): Promise<Result<OpenedReply>> {
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
  | { readonly type: 'answered'; readonly response: OpenedReply }
  | { readonly type: 'no-tls' }
  | { readonly type: 'failed'; readonly failure: Failure }

interface Transport {
  readonly tls: boolean
  readonly ca: string | undefined
}

async function attempt(endpoint: Endpoint, request: Exchange, { tls, ca }: Transport): Promise<Attempt> {
  const { path, method, headers, body, timeoutMs } = request
  try {
    const response = await openHttp({
      url: new URL(`${tls ? 'https' : 'http'}://${authorityOf(endpoint)}${path}`),
      ...{ method, headers, connectMs: CONNECT_MS, silenceMs: timeoutMs, verify: judgeTrust(endpoint).checked },
      ...(body === undefined ? {} : { body }),
      ...(ca === undefined ? {} : { ca }),
    })
    return { type: 'answered', response }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    if (tls && !error.isConnected && speaksNoTls(error)) return { type: 'no-tls' }
    return { type: 'failed', failure: failureOf(error, endpoint, timeoutMs) }
  }
}

const authorityOf = ({ host, port }: Endpoint): string => {
  const bare = bareHost(host)
  return `${bare.includes(':') ? `[${bare}]` : bare}:${port}`
}

/** OpenSSL's words for an answer in plain text; Node's codes for them differ by version. */
const speaksNoTls = (error: Error): boolean =>
  /wrong version number|packet length too long|http request|record layer failure/i.test(error.message)

function failureOf(error: HttpError, endpoint: Endpoint, timeoutMs: number): Failure | Unsent {
  const failure = sentenceOf(error, endpoint, timeoutMs)
  return error.isConnected ? failure : { ...failure, isUnsent: true }
}

function sentenceOf(error: HttpError, endpoint: Endpoint, timeoutMs: number): Failure {
  const { code, message, isConnected } = error
  if (error.isSilence) {
    const silence = `${where(endpoint)}: no answer within ${(isConnected ? timeoutMs : CONNECT_MS) / SECOND} s`
    return { code: isConnected ? 'deadline-passed' : 'unreachable', message: silence }
  }
  const said = `${where(endpoint)}: ${message}`
  if (code === 'ECONNREFUSED')
    return { code: 'unreachable', message: `nothing listens at ${where(endpoint)}; is the manager running?` }
  if (/SELF_SIGNED|UNABLE_TO|CERT|ALTNAME/.test(code))
    return { code: 'unreachable', message: `the certificate of ${said}; name its CA with --cacert, or use --insecure` }
  return { code: 'unreachable', message: said }
}

const where = ({ host, port }: Endpoint): string => `${host}:${port}`

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
