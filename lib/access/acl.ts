// The access lists: `user:grant grant[:clusters[:roles]]`, comma-separated, allowed by prefix and discarded by name.
import { expandGrant, type Grant, grants } from './grants.js'
import { isRole, roleGrants } from './roles.js'

/** One entry of a list, split into words with cluster and role parts separated. */
export interface AclEntry {
  readonly user: string
  readonly grants: readonly string[]
  /** `*` for every cluster. */
  readonly clusters: ReadonlySet<string>
  readonly roles: readonly string[]
}

/** Entries in order; what has no user is skipped. */
export const parseAcl = (text: string): readonly AclEntry[] =>
  text.split(',').flatMap((entry) => {
    const [user = '', grants = '', third = '', fourth = ''] = entry.split(':').map((part) => part.trim())
    if (user === '') return []
    const swapped = fourth !== '' && isRoleList(third) && !isRoleList(fourth)
    const [clusters, roles] = swapped ? [fourth, third] : [third, fourth]
    return [{ user, grants: words(grants), clusters: new Set(words(clusters || '*')), roles: words(roles) }]
  })

/** The rules of one user, per cluster. */
interface Rule {
  readonly clusters: ReadonlySet<string>
  readonly grants: ReadonlySet<string>
}

interface UserRules {
  readonly allowed: readonly Rule[]
  readonly discarded: readonly Rule[]
  /** What is held where the same rules cover a cluster, by which they are. */
  readonly sets: Map<string, readonly Grant[]>
}

interface GrowingRules extends UserRules {
  readonly allowed: Rule[]
  readonly discarded: Rule[]
}

/** A compiled ACL: user → rules. */
export type Acl = ReadonlyMap<string, UserRules>

/** Joins an allow list (words are prefixes) and a discard list (words are whole names, taken away afterwards). */
export function compileAcl(allow: string, discard: string): Acl {
  const users = new Map<string, GrowingRules>()
  const rulesOf = (user: string) => {
    const rules: GrowingRules = users.get(user) ?? { allowed: [], discarded: [], sets: new Map() }
    users.set(user, rules)
    return rules
  }
  for (const entry of parseAcl(allow)) {
    rulesOf(entry.user).allowed.push({ clusters: entry.clusters, grants: new Set(grantsOf(entry)) })
  }
  for (const { user, clusters, grants } of parseAcl(discard)) {
    rulesOf(user).discarded.push({ clusters, grants: new Set(grants) })
  }
  return users
}

/** Whether the user holds the grant on the cluster; '' (no cluster) is covered by entries for all clusters only. */
export function isAllowed(
  acl: Acl,
  user: string,
  wanted: { readonly grant: string; readonly cluster: string },
): boolean {
  const rules = acl.get(user)
  if (!rules) return false
  const holds = (rule: Rule) => covers(rule, wanted.cluster) && rule.grants.has(wanted.grant)
  return rules.allowed.some(holds) && !rules.discarded.some(holds)
}

/** Whether the user holds any grant on the cluster. Called for every cluster of a list: the first grant ends it. */
export function isMember(acl: Acl, user: string, cluster: string): boolean {
  for (const rule of acl.get(user)?.allowed ?? []) {
    if (!covers(rule, cluster)) continue
    for (const grant of rule.grants) if (isAllowed(acl, user, { grant, cluster })) return true
  }
  return false
}

/** All grants that the user holds on the cluster. Called for every cluster of a fleet: clusters of the same rules share a list. */
export function listGrants(acl: Acl, user: string, cluster: string): readonly Grant[] {
  const rules = acl.get(user)
  if (!rules) return []
  const key = [...rules.allowed, ...rules.discarded].map((rule) => (covers(rule, cluster) ? 1 : 0)).join('')
  const known = rules.sets.get(key) ?? grants.filter((grant) => isAllowed(acl, user, { grant, cluster }))
  rules.sets.set(key, known)
  return known
}

function covers({ clusters }: Rule, cluster: string): boolean {
  return clusters.has('*') || clusters.has(cluster)
}

function grantsOf({ grants: named, roles }: AclEntry): readonly Grant[] {
  return named.length === 0 ? roles.flatMap(roleGrants) : named.flatMap(expandGrant)
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function isRoleList(text: string): boolean {
  const all = words(text)
  return all.length > 0 && all.every(isRole)
}
