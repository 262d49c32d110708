// The users of one cluster with all their grants and roles: for dashboards, to decide which actions to offer.
import type { AccessLists } from './access.js'
import { compileAcl, isAllowed, isMember, parseAcl } from './acl.js'
import { parseCredentials } from './credentials.js'
import { grants } from './grants.js'
import { roleNames } from './roles.js'

/** A user as a cluster sees it: which of all grants and roles it holds. */
export interface ClusterUser {
  readonly user: string
  readonly grants: Readonly<Record<string, boolean>>
  readonly roles: Readonly<Record<string, boolean>>
}

/** Users that can log in and hold any grant on the cluster, in the order of the list. */
export function listUsers({ credentials, allow, discard }: AccessLists, cluster: string): readonly ClusterUser[] {
  const known = parseCredentials(credentials)
  const acl = compileAcl(allow, discard)
  const entries = parseAcl(allow)
  const users = [...new Set(entries.map(({ user }) => user))]
  return users
    .filter((user) => known.has(user) && isMember(acl, user, cluster))
    .map((user) => {
      const roles = entries.filter((entry) => entry.user === user).flatMap((entry) => entry.roles)
      return {
        user,
        grants: Object.fromEntries(grants.map((grant) => [grant, isAllowed(acl, user, { grant, cluster })])),
        roles: Object.fromEntries(roleNames.map((role) => [role, roles.includes(role)])),
      }
    })
}
