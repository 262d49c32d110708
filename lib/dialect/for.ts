// Chooses the dialect of a server by what it said it is; equal servers share one.
import type { ServerIdentity } from '../model/server/server.js'
import { mariadbDialect } from './mariadb/dialect.js'
import { mysqlDialect } from './mysql/dialect.js'
import type { Dialect } from './shared/dialect.js'

const known = new Map<string, Dialect>()

/** The dialect for `parseIdentity`'s answer. Percona Server speaks MySQL's. */
export function dialectFor(identity: ServerIdentity): Dialect {
  const key = JSON.stringify(identity)
  const found = known.get(key)
  if (found) return found
  const dialect = identity.flavour === 'mariadb' ? mariadbDialect(identity) : mysqlDialect(identity)
  known.set(key, dialect)
  return dialect
}
