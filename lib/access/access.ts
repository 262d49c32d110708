// Who may do what, as configured: users, their passwords' digests and their grants per cluster.
import type { Secret } from '../base/secret.js'
import { type Acl, compileAcl, isAllowed, isMember } from './acl.js'
import { type Credentials, parseCredentials } from './credentials.js'

/** The values of the settings `api-credentials`, `api-credentials-acl-allow` and `api-credentials-acl-discard`. */
export interface AccessOptions {
  readonly credentials: Secret
  readonly allow: string
  readonly discard: string
  /** Clusters whose own section replaces a list of the default section. */
  readonly clusters?: Readonly<Record<string, { readonly allow?: string; readonly discard?: string }>>
}

export interface Access {
  readonly credentials: Credentials
  /** Whether the user holds the grant on the cluster; '' for things of no cluster. */
  may(user: string, grant: string, cluster: string): boolean
  /** Whether the user holds any grant on the cluster. */
  sees(user: string, cluster: string): boolean
}

export function createAccess({ credentials, allow, discard, clusters = {} }: AccessOptions): Access {
  const shared = compileAcl(allow, discard)
  const own = new Map<string, Acl>(
    Object.entries(clusters).map(([name, lists]) => [name, compileAcl(lists.allow ?? allow, lists.discard ?? discard)]),
  )
  const aclOf = (cluster: string) => own.get(cluster) ?? shared
  const known = parseCredentials(credentials)
  return {
    credentials: known,
    may: (user, grant, cluster) => known.has(user) && isAllowed(aclOf(cluster), user, { grant, cluster }),
    sees: (user, cluster) => known.has(user) && isMember(aclOf(cluster), user, cluster),
  }
}
