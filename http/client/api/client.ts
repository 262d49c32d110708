// The client of the API by `fetch`, in Node.js and in browsers: a wrong address, parameter, body or field does not compile.
import { requestOf, type Values } from './address.js'
import { type Failure, readFailure, unreachable } from './failure.js'
import type { Plan } from './generated.js'
import type { Address, Given, Input, PlannedAddress, Reply, ValueAddress } from './types.js'

export interface ClientOptions {
  /** `https://manager.example:10005`; absent: where the page was loaded from. */
  readonly base?: string
  /** The token of a login, or an API token; a function is asked before each request. */
  readonly token?: string | (() => string | undefined)
  /** Whether cookies are sent, for the sessions of browsers. */
  readonly credentials?: 'same-origin' | 'include' | 'omit'
  /** Sends the requests in place of the global `fetch`: where a certificate needs a CA of its own, or a proxy is between. */
  readonly fetch?: typeof fetch
}

export interface CallTraits {
  readonly signal?: AbortSignal | undefined
  /** The answer is complete within so long, 30 s by default; a stream begins within it. */
  readonly timeoutMs?: number | undefined
  /** Sent without a token. */
  readonly anonymous?: boolean | undefined
}

/** The outcome of a call, never an exception. */
export type Answer<T> =
  | {
      readonly ok: true
      readonly value: T
      /** Path of what the request began. */
      readonly location?: string
      /** How old the value is. */
      readonly ageMs?: number
      /** Why there is nothing in it. */
      readonly emptyBecause?: string
    }
  | { readonly ok: false; readonly failure: Failure }

export interface Client {
  /** Asks, or acts, and reads the whole answer. */
  call<A extends ValueAddress>(address: A, ...given: Given<Input<A> & CallTraits>): Promise<Answer<Reply<A>>>
  /** What the action would do; nothing is done. `confirm: plan.id` in the query of the call runs exactly that plan. */
  plan<A extends PlannedAddress>(address: A, ...given: Given<Input<A> & CallTraits>): Promise<Answer<Plan>>
  /** The answer as it comes: for streams, files and headers. */
  open<A extends Address>(address: A, ...given: Given<Input<A> & CallTraits>): Promise<Answer<Response>>
}

/** Options of a call as they are at run time; the types above say what each address takes of them. */
interface Options extends CallTraits {
  readonly params?: Values
  readonly query?: Values
  readonly body?: unknown
}

const TIMEOUT_MS = 30_000

export function createClient(options: ClientOptions = {}): Client {
  /** Refused is what a status of 400 and more, and an answer that did not come; `read` reads within the deadline. */
  const send = async <T>(
    address: string,
    given: Options,
    read: (response: Response) => Promise<T>,
  ): Promise<Answer<T>> => {
    const [method, path] = requestOf(address, given)
    const { body, signal, timeoutMs = TIMEOUT_MS } = given
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    try {
      const response = await (options.fetch ?? fetch)(`${options.base ?? ''}${path}`, {
        method,
        headers: headersOf(body, given.anonymous ? undefined : tokenOf(options)),
        ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal,
      })
      if (!response.ok) return { ok: false, failure: await readFailure(response) }
      return { ok: true, value: await read(response), ...traitsOf(response) }
    } catch {
      return { ok: false, failure: unreachable }
    } finally {
      clearTimeout(timer)
    }
  }
  const plain = {
    call: (address: string, given: Options = {}) => send(address, given, readValue),
    plan: (address: string, given: Options = {}) =>
      send(address, { ...given, query: { ...given.query, plan: true } }, readValue),
    open: (address: string, given: Options = {}) => send(address, given, async (response) => response),
  }
  // The table of types says what each address takes and answers; the code is the same for all of them.
  return plain as Client
}

const tokenOf = ({ token }: ClientOptions): string | undefined => (typeof token === 'function' ? token() : token)

function headersOf(body: unknown, token: string | undefined): Record<string, string> {
  return {
    Accept: 'application/json, application/problem+json',
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
}

const readValue = (response: Response): Promise<unknown> =>
  response.headers.get('Content-Type')?.includes('json') ? response.json() : response.text()

function traitsOf({ headers }: Response): Omit<Extract<Answer<unknown>, { ok: true }>, 'ok' | 'value'> {
  const [location, age, emptyBecause] = ['Location', 'Age', 'X-Empty-Reason'].map((name) => headers.get(name))
  return {
    ...(location == null ? {} : { location }),
    ...(age == null ? {} : { ageMs: Number(age) * 1_000 }),
    ...(emptyBecause == null ? {} : { emptyBecause }),
  }
}
