// MaxScale's REST API: JSON with basic authentication, in clear text or over TLS; changes of state as PUT without a body, of parameters as PATCH.
// https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-rest-api
import { readFile } from 'node:fs/promises'
import { fail, ok, type Result } from '../../base/result.js'
import { type HttpRequest, httpAsk } from '../../connect/http/request.js'

export interface RestApi {
  readonly host: string
  /** `maxscale-port`. */
  readonly port: number
  readonly user: string
  readonly password: string
  /** Absent: in clear text (`maxscale-tls`). */
  readonly tls?: RestTls
  /** Longest time of one request, milliseconds. */
  readonly timeoutMs: number
}

/** How MaxScale's certificate (`admin_ssl_cert`) is verified. */
export interface RestTls {
  /** A PEM file; '' for the authorities of Node. Read for every request, so that a renewed one applies. */
  readonly caFile: string
  /** False: any certificate is accepted. */
  readonly verify: boolean
}

export interface Question {
  readonly method: 'GET' | 'PUT' | 'PATCH'
  /** Below `/v1`, with its query. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
}

/** Longest answer that is read: a few hundred servers. */
const LONGEST = 8 << 20

/** The reply's text, empty for a change; `proxy-failed` for any status but 2xx, with MaxScale's error. */
export async function ask(
  { host, port, user, password, tls, timeoutMs }: RestApi,
  { method, path, body }: Question,
  signal: AbortSignal,
): Promise<Result<string>> {
  const trust = await trustOf(tls)
  if (!trust.ok) return trust
  const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}/v1${path}`
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const login = { user, password }
  const answer = await httpAsk({ url, method, ...sent, ...trust.value, login, timeoutMs, maxBytes: LONGEST, signal })
  if (!answer.ok) return fail('proxy-failed', answer.failure.message)
  const { status, body: text } = answer.value
  if (status >= 200 && status < 300) return ok(text)
  return fail('proxy-failed', `${url}: ${status}${detailOf(text)}`)
}

async function trustOf(tls: RestTls | undefined): Promise<Result<Pick<HttpRequest, 'ca' | 'verify'>>> {
  if (!tls?.verify || tls.caFile === '') return ok(tls ? { verify: tls.verify } : {})
  const ca = await readFile(tls.caFile, 'utf8').catch((error: Error) => error)
  if (typeof ca !== 'string') return fail('proxy-failed', `maxscale-tls-ca-cert cannot be read: ${ca.message}`)
  return ca.includes('-----BEGIN ') // A file without a certificate would trust no server, and blame the server.
    ? ok({ ca, verify: true })
    : fail('proxy-failed', `maxscale-tls-ca-cert: ${tls.caFile} is not a PEM certificate`)
}

/** The resources below a path; `proxy-failed` also where the reply is not MaxScale's. */
export async function read<T>(
  api: RestApi & { readonly name: string },
  path: string,
  { signal, parse }: { readonly signal: AbortSignal; readonly parse: (text: string) => Result<T> },
): Promise<Result<T>> {
  const answer = await ask(api, { method: 'GET', path }, signal)
  if (!answer.ok) return answer
  const parsed = parse(answer.value)
  return parsed.ok ? parsed : fail('proxy-failed', `${api.name}: ${parsed.failure.message}`)
}

/** `errors[].detail` of a refusal. */
function detailOf(body: string): string {
  const details = [...body.matchAll(/"detail"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(([, detail = '']) => detail)
  return details.length === 0 ? '' : `: ${details.join('; ').slice(0, 300)}`
}
