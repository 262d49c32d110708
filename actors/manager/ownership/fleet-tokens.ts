// API tokens that all instances of a fleet know: kept in etcd, followed by its watch, with the local file as the last known copy.
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { done, fail, ok, type Result } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import {
  agreeOnTokens,
  type Etcd,
  isKnown,
  joinTokens,
  parseToken,
  renderToken,
  tokenKey,
} from '../../../lib/lease/index.js'
import type { ApiTokens, StoredToken, TokenPlace } from '../../../lib/store/index.js'

export interface FleetTokensParts {
  readonly etcd: Etcd
  readonly prefix: string
  readonly tokens: ApiTokens
  readonly log: WriteLog
}

/** Attempts to write a token that others write at the same time. */
const ATTEMPTS = 8
/** Writes at once. */
const AT_ONCE = 16

export class FleetTokens implements TokenPlace {
  readonly #parts: FleetTokensParts
  /** One reading after the other, and the one that has not begun yet. */
  #turn: Promise<Result<void>> = Promise.resolve(done)
  #next: Promise<Result<void>> | undefined
  #wasRead = true

  constructor(parts: FleetTokensParts) {
    this.#parts = parts
  }

  async keep(token: StoredToken): Promise<Result<StoredToken>> {
    const { etcd, prefix } = this.#parts
    const key = tokenKey(prefix, token.id)
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const stored = await etcd.range(key)
      if (!stored.ok) return refused(stored.failure.message)
      const [{ value = '', changed = 0 } = {}] = stored.value
      const theirs = parseToken(token.id, value)
      const next = theirs ? joinTokens(token, theirs, Math.floor(now())) : token
      if (theirs && isKnown(next, theirs)) return ok(next)
      const committed = await etcd.commit([{ key, changed }], [{ type: 'put', key, value: renderToken(next) }])
      if (!committed.ok) return refused(committed.failure.message)
      if (committed.value.done) return ok(next)
    }
    return refused('other instances change the same token again and again')
  }

  refresh(): Promise<Result<void>> {
    this.#next ??= this.#turn.then(() => {
      this.#next = undefined
      return this.#agree()
    })
    this.#turn = this.#next
    return this.#turn
  }

  /** Adopts what the others know, and adds what they do not know yet. */
  async #agree(): Promise<Result<void>> {
    const { etcd, prefix, tokens, log } = this.#parts
    const start = tokenKey(prefix, '')
    const stored = await etcd.range(start)
    if (!stored.ok) {
      if (this.#wasRead) log('warn', 'api-tokens-not-shared', { problem: stored.failure.message })
      this.#wasRead = false
      return refused(stored.failure.message)
    }
    this.#wasRead = true
    const keys = stored.value.map(({ key, value, changed }) => {
      const id = key.slice(start.length)
      const token = parseToken(id, value)
      return { id, changed, ...(token ? { token } : {}) }
    })
    const { known, writes, ended } = agreeOnTokens(tokens.stored(), keys, Math.floor(now()))
    const saved = await tokens.adopt(known)
    if (!saved.ok) log('error', 'api-tokens-not-saved', { problem: saved.failure.message })
    const changes = [
      ...writes.map(({ token, changed }) => ({ id: token.id, changed, value: renderToken(token) })),
      ...ended.map(({ id, changed }) => ({ id, changed, value: undefined })),
    ]
    for (let at = 0; at < changes.length; at += AT_ONCE)
      await Promise.all(changes.slice(at, at + AT_ONCE).map((change) => this.#write(change)))
    return saved
  }

  /** One that loses to another write is judged again with the next reading, which that write causes. */
  async #write({
    id,
    changed,
    value,
  }: {
    readonly id: string
    readonly changed: number
    readonly value?: string | undefined
  }) {
    const { etcd, prefix } = this.#parts
    const key = tokenKey(prefix, id)
    await etcd.commit([{ key, changed }], [value === undefined ? { type: 'delete', key } : { type: 'put', key, value }])
  }
}

const refused = (why: string): Result<never> =>
  fail('store-unreachable', `${why}; the instances share their API tokens by etcd: repeat it when etcd answers`)
