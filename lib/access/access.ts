// Authorisation as configured: users, their passwords' digests and their grants per cluster.
import { reveal, type Secret } from '../base/secret.js'
import { type Acl, compileAcl, isAllowed, isMember, listGrants } from './acl.js'
import { type Credentials, parseCredentials } from './credentials.js'
import type { Grant } from './grants.js'

/** The values of the settings `api-credentials`, `api-credentials-acl-allow` and `api-credentials-acl-discard`. */
export interface AccessLists {
  readonly credentials: Secret
  readonly allow: string
  readonly discard: string
}

export interface AccessOptions extends AccessLists {
  /** Clusters whose own section replaces a list of the default section. */
  readonly clusters?: Readonly<Record<string, Partial<AccessLists>>>
  /** Of fingerprints, so that those of an earlier start can be compared; absent: one of this process. */
  readonly key?: Buffer
}

/** The requesting user. */
export interface Identity {
  readonly user: string
  /** Of the password used at login: a list in which the user has another one does not apply. Absent: any. */
  readonly fingerprint?: string
}

export interface Access {
  /** The user with this password, when any of the lists has the pair. */
  login(user: string, password: string): Identity | undefined
  /** The user by the lists of the service, without a password check (automatic login, single sign-on). */
  find(user: string): Identity | undefined
  /** Those of its passwords in all lists. */
  fingerprintsOf(user: string): readonly string[]
  /** Whether any list still contains it. */
  knows(identity: Identity): boolean
  /** Whether its password is the shipped default, which the manual names. */
  isShipped(identity: Identity): boolean
  /** Users that still have the shipped password anywhere. */
  readonly shipped: ReadonlySet<string>
  /** Whether it holds the grant on the cluster; '' for things of no cluster. */
  may(identity: Identity, grant: string, cluster: string): boolean
  /** All that it holds on the cluster; equal sets are the same list. */
  grantsOn(identity: Identity, cluster: string): readonly Grant[]
  /** Whether it holds any grant on the cluster. */
  sees(identity: Identity, cluster: string): boolean
}

interface Scope {
  readonly credentials: Credentials
  readonly acl: Acl
}

export function createAccess({ clusters = {}, key, ...shared }: AccessOptions): Access {
  const parsed = new Map<string, Credentials>()
  const credentialsOf = (pairs: Secret): Credentials => {
    const known = parsed.get(reveal(pairs)) ?? parseCredentials(pairs, key)
    parsed.set(reveal(pairs), known)
    return known
  }
  const scopeOf = ({ credentials, allow, discard }: AccessLists): Scope => ({
    credentials: credentialsOf(credentials),
    acl: compileAcl(allow, discard),
  })
  const service = scopeOf(shared)
  const own = new Map(Object.entries(clusters).map(([name, lists]) => [name, scopeOf({ ...shared, ...lists })]))
  const lists = [...parsed.values()]
  parsed.clear()

  /** The scope's access list, when its credentials contain the user. */
  const aclFor = (identity: Identity, cluster: string): Acl | undefined => {
    const { credentials, acl } = own.get(cluster) ?? service
    return isKnown(credentials, identity) ? acl : undefined
  }
  return {
    login: (user, password) => {
      const matching = lists.filter((list) => list.verify(user, password)) // all are checked: constant time
      const fingerprint = matching[0]?.fingerprint(user)
      return fingerprint === undefined ? undefined : { user, fingerprint }
    },
    find: (user) => {
      const fingerprint = service.credentials.fingerprint(user)
      return fingerprint === undefined ? undefined : { user, fingerprint }
    },
    fingerprintsOf: (user) => [...new Set(lists.flatMap((list) => list.fingerprint(user) ?? []))],
    grantsOn: (identity, cluster) => {
      const acl = aclFor(identity, cluster)
      return acl === undefined ? [] : listGrants(acl, identity.user, cluster)
    },
    knows: (identity) => lists.some((list) => isKnown(list, identity)),
    isShipped: (identity) => lists.some((list) => list.defaults.has(identity.user) && isKnown(list, identity)),
    shipped: new Set(lists.flatMap(({ defaults }) => [...defaults])),
    may: (identity, grant, cluster) => {
      const acl = aclFor(identity, cluster)
      return acl !== undefined && isAllowed(acl, identity.user, { grant, cluster })
    },
    sees: (identity, cluster) => {
      const acl = aclFor(identity, cluster)
      return acl !== undefined && isMember(acl, identity.user, cluster)
    },
  }
}

function isKnown(list: Credentials, { user, fingerprint }: Identity): boolean {
  const known = list.fingerprint(user)
  return known !== undefined && (fingerprint === undefined || known === fingerprint)
}
