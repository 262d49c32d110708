// MaxScale's REST API: JSON behind a name and a password, in clear or over TLS; changes of state as PUT without a body, of parameters as PATCH.
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
  /** Absent: in clear (`maxscale-tls`). */
  readonly tls?: RestTls
  /** Longest time of one question, milliseconds. */
  readonly timeoutMs: number
}

/** How MaxScale's certificate is judged; its `admin_ssl_cert`. */
export interface RestTls {
  /** A PEM file; '' for the authorities Node knows. It is read for every question, so that a renewed one counts. */
  readonly caFile: string
  /** False: any certificate will do. */
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

/** The answer's text, empty for a change; `proxy-failed` for any status but 2xx, with what MaxScale says of it. */
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
  return ca.includes('-----BEGIN ') // A file without a certificate would trust nobody, and say so of the other side.
    ? ok({ ca, verify: true })
    : fail('proxy-failed', `maxscale-tls-ca-cert: ${tls.caFile} is no certificate in PEM`)
}

/** The resources below a path; `proxy-failed` also where the answer is not MaxScale's. */
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

/** `errors[].detail` of an answer that refuses. */
function detailOf(body: string): string {
  const details = [...body.matchAll(/"detail"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(([, detail = '']) => detail)
  return details.length === 0 ? '' : `: ${details.join('; ').slice(0, 300)}`
}
