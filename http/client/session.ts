// A logged-in client: logs in when it must, keeps the token for later runs, logs in again when it is refused.
import { type FailureCode, failures } from '../../lib/base/failures.js'
import { type Failure, fail, ok, type Result } from '../../lib/base/result.js'
import { SECOND } from '../../lib/base/time.js'
import type { OpenedReply } from '../../lib/connect/http/open.js'
import { parseFailure } from './api/failure.js'
import { type Exchange, exchange, isUnsent, open, type Reply, readReply } from './connection.js'
import type { Endpoint } from './endpoint.js'
import { keepToken, readToken } from './token-file.js'

export interface Credentials {
  readonly user: string
  /** Asked for only when a login is needed; undefined gives up. */
  password(): Promise<string | undefined>
  /** An API token: sent as it is, in place of a login; nothing is kept. */
  readonly token?: string
}

export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Longest silence of the server, milliseconds. */
  readonly timeoutMs?: number
  /** Sent without a token: for addresses that are open to all. */
  readonly anonymous?: boolean
}

export interface Session {
  readonly endpoint: Endpoint
  /** One request with its whole reply, whatever its status. */
  call(method: string, path: string, options?: CallOptions): Promise<Result<Reply>>
  /** The same, answered with the head of the reply: for streams and large bodies. */
  open(method: string, path: string, options?: CallOptions): Promise<Result<OpenedReply>>
}

const TIMEOUT_MS = 30 * SECOND

export function createSession(endpoint: Endpoint, credentials: Credentials): Session {
  const key = `${credentials.user}@${endpoint.host}:${endpoint.port}`
  /** The token in use, or the one login that all requests wait for; none after a failed one. */
  let bearer: Promise<Result<string>> | undefined

  const begin = (token: Promise<Result<string>>): Promise<Result<string>> => {
    bearer = token.then((result) => {
      if (!result.ok) bearer = undefined
      return result
    })
    return bearer
  }

  const kept = async (): Promise<Result<string>> => {
    const token = await readToken(key)
    return token === undefined ? renew() : ok(token)
  }
  const renew = async (): Promise<Result<string>> => {
    const token = await login(endpoint, credentials)
    if (token.ok) await keepToken(key, token.value)
    return token
  }
  /** In place of a refused token: what another run has kept since, else a login. */
  const replace = async (refused: string): Promise<Result<string>> => {
    const other = await readToken(key)
    return other === undefined || other === refused ? renew() : ok(other)
  }

  const openWith = async (method: string, path: string, options: CallOptions): Promise<Result<OpenedReply>> => {
    if (options.anonymous) return open(endpoint, request({ method, path, options }))
    if (credentials.token !== undefined)
      return open(endpoint, request({ method, path, options, token: credentials.token }))
    const used = bearer ?? begin(kept())
    const token = await used
    if (!token.ok) return token
    const response = await open(endpoint, request({ method, path, options, token: token.value }))
    if (!response.ok || response.value.status !== 401) return response
    response.value.body.destroy()
    // Of several requests that a token is refused for, the first logs in again and the others wait for it.
    const renewed = await (bearer === used || bearer === undefined ? begin(replace(token.value)) : bearer)
    return renewed.ok ? open(endpoint, request({ method, path, options, token: renewed.value })) : renewed
  }

  return {
    endpoint,
    open: (method, path, options = {}) => openWith(method, path, options),
    async call(method, path, options = {}) {
      const response = await openWith(method, path, options)
      return response.ok ? readReply(response.value) : response
    },
  }
}

/**
 * A session with one of several instances of the manager: the one that answered last, and the next when it does not answer. A
 * request that may have been carried out is sent to no other one.
 */
export function createFleetSession(endpoints: readonly [Endpoint, ...Endpoint[]], credentials: Credentials): Session {
  const sessions = endpoints.map((endpoint) => createSession(endpoint, credentials))
  let current = 0
  const attempt = async <Value>(ask: (session: Session) => Promise<Result<Value>>) => {
    const failures: Failure[] = []
    const begun = current
    for (const [turn] of sessions.entries()) {
      const at = (begun + turn) % sessions.length
      const result = await ask(sessions[at] as Session)
      if (result.ok) {
        current = at
        return result
      }
      failures.push(result.failure)
      if (!isUnsent(result.failure)) break
    }
    const [first] = failures
    const message = failures.map((failure) => failure.message).join('; ')
    return { ok: false as const, failure: { code: first?.code ?? 'unreachable', message } }
  }
  return {
    get endpoint() {
      return endpoints[current] ?? endpoints[0]
    },
    open: (method, path, options) => attempt((session) => session.open(method, path, options)),
    call: (method, path, options) => attempt((session) => session.call(method, path, options)),
  }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly options: CallOptions
  readonly token?: string
}

const request = ({ method, path, options, token }: Asked): Exchange => ({
  method,
  path,
  headers: {
    accept: 'application/problem+json, application/json, text/plain, */*',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  },
  ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
})

/** Failures: `not-logged-in` (no password), `wrong-credentials`, what a 429 names, and those of the connection. */
async function login(endpoint: Endpoint, { user, password: ask }: Credentials): Promise<Result<string>> {
  const password = await ask()
  if (password === undefined)
    return fail('not-logged-in', `no password for ${user}: set MANAGER_PASSWORD or use --password`)
  const options = { body: { username: user, password } }
  const reply = await exchange(endpoint, request({ method: 'POST', path: '/api/login', options }))
  if (!reply.ok) return reply
  const { status, body } = reply.value
  if (status === 429) return refusedForNow(user, reply.value)
  if (status === 401 || status === 403) return fail('wrong-credentials', `the login of ${user} was refused`)
  const token = status === 200 ? readLogin(body) : undefined
  return token === undefined ? fail('unreachable', `no manager answers the login: HTTP ${status}`) : ok(token)
}

/** Why, and after how long it is worth trying again: as the answer has it. */
function refusedForNow(user: string, { status, body, headers }: Reply): Result<never> {
  const { code, text } = parseFailure(status, body)
  const after = headers['retry-after']
  const wait = after !== undefined && /^\d{1,9}$/.test(after) ? `; try again after ${after} s` : ''
  const known = Object.keys(failures).find((name): name is FailureCode => name === code) ?? 'locked-out'
  return fail(known, `the login of ${user} was refused: ${text}${wait}`)
}

function readLogin(body: string): string | undefined {
  try {
    const { token } = JSON.parse(body) as { readonly token?: unknown }
    return typeof token === 'string' ? token : undefined
  } catch {
    return undefined
  }
}
