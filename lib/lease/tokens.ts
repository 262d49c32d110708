// API tokens of a fleet in etcd, a key each: what instances know of a token is joined so that none of them returns to life. Pure.
import { isDeepStrictEqual } from 'node:util'
import { isStoredToken, type StoredToken, TOKEN_KEPT } from '../store/index.js'

/** What etcd holds under the id of a token. */
export interface TokenKey {
  readonly id: string
  /** Absent: a value of another shape. */
  readonly token?: StoredToken
  /** Revision of its latest change. */
  readonly changed: number
}

/** What follows from the tokens of this instance and those in etcd. */
export interface TokenAgreement {
  /** What this instance knows from now on. */
  readonly known: readonly StoredToken[]
  /** What etcd does not know yet, each to be written if its key is still of this revision (0: there is none). */
  readonly writes: readonly { readonly token: StoredToken; readonly changed: number }[]
  /** Keys that have no use any more, each to be deleted under the same condition. */
  readonly ended: readonly { readonly id: string; readonly changed: number }[]
}

/** At a time, in milliseconds since the epoch. */
export function agreeOnTokens(mine: readonly StoredToken[], keys: readonly TokenKey[], at: number): TokenAgreement {
  const stored = new Map(keys.map((key) => [key.id, key]))
  const ids = new Set([...mine, ...keys].map(({ id }) => id))
  const own = new Map(mine.map((token) => [token.id, token]))
  const pairs = [...ids].flatMap((id) => {
    const { token: theirs, changed = 0 } = stored.get(id) ?? {}
    const ours = own.get(id)
    const token = ours && theirs ? joinTokens(ours, theirs, at) : (ours ?? theirs)
    return token ? [{ id, token, theirs, changed }] : []
  })
  const kept = pairs.filter(({ token }) => !isForgotten(token, at))
  return {
    known: kept.map(({ token }) => token).sort((left, right) => left.createdAt - right.createdAt),
    writes: kept.filter(({ token, theirs }) => !theirs || !isKnown(token, theirs)),
    ended: pairs.filter(({ token, changed }) => changed > 0 && isForgotten(token, at)),
  }
}

/** Both are of one id. It is valid where both are, and permits what both permit; its use is that of `mine`. */
export function joinTokens(mine: StoredToken, theirs: StoredToken, at: number): StoredToken {
  const clusters = bothReach(mine.clusters, theirs.clusters)
  const [first] = [theirs, mine, ...(clusters ? [] : [{ revokedAt: at, revokedBy: '' }])]
    .filter(({ revokedAt }) => revokedAt !== undefined)
    .sort((left, right) => Number(left.revokedAt) - Number(right.revokedAt))
  const { lastUsedAt, lastUsedFrom, ownerGoneAt } = mine
  const ends = [mine.expiresAt, theirs.expiresAt].filter((end) => end !== undefined)
  return {
    ...commonPart(theirs),
    clusters: clusters ?? theirs.clusters,
    ...(ends.length === 0 ? {} : { expiresAt: Math.min(...ends) }),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    ...(lastUsedFrom === undefined ? {} : { lastUsedFrom }),
    ...(ownerGoneAt === undefined ? {} : { ownerGoneAt }),
    ...(first?.revokedAt === undefined ? {} : { revokedAt: first.revokedAt, revokedBy: first.revokedBy ?? '' }),
  }
}

/** Whether the others would learn nothing new of the token. */
export const isKnown = (token: StoredToken, theirs: StoredToken): boolean =>
  isDeepStrictEqual(commonPart(token), commonPart(theirs))

/** The text of its key: without what each instance knows for itself. */
export const renderToken = (token: StoredToken): string => JSON.stringify(commonPart(token))

/** Undefined unless the value is a token of this id. */
export function parseToken(id: string, value: string): StoredToken | undefined {
  try {
    const token: unknown = JSON.parse(value)
    return isStoredToken(token) && token.id === id ? token : undefined
  } catch {
    return undefined
  }
}

/** One that was revoked is remembered until it has expired, too: what an old file says of it is harmless then. */
const isForgotten = ({ expiresAt = Infinity }: StoredToken, at: number): boolean => expiresAt < at - TOKEN_KEPT

/** None: every cluster. Undefined: no cluster is left. */
function bothReach(some: readonly string[], others: readonly string[]): readonly string[] | undefined {
  if (some.length === 0 || others.length === 0) return some.length === 0 ? others : some
  const both = others.filter((name) => some.includes(name))
  return both.length === 0 ? undefined : both
}

const commonPart = ({ lastUsedAt: _, lastUsedFrom: __, ownerGoneAt: ___, ...token }: StoredToken): StoredToken => token
