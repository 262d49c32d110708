// Users of a cluster and API tokens as pages show them.
import { type Fields, listOf, present, textOf, wireOf } from '../wire.js'

export interface User {
  readonly name: string
  readonly roles: readonly string[]
  /** What it may do on the cluster, by name. */
  readonly grants: readonly string[]
  /** Words of the access lists, as they are written. */
  readonly access: string
  /** Added over the interface: it can be changed and dropped there. */
  readonly isAdded: boolean
  /** Has no password. */
  readonly isSignOn: boolean
}

export const readUsers = (reply: unknown): readonly User[] =>
  listOf(wireOf<'GET /api/clusters/:cluster/users'>(reply)).flatMap((wire) => {
    const name = textOf(wire.user)
    if (name === undefined) return []
    return [
      {
        ...{ name, roles: texts(wire.roles), grants: texts(wire.grants), access: textOf(wire.access) ?? '' },
        ...{ isAdded: wire.added === true, isSignOn: wire.signOn === true },
      },
    ]
  })

export interface Token {
  readonly id: string
  readonly user: string
  readonly label: string
  /** None: everything that its owner holds. */
  readonly grants: readonly string[]
  /** None: every cluster. */
  readonly clusters: readonly string[]
  readonly state: 'live' | 'expired' | 'revoked'
  readonly revokedBy?: string
  /** Milliseconds; absent: never. */
  readonly createdAt?: number
  readonly expiresAt?: number
  readonly lastUsedAt?: number
  readonly lastUsedFrom?: string
  /** Of the answer that created it, and of no other. */
  readonly secret?: string
}

export const readTokens = (reply: unknown): readonly Token[] =>
  listOf(wireOf<'GET /api/tokens'>(reply)).flatMap((wire) => readToken(wire) ?? [])

export function readToken(wire: Fields): Token | undefined {
  const id = textOf(wire.id)
  if (id === undefined) return undefined
  return present<Token>({
    ...{ id, user: textOf(wire.user) ?? '', label: textOf(wire.label) ?? '' },
    ...{ grants: texts(wire.grants), clusters: texts(wire.clusters) },
    state: wire.revoked === true ? 'revoked' : wire.expired === true ? 'expired' : 'live',
    revokedBy: textOf(wire.revokedBy),
    createdAt: timeOf(wire.createdAt),
    expiresAt: timeOf(wire.expiresAt),
    lastUsedAt: timeOf(wire.lastUsedAt),
    lastUsedFrom: textOf(wire.lastUsedFrom),
    secret: textOf(wire.token),
  })
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

function timeOf(value: unknown): number | undefined {
  const at = Date.parse(textOf(value) ?? '')
  return Number.isNaN(at) ? undefined : at
}
