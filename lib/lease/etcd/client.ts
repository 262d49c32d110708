// etcd by its documented JSON gateway (v3): keys, transactions, leases, watches; every call within a deadline.
// https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND, sleep } from '../../base/time.js'
import { type Agents, type Answered, follow, openAgents, post } from './exchange.js'
import type { EtcdOptions } from './options.js'

/** A key as it is stored. */
export interface StoredKey {
  readonly key: string
  readonly value: string
  /** Of the creation: greater than that of every key that was created before. */
  readonly created: number
  /** Of the latest change. */
  readonly changed: number
}

export interface KeySnapshot {
  readonly keys: readonly StoredKey[]
  readonly revision: number
}

/** The key was created, or last changed, by the write of this revision; 0: there is no such key. */
export type Condition =
  | { readonly key: string; readonly created: number }
  | { readonly key: string; readonly changed: number }

export type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: string; readonly lease?: string }
  | { readonly type: 'delete'; readonly key: string }

export interface Committed {
  /** Whether every condition held, and the writes were done. */
  readonly done: boolean
  readonly revision: number
}

/** Longest time of one call, milliseconds, and of its attempt at one member while there are others. */
const CALL_MS = 3 * SECOND
/** Of a login, which members check one after the other. */
const LOGIN_MS = 3 * SECOND
/** Between two attempts to follow the keys. */
const AGAIN_MS = SECOND / 5
/** Status of the gateway for a login that has expired, or a revision that it does not know (gRPC 16). */
const UNAUTHENTICATED = 16
const NOT_FOUND = 5
const NOT_ENABLED = 9

const encode = (text: string): string => Buffer.from(text).toString('base64')
const decode = (text: unknown): string => Buffer.from(String(text ?? ''), 'base64').toString()

/** The end of the range of keys that begin so. */
function endOf(prefix: string): string {
  const bytes = Buffer.from(prefix)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 1
  return bytes.toString('base64')
}

export class Etcd {
  readonly #options: EtcdOptions
  readonly #agents: Agents
  readonly #ending = new AbortController()
  #member = 0
  #token = ''
  #logging: Promise<Result<string>> | undefined

  constructor(options: EtcdOptions) {
    this.#options = options
    this.#agents = openAgents(options)
  }

  /** Every key that begins so, as of one revision. */
  async range(prefix: string, ms?: number): Promise<Result<readonly StoredKey[]>> {
    const read = await this.snapshot(prefix, ms)
    return read.ok ? ok(read.value.keys) : read
  }

  /** The same, and the revision: what was written later has a greater one. */
  async snapshot(prefix: string, ms?: number): Promise<Result<KeySnapshot>> {
    const reply = await this.#call('/v3/kv/range', { key: encode(prefix), range_end: endOf(prefix) }, ms)
    if (!reply.ok) return reply
    return ok({ keys: listOf(reply.value.kvs).map(storedKey), revision: revisionOf(reply.value) })
  }

  /** All of the writes if all conditions hold, else none. */
  async commit(conditions: readonly Condition[], writes: readonly Write[], ms?: number): Promise<Result<Committed>> {
    const compare = conditions.map((condition) => ({
      ...{ key: encode(condition.key), result: 'EQUAL' },
      ...('created' in condition
        ? { target: 'CREATE', create_revision: String(condition.created) }
        : { target: 'MOD', mod_revision: String(condition.changed) }),
    }))
    const success = writes.map((write) =>
      write.type === 'put'
        ? { request_put: { key: encode(write.key), value: encode(write.value), ...leaseOf(write.lease) } }
        : { request_delete_range: { key: encode(write.key) } },
    )
    const reply = await this.#call('/v3/kv/txn', { compare, success }, ms)
    return reply.ok ? ok({ done: reply.value.succeeded === true, revision: revisionOf(reply.value) }) : reply
  }

  /** Answers the id of a new lease. */
  async grant(seconds: number, ms?: number): Promise<Result<string>> {
    const reply = await this.#call('/v3/lease/grant', { TTL: String(seconds) }, ms)
    return reply.ok ? ok(String(reply.value.ID)) : reply
  }

  /** Answers whether the lease was still there; it lasts its whole time from then on. */
  async renew(lease: string, ms?: number): Promise<Result<boolean>> {
    const reply = await this.#call('/v3/lease/keepalive', { ID: lease }, ms)
    if (!reply.ok) return reply
    const { TTL = 0 } = (reply.value.result ?? {}) as { readonly TTL?: unknown }
    return ok(Number(TTL) > 0)
  }

  /** Ends the lease, and the keys that hang on it. */
  async revoke(lease: string, ms?: number): Promise<Result<void>> {
    const reply = await this.#call('/v3/lease/revoke', { ID: lease }, ms)
    return reply.ok ? ok(undefined) : reply
  }

  /**
   * Calls `changed` when a key that begins so was written or deleted (`onlyDeleted`: was deleted), and when that cannot be
   * known; until `close`.
   */
  async watch(prefix: string, changed: () => void, { onlyDeleted = false } = {}): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      const token = await this.#login(signal)
      const exchange = {
        ...{ endpoint: this.#endpoint(), path: '/v3/watch', token: token.ok ? token.value : '', signal },
        body: {
          create_request: {
            ...{ key: encode(prefix), range_end: endOf(prefix) },
            ...(onlyDeleted ? { filters: ['NOPUT'] } : {}),
          },
        },
      }
      await follow(this.#agents, exchange, changed)
      if (!signal.aborted) changed()
      await sleep(AGAIN_MS, signal)
    }
  }

  close(): void {
    this.#ending.abort()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  /** At the member that answered last, then at the others. What a lost reply leaves undecided the caller reads again. */
  async #call(path: string, body: object, ms = CALL_MS): Promise<Result<Answered['body']>> {
    const whole = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(Math.max(1, Math.ceil(ms)))])
    const { length } = this.#options.endpoints
    // Calls that fail at the same time each go on to the next member: they do not pass over one together.
    const first = this.#member
    let last: Result<never> = fail('store-unreachable', 'no endpoint of etcd is configured')
    for (let attempt = 0; attempt < length && !whole.aborted; attempt += 1) {
      const own = attempt < length - 1 ? AbortSignal.any([whole, AbortSignal.timeout(Math.ceil(ms / length))]) : whole
      const reply = await this.#ask(first + attempt, { path, body, signal: own })
      if (reply.ok || reply.failure.code !== 'store-unreachable') return reply
      last = reply
      if (this.#member === first + attempt) this.#member += 1
    }
    return last
  }

  async #ask(
    member: number,
    { path, body, signal }: { readonly path: string; readonly body: object; readonly signal: AbortSignal },
  ): Promise<Result<Answered['body']>> {
    const endpoint = this.#endpoint(member)
    for (let login = 0; ; login += 1) {
      const token = await this.#login(signal)
      if (!token.ok) return token
      const exchange = { endpoint, path, body, token: token.value, signal }
      const reply = await post(this.#agents, exchange)
      if (!reply.ok) return reply
      if (reply.value.status === 200) return ok(reply.value.body)
      if (reply.value.body.code !== UNAUTHENTICATED || token.value === '' || login > 0)
        return refusalOf(endpoint, reply.value)
      if (this.#token === token.value) this.#token = ''
    }
  }

  /** One login for all who wait for it, however long they do: a member takes a tenth of a second of processor time for each. */
  #login(signal: AbortSignal): Promise<Result<string>> {
    if (this.#options.user === '' || this.#token !== '') return Promise.resolve(ok(this.#token))
    this.#logging ??= this.#logIn().finally(() => {
      this.#logging = undefined
    })
    const given = fail('store-unreachable', `${this.#endpoint()}: no reply to the login in time`)
    return withinSignal(this.#logging, signal, given)
  }

  /** The token of it is valid at all members. */
  async #logIn(): Promise<Result<string>> {
    const { user: name, password } = this.#options
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(LOGIN_MS)])
    const endpoint = this.#endpoint()
    const exchange = { endpoint, path: '/v3/auth/authenticate', token: '', signal }
    const reply = await post(this.#agents, { ...exchange, body: { name, password } })
    if (!reply.ok) return reply
    if (reply.value.status !== 200 && reply.value.body.code !== NOT_ENABLED) return refusalOf(endpoint, reply.value)
    this.#token = String(reply.value.body.token ?? '')
    return ok(this.#token)
  }

  #endpoint(member = this.#member): string {
    const { endpoints } = this.#options
    return endpoints[member % endpoints.length] ?? ''
  }
}

/** A member that has no leader answers, too, and another one may have one. */
function refusalOf(endpoint: string, { status, body }: Answered): Result<never> {
  const text = `${endpoint}: ${String(body.message ?? body.error ?? `status ${status}`)}`
  return fail(body.code === NOT_FOUND ? 'wrong-state' : 'store-unreachable', text)
}

/** What the work gives, or the other value when the signal ends the wait. */
function withinSignal<T>(work: Promise<T>, signal: AbortSignal, otherwise: T): Promise<T> {
  if (signal.aborted) return Promise.resolve(otherwise)
  return new Promise((resolve) => {
    const end = () => resolve(otherwise)
    signal.addEventListener('abort', end, { once: true })
    void work.then((value) => {
      signal.removeEventListener('abort', end)
      resolve(value)
    })
  })
}

const leaseOf = (lease: string | undefined) => (lease === undefined ? {} : { lease })

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value : [])

const revisionOf = ({ header }: Answered['body']): number =>
  Number((header as { readonly revision?: unknown } | undefined)?.revision ?? 0)

const storedKey = (entry: Readonly<Record<string, unknown>>): StoredKey => ({
  key: decode(entry.key),
  value: decode(entry.value),
  created: Number(entry.create_revision ?? 0),
  changed: Number(entry.mod_revision ?? 0),
})
