// API tokens on disk: one file of records with hashes; the text of a token is returned once and never stored.
import { createHash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type ApiToken, isTokenLive } from '../../access/api-token.js'
import { sharedBounds } from '../../access/bound/bounds.js'
import { type Holder, judgeShare, type Share } from '../../access/bound/fair-bound.js'
import { done, fail, ok, type Result } from '../../base/result.js'
import { DAY, MINUTE, now } from '../../base/time.js'
import { readState, type StateFormat, writeState } from '../kit/state-file.js'

/** The prefix of a token, so that users and programs recognise one. */
export const API_TOKEN_START = 'mat_'

/** How long an expired or revoked token is still listed. */
export const TOKEN_KEPT = 90 * DAY
/** A name that returns after this time is another user; sooner, a mistake in the configuration was corrected. */
const SAME_OWNER_FOR = DAY
/** Minimum time between two writes of the times of use. */
const USE_WRITTEN_EVERY = MINUTE

export interface StoredToken extends ApiToken {
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string
}

/** Where several instances share the fleet: what one of them does with a token holds on all. */
export interface TokenPlace {
  /**
   * Keeps a token that is new or may do less from now on; answers it as all instances know it by then. Failure:
   * `store-unreachable`: whether it is kept may be unknown.
   */
  keep(token: StoredToken): Promise<Result<StoredToken>>
  /** Adopts what the other instances have done. Failure: `store-unreachable`. */
  refresh(): Promise<Result<void>>
}

const format: StateFormat<readonly StoredToken[]> = {
  version: 1,
  accept: (value) => (Array.isArray(value) && value.every(isStoredToken) ? value : undefined),
}

export const isStoredToken = (value: unknown): value is StoredToken =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'user', 'label', 'hash', 'createdFrom'].every((key) => typeof Reflect.get(value, key) === 'string') &&
  ['grants', 'clusters'].every((key) => Array.isArray(Reflect.get(value, key)))

export type NewToken = Omit<ApiToken, 'id' | 'createdAt' | 'countsFor'>

export interface CutOff {
  /** The other clusters that now have a user of this name. */
  readonly others: readonly string[]
  /** The user whose request causes this. */
  readonly by: string
}

export class ApiTokens {
  readonly #file: string
  readonly #byId = new Map<string, StoredToken>()
  readonly #byHash = new Map<string, string>()
  #writing: Promise<Result<void>> = Promise.resolve(done)
  /** The latest write has failed. */
  #isUnwritten = false
  #timer: NodeJS.Timeout | undefined
  /** Absent: this instance alone knows the tokens. */
  #place: TokenPlace | undefined

  private constructor(file: string, stored: readonly StoredToken[]) {
    this.#file = file
    for (const token of stored) this.#put(token)
  }

  /** Reads the file; damage is reported, and the last good copy is read instead. */
  static async open(file: string): Promise<{ readonly tokens: ApiTokens; readonly damage: readonly string[] }> {
    const { value = [], damage } = await readState(file, format)
    return { tokens: new ApiTokens(file, value), damage }
  }

  /** From now on other instances share the tokens; the file keeps what was last known. */
  share(place: TokenPlace): void {
    this.#place = place
  }

  /** Every token with its hash: for the place that is shared, and nobody else. */
  stored(): readonly StoredToken[] {
    return [...this.#byId.values()]
  }

  /** What all instances know, in place of what was known here. */
  async adopt(tokens: readonly StoredToken[]): Promise<Result<void>> {
    if (!this.#isUnwritten && isDeepStrictEqual(this.stored(), tokens)) return done
    this.#byId.clear()
    this.#byHash.clear()
    for (const token of tokens) this.#put(token)
    return this.#write()
  }

  /**
   * Creates a token, saved before its text is returned. Live ones are bounded: by cluster, by user, and in all
   * (`bound-reached`). `file-unwritable`, `store-unreachable`.
   */
  async issue(
    request: NewToken,
    holder = holderOfToken(request),
  ): Promise<Result<{ readonly record: ApiToken; readonly token: string }>> {
    this.#forgetDead()
    const live = this.stored().filter((one) => isTokenLive(one, now()))
    const share = judgeShare(sharedBounds.apiTokens, live.map(shareOf), holder)
    if (!share.ok) return share
    const token = API_TOKEN_START + randomBytes(32).toString('base64url')
    const stored = {
      ...request,
      countsFor: share.value.cluster,
      id: randomBytes(12).toString('hex'),
      createdAt: Math.floor(now()),
      hash: hashOf(token),
    }
    const kept = await this.#keep([stored])
    if (!kept.ok) return kept
    const written = await this.#write()
    if (written.ok) return ok({ record: publicPart(stored), token })
    // Its text is shown to nobody. Where others know it already, it ends there, too.
    await this.#place?.keep({ ...stored, revokedAt: stored.createdAt, revokedBy: request.user })
    this.#byId.delete(stored.id)
    this.#byHash.delete(stored.hash)
    return written
  }

  /**
   * Revoked from this moment on. `file-unwritable`: it would be valid again after a restart. `store-unreachable`:
   * nothing is changed here, and the other instances may accept it.
   */
  async revoke(id: string, by: string): Promise<Result<ApiToken>> {
    const stored = this.#byId.get(id)
    if (!stored) return fail('unknown-token', `there is no token ${id}`)
    if (stored.revokedAt !== undefined) return ok(publicPart(stored))
    const kept = await this.#keep([{ ...stored, revokedAt: Math.floor(now()), revokedBy: by }])
    if (!kept.ok) return kept
    const written = await this.#write()
    return written.ok ? ok(publicPart(this.#byId.get(id) ?? stored)) : written
  }

  /**
   * From now on the cluster has another user of this name, or none: no token of the name opens it again. A token for
   * every cluster is limited to `others`; one without clusters left is revoked. `file-unwritable`, `store-unreachable`: as
   * for `revoke`.
   */
  async cutOff(user: string, cluster: string, { others, by }: CutOff): Promise<Result<void>> {
    const current = (await this.#place?.refresh()) ?? done
    if (!current.ok) return current
    const touched = this.stored().filter(
      (token) => token.user === user && token.revokedAt === undefined && reaches(token, cluster),
    )
    const limited = touched.map((token) => {
      const clusters = (token.clusters.length === 0 ? others : token.clusters).filter((name) => name !== cluster)
      const end = { revokedAt: Math.floor(now()), revokedBy: by }
      return clusters.length > 0 ? { ...token, clusters } : { ...token, ...end }
    })
    const kept = await this.#keep(limited)
    return touched.length === 0 || !kept.ok ? kept : this.#write()
  }

  /**
   * The users that are configured now: tokens of other names are kept for a day, and are revoked when a user of
   * that name is added later than that. Other instances learn of it when they next share what they know.
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

  /** Oldest first; without those that ended long ago. */
  list(): readonly ApiToken[] {
    const limit = now() - TOKEN_KEPT
    return this.stored()
      .filter((token) => endOf(token) >= limit)
      .map(publicPart)
  }

  /** Writes what is not yet written. */
  async close(): Promise<void> {
    if (this.#timer) {
      clearTimeout(this.#timer)
      void this.#write()
    }
    await this.#writing
  }

  /** Known here as the others know it, where there are others. */
  async #keep(tokens: readonly StoredToken[]): Promise<Result<void>> {
    for (const token of tokens) {
      const kept = this.#place ? await this.#place.keep(token) : ok(token)
      if (!kept.ok) return kept
      this.#put(kept.value)
    }
    return done
  }

  #put(stored: StoredToken): void {
    this.#byId.set(stored.id, stored)
    this.#byHash.set(stored.hash, stored.id)
  }

  /** Where others share them, what was revoked is kept until it has expired: no old file brings it back. */
  #forgetDead(): void {
    if (this.#place) return
    const limit = now() - TOKEN_KEPT
    for (const token of this.stored()) {
      if (endOf(token) >= limit) continue
      this.#byId.delete(token.id)
      this.#byHash.delete(token.hash)
    }
  }

  /** One after the other; each writes the state at that time. */
  #write(): Promise<Result<void>> {
    this.#writing = this.#writing.then(async () => {
      const written = await writeState(this.#file, format, this.stored())
      this.#isUnwritten = !written.ok
      return written
    })
    return this.#writing
  }
}

/** Who asks is not known: the user on the clusters of the token. */
const holderOfToken = ({ user, clusters }: NewToken): Holder => ({
  ...{ user, clusters, isGlobal: false },
  mayName: () => false,
})

const shareOf = ({ user, clusters: [first = ''], countsFor = first }: ApiToken): Share => ({ cluster: countsFor, user })

const endOf = ({ revokedAt = Infinity, expiresAt = Infinity }: ApiToken): number => Math.min(revokedAt, expiresAt)

const reaches = ({ clusters }: ApiToken, cluster: string): boolean =>
  clusters.length === 0 || clusters.includes(cluster)

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const publicPart = ({ hash: _, ...record }: StoredToken): ApiToken => record
