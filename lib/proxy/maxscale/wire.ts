// MaxScale's REST API: JSON behind a name and a password, changes as PUT without a body.
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
  readonly method: 'GET' | 'PUT'
  /** Below `/v1`, with its query. */
  readonly path: string
}

/** Longest answer that is read: a few hundred servers. */
const LONGEST = 8 << 20

/** The answer's text, empty for a change; `proxy-failed` for any status but 2xx, with what MaxScale says of it. */
export async function ask(
  { host, port, user, password, timeoutMs }: RestApi,
  { method, path }: Question,
  signal: AbortSignal,
): Promise<Result<string>> {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/v1${path}`
  const answer = await httpAsk({ url, method, login: { user, password }, timeoutMs, maxBytes: LONGEST, signal })
  if (!answer.ok) return fail('proxy-failed', answer.failure.message)
  const { status, body } = answer.value
  if (status >= 200 && status < 300) return ok(body)
  return fail('proxy-failed', `${url}: ${status}${detailOf(body)}`)
}

/** `errors[].detail` of an answer that refuses. */
function detailOf(body: string): string {
  const details = [...body.matchAll(/"detail"\s*:\s*"((?:[^"\\]|\\.)*)"/g)].map(([, detail = '']) => detail)
  return details.length === 0 ? '' : `: ${details.join('; ').slice(0, 300)}`
}
