// What a change of a cluster's users must keep: no user gives or takes more than it holds, and an administrator is left.
import { done, fail, type Result } from '../base/result.js'
import type { AccessLists } from './access.js'
import { type Acl, compileAcl, isAllowed, parseAcl } from './acl.js'
import { type Credentials, parseCredentials } from './credentials.js'
import { type Grant, grants } from './grants.js'

export interface ListChange {
  readonly cluster: string
  readonly before: AccessLists
  readonly after: AccessLists
}

/** What opens the users of a cluster: who holds it there administers it. */
const ADMINISTERS: Grant = 'cluster-grant'

/**
 * `no-grant` names a user that the change concerns and a grant that it has before or after, and the requester does not:
 * its grants, its password and its name are all out of reach then. `last-administrator` when none would be left.
 * `may`: what the requester holds on the cluster; absent: the manager itself.
 */
export function permitListChange(
  { cluster, before, after }: ListChange,
  may: ((grant: Grant) => boolean) | undefined,
): Result<void> {
  const [old, next] = [scopeOf(before), scopeOf(after)]
  for (const user of new Set([...old.users, ...next.users])) {
    const [was, is] = [heldBy(old, user, cluster), heldBy(next, user, cluster)]
    const isSame = was.join() === is.join() && old.credentials.fingerprint(user) === next.credentials.fingerprint(user)
    const missing = isSame ? undefined : [...was, ...is].find((grant) => may?.(grant) === false)
    if (missing !== undefined)
      return fail('no-grant', `${user} holds ${missing} on ${cluster} and you do not: you can neither give nor take it`)
  }
  const administers = (scope: Lists) =>
    [...scope.users].some((user) => heldBy(scope, user, cluster).includes(ADMINISTERS))
  return administers(old) && !administers(next)
    ? fail('last-administrator', `no user of ${cluster} would hold ${ADMINISTERS}`)
    : done
}

interface Lists {
  readonly credentials: Credentials
  readonly acl: Acl
  readonly users: ReadonlySet<string>
}

function scopeOf({ credentials, allow, discard }: AccessLists): Lists {
  const parsed = parseCredentials(credentials)
  const named = [allow, discard].flatMap(parseAcl).map(({ user }) => user)
  return { credentials: parsed, acl: compileAcl(allow, discard), users: new Set([...parsed.users, ...named]) }
}

/** Of a user that can log in there. */
const heldBy = ({ credentials, acl }: Lists, user: string, cluster: string): readonly Grant[] =>
  credentials.has(user) ? grants.filter((grant) => isAllowed(acl, user, { grant, cluster })) : []
