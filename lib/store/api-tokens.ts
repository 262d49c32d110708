// API tokens on disk: one file of records with hashes; the text of a token is returned once and never stored.
import { createHash, randomBytes } from 'node:crypto'
import type { ApiToken } from '../access/api-token.js'
import { done, fail, ok, type Result } from '../base/result.js'
import { DAY, MINUTE, now } from '../base/time.js'
import { readState, type StateFormat, writeState } from './state-file.js'

/** The prefix of a token, so that users and programs recognise one. */
export const API_TOKEN_START = 'mat_'

/** Live tokens that one user may have. */
const MOST = 200
/** How long an expired or revoked token is still listed. */
const KEPT = 90 * DAY
/** A name that returns after this time is another user; sooner, a mistake in the configuration was corrected. */
const SAME_OWNER_FOR = DAY
/** Minimum time between two writes of the times of use. */
const USE_WRITTEN_EVERY = MINUTE

interface Stored extends ApiToken {
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string
}

const format: StateFormat<readonly Stored[]> = {
  version: 1,
  accept: (value) => (Array.isArray(value) && value.every(isStored) ? value : undefined),
}

const isStored = (value: unknown): value is Stored =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'user', 'label', 'hash', 'createdFrom'].every((key) => typeof Reflect.get(value, key) === 'string') &&
  ['grants', 'clusters'].every((key) => Array.isArray(Reflect.get(value, key)))

export type NewToken = Omit<ApiToken, 'id' | 'createdAt'>

export interface CutOff {
  /** The other clusters that now have a user of this name. */
  readonly others: readonly string[]
  /** The user whose request causes this. */
  readonly by: string
}

export class ApiTokens {
  readonly #file: string
  readonly #byId = new Map<string, Stored>()
  readonly #byHash = new Map<string, string>()
  #writing: Promise<Result<void>> = Promise.resolve(done)
  #timer: NodeJS.Timeout | undefined

  private constructor(file: string, stored: readonly Stored[]) {
    this.#file = file
    for (const token of stored) this.#put(token)
  }

  /** Reads the file; damage is reported, and the last good copy is read instead. */
  static async open(file: string): Promise<{ readonly tokens: ApiTokens; readonly damage: readonly string[] }> {
    const { value = [], damage } = await readState(file, format)
    return { tokens: new ApiTokens(file, value), damage }
  }

  /** Creates a token, saved before its text is returned. `wrong-state` for too many of one user, `file-unwritable`. */
  async issue(request: NewToken): Promise<Result<{ readonly record: ApiToken; readonly token: string }>> {
    this.#forgetDead()
    const live = this.list().filter(({ user, revokedAt }) => user === request.user && revokedAt === undefined)
    if (live.length >= MOST) return fail('wrong-state', `${MOST} tokens of ${request.user} exist already: revoke some`)
    const token = API_TOKEN_START + randomBytes(32).toString('base64url')
    const stored = {
      ...request,
      id: randomBytes(12).toString('hex'),
      createdAt: Math.floor(now()),
      hash: hashOf(token),
    }
    this.#put(stored)
    const written = await this.#write()
    if (written.ok) return ok({ record: publicPart(stored), token })
    this.#byId.delete(stored.id)
    this.#byHash.delete(stored.hash)
    return written
  }

  /** Revoked from this moment on. `file-unwritable`: it would be valid again after a restart. */
  async revoke(id: string, by: string): Promise<Result<ApiToken>> {
    const stored = this.#byId.get(id)
    if (!stored) return fail('unknown-token', `there is no token ${id}`)
    if (stored.revokedAt !== undefined) return ok(publicPart(stored))
    const revoked = { ...stored, revokedAt: Math.floor(now()), revokedBy: by }
    this.#put(revoked)
    const written = await this.#write()
    return written.ok ? ok(publicPart(revoked)) : written
  }

  /**
   * From now on the cluster has another user of this name, or none: no token of the name opens it again. A token for
   * every cluster is limited to `others`; one without clusters left is revoked. `file-unwritable`: as for `revoke`.
   */
  async cutOff(user: string, cluster: string, { others, by }: CutOff): Promise<Result<void>> {
    const touched = [...this.#byId.values()].filter(
      (token) => token.user === user && token.revokedAt === undefined && reaches(token, cluster),
    )
    for (const token of touched) {
      const clusters = (token.clusters.length === 0 ? others : token.clusters).filter((name) => name !== cluster)
      const end = { revokedAt: Math.floor(now()), revokedBy: by }
      this.#put(clusters.length > 0 ? { ...token, clusters } : { ...token, ...end })
    }
    return touched.length === 0 ? done : this.#write()
  }

  /**
   * The users that are configured now: tokens of other names are kept for a day, and are revoked when a user of
   * that name is added later than that.
   */
  noteOwners(isKnown: (user: string) => boolean, at: number): void {
    let isChanged = false
    for (const token of this.#byId.values()) {
      const { ownerGoneAt, ...present } = token
      if (token.revokedAt !== undefined || isKnown(token.user) === (ownerGoneAt === undefined)) continue
      isChanged = true
      if (ownerGoneAt === undefined) this.#put({ ...token, ownerGoneAt: at })
      else this.#put(at - ownerGoneAt > SAME_OWNER_FOR ? { ...token, revokedAt: at, revokedBy: '' } : present)
    }
    if (isChanged) void this.#write()
  }

  /** The token of this text, live or not. */
  find(text: string): ApiToken | undefined {
    if (!text.startsWith(API_TOKEN_START)) return undefined
    return this.get(this.#byHash.get(hashOf(text)) ?? '')
  }

  get(id: string): ApiToken | undefined {
    return this.#byId.get(id)
  }

  /** Records its use; written within a minute. */
  used(id: string, from: string): void {
    const stored = this.#byId.get(id)
    if (!stored) return
    this.#byId.set(id, { ...stored, lastUsedAt: Math.floor(now()), lastUsedFrom: from })
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#write()
    }, USE_WRITTEN_EVERY).unref()
  }

  /** Oldest first. */
  list(): readonly ApiToken[] {
    return [...this.#byId.values()].map(publicPart)
  }

  /** Writes what is not yet written. */
  async close(): Promise<void> {
    if (this.#timer) {
      clearTimeout(this.#timer)
      void this.#write()
    }
    await this.#writing
  }

  #put(stored: Stored): void {
    this.#byId.set(stored.id, stored)
    this.#byHash.set(stored.hash, stored.id)
  }

  #forgetDead(): void {
    const limit = now() - KEPT
    for (const { id, hash, revokedAt = Infinity, expiresAt = Infinity } of this.#byId.values()) {
      if (Math.min(revokedAt, expiresAt) >= limit) continue
      this.#byId.delete(id)
      this.#byHash.delete(hash)
    }
  }

  /** One after the other; each writes the state at that time. */
  #write(): Promise<Result<void>> {
    this.#writing = this.#writing.then(() => writeState(this.#file, format, [...this.#byId.values()]))
    return this.#writing
  }
}

const reaches = ({ clusters }: ApiToken, cluster: string): boolean =>
  clusters.length === 0 || clusters.includes(cluster)

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const publicPart = ({ hash: _, ...record }: Stored): ApiToken => record
