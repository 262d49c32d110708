// The grants of each role: for users whose ACL entry names roles and no grants.
import { expandGrant, type Grant, grants } from './grants.js'

/** Every grant except those that start with one of the words. */
const allBut = (...words: readonly string[]): readonly Grant[] =>
  grants.filter((grant) => !words.some((word) => grant.startsWith(word)))

const allOf = (...words: readonly string[]): readonly Grant[] => words.flatMap(expandGrant)

const viewer: readonly Grant[] = ['show']

/** Role → its grants. */
const roles: ReadonlyMap<string, readonly Grant[]> = new Map([
  ['sysops', grants],
  ['extsysops', allBut('sales', 'global', 'extrole')],
  ['dbops', allBut('cluster', 'prov', 'sales', 'global')],
  ['sponsor', allOf('db', 'show', 'proxy', 'grant', 'extrole', 'sales-unsubscribe', 'app')],
  ['extdbops', allOf('db', 'show', 'proxy', 'grant')],
  ['visitor', viewer],
  ['pending', viewer],
  ['pending-extdbops', viewer],
  ['pending-extsysops', viewer],
  ['quote-extdbops', viewer],
  ['quote-extsysops', viewer],
  ['unsubscribed', viewer],
  ['unsubscribed-extdbops', viewer],
  ['unsubscribed-extsysops', viewer],
])

/** Every role, in order. */
export const roleNames: readonly string[] = [...roles.keys()]

export const isRole = (word: string): boolean => roles.has(word)

/** Grants of a role; none for an unknown one. */
export const roleGrants = (role: string): readonly Grant[] => roles.get(role) ?? []
