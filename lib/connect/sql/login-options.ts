// Options of mysql2 for the login on the session's socket, and for reading values.
import type net from 'node:net'
import type { ConnectionOptions } from 'mysql2'
import { trustedKeysOnly } from './public-keys.js'
import type { SqlTarget } from './session.js'

export function loginOptions(target: SqlTarget, socket: net.Socket): ConnectionOptions {
  const { user, password, host, port, tls } = target
  return {
    host,
    port,
    user,
    password,
    stream: () => socket,
    connectTimeout: 0, // the session's deadline covers the login, mysql2's does not
    multipleStatements: true,
    // Rows are read by code that exists. mysql2 would generate a function for the columns of each reply: for 200 columns that a hostile
    // server sends, V8 optimizes it in the background for more than a minute.
    disableEval: true,
    maxPreparedStatements: 16, // the default allocates half a megabyte per connection
    // No flag that would change a query or an OK packet, and no server may request files.
    flags: ['-SESSION_TRACK', '-CLIENT_QUERY_ATTRIBUTES', '-LOCAL_FILES', '-DEPRECATE_EOF'],
    // Exact integers: as numbers within 2^53, as text beyond. Times and JSON as the server writes them.
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    ...(tls === undefined ? { authPlugins: trustedKeysOnly(target) } : { ssl: tlsOptions(tls) }),
  }
}

const tlsOptions = ({ ca, cert, key, skipVerify = false }: NonNullable<SqlTarget['tls']>) => ({
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
  rejectUnauthorized: !skipVerify,
})
