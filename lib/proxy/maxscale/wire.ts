// MaxScale's REST API: JSON behind a name and a password, changes of state as PUT without a body, of parameters as PATCH.
// https://mariadb.com/docs/maxscale/reference/maxscale-rest-api/maxscale-rest-api
import { fail, ok, type Result } from '../../base/result.js'
import { httpAsk } from '../../connect/http.js'

export interface RestApi {
  readonly host: string
  /** `maxscale-port`. */
  readonly port: number
  readonly user: string
  readonly password: string
  /** Longest time of one question, milliseconds. */
  readonly timeoutMs: number
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
  { host, port, user, password, timeoutMs }: RestApi,
  { method, path, body }: Question,
  signal: AbortSignal,
): Promise<Result<string>> {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1${path}`
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const login = { user, password }
  const answer = await httpAsk({ url, method, ...sent, login, timeoutMs, maxBytes: LONGEST, signal })
  if (!answer.ok) return fail('proxy-failed', answer.failure.message)
  const { status, body: text } = answer.value
  if (status >= 200 && status < 300) return ok(text)
  return fail('proxy-failed', `${url}: ${status}${detailOf(text)}`)
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
