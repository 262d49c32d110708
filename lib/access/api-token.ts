// API tokens: a user's own permission, restricted to some grants and clusters, for scripts and machines.
import { fail, ok, type Result } from '../base/result.js'
import { suggest } from '../base/suggest.js'
import { DAY } from '../base/time.js'
import { expandGrant, grants } from './grants.js'

/** The record of a token without its text. Times in milliseconds since the epoch. */
export interface ApiToken {
  /** 24 hexadecimal digits. */
  readonly id: string
  /** Its owner: it never permits more than the owner may do now. */
  readonly user: string
  readonly label: string
  /** Words as in an access list, each a prefix of names; empty: everything the owner holds. */
  readonly grants: readonly string[]
  /** Empty: every cluster, and everything outside of clusters. */
  readonly clusters: readonly string[]
  readonly createdAt: number
  readonly createdFrom: string
  /** Absent: never. */
  readonly expiresAt?: number
  readonly lastUsedAt?: number
  readonly lastUsedFrom?: string
  readonly revokedAt?: number
  readonly revokedBy?: string
  /** Whose part of the tokens it is in; absent in those of an earlier version. */
  readonly countsFor?: string
  /** Since when no user has the name of its owner; absent while one has. */
  readonly ownerGoneAt?: number
}

/** Whether it is valid at this time. */
export const isTokenLive = ({ expiresAt, revokedAt }: ApiToken, at: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || at < expiresAt)

/** What a token permits; the owner's own grants are checked as well. */
export interface TokenScope {
  /** Whether it covers the cluster; '' for everything outside of clusters. */
  reaches(cluster: string): boolean
  opens(grant: string, cluster: string): boolean
}

export function scopeOf({ grants: words, clusters }: Pick<ApiToken, 'grants' | 'clusters'>): TokenScope {
  const opened = words.length === 0 ? undefined : new Set<string>(words.flatMap(expandGrant))
  const reached = clusters.length === 0 ? undefined : new Set(clusters)
  const reaches = (cluster: string) => reached === undefined || reached.has(cluster)
  return { reaches, opens: (grant, cluster) => reaches(cluster) && (opened === undefined || opened.has(grant)) }
}

/** A user's request for a new token. */
export interface TokenRequest {
  readonly label: string
  /** Separated by blanks. */
  readonly grants: string
  readonly clusters: readonly string[]
  /** 0: as configured; -1: never. */
  readonly expireDays: number
}

export interface TokenRequestContext {
  /** What the requesting user may do now, by its login. */
  readonly may: (grant: string, cluster: string) => boolean
  readonly sees: (cluster: string) => boolean
  /** Clusters that have another user of the same name: a token knows its owner by name only. */
  readonly foreign: readonly string[]
  /** All clusters. */
  readonly clusters: readonly string[]
  /** `api-user-tokens-default-expire-days`. */
  readonly defaultDays: number
  readonly at: number
}

/** The scope and the expiry of a token that may be created. `bad-request` names what cannot be granted. */
export function grantToken(
  { label, grants: text, clusters, expireDays }: TokenRequest,
  { may, sees, foreign, clusters: all, defaultDays, at }: TokenRequestContext,
): Result<Pick<ApiToken, 'label' | 'grants' | 'clusters' | 'expiresAt'>> {
  const named = clusters.includes('*') ? [] : [...new Set(clusters)]
  const unseen = named.find((name) => !all.includes(name) || !sees(name))
  if (unseen !== undefined) return fail('bad-request', `clusters: ${unseen} is not one of your clusters`)
  const [stranger] = named.length === 0 ? foreign : []
  if (stranger !== undefined)
    return fail('bad-request', `clusters: name yours, since ${stranger} knows a user of your name by another password`)
  const places = named.length > 0 ? named : ['', ...all]
  const words = [...new Set(text.split(/\s+/).filter(Boolean))]
  for (const word of words) {
    const meant = word === '*' ? [] : expandGrant(word)
    if (meant.length === 0) {
      const nearest = suggest(word, grants)
      return fail(
        'bad-request',
        `grants: ${word} is not a grant${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
      )
    }
    if (!meant.some((grant) => places.some((cluster) => may(grant, cluster))))
      return fail(
        'bad-request',
        `grants: you hold no ${word} ${named.length > 0 ? `on ${named.join(', ')}` : 'anywhere'}`,
      )
  }
  const days = expireDays === 0 ? defaultDays : expireDays
  return ok({ label, grants: words, clusters: named, ...(days < 0 ? {} : { expiresAt: at + days * DAY }) })
}
