// Selects the dialect of a server by its reported flavour and version.
import type { ServerIdentity } from '../model/server/server.js'
import { mariadbDialect } from './mariadb/dialect.js'
import { mysqlDialect } from './mysql/dialect.js'
import type { Dialect } from './shared/dialect/dialect.js'

/** The dialect for `parseIdentity`'s answer. Percona Server uses MySQL's. */
export function dialectFor(identity: ServerIdentity): Dialect {
  return identity.flavour === 'mariadb' ? mariadbDialect(identity) : mysqlDialect(identity)
}
