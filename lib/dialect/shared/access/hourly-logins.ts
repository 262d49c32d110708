// How many times an hour the account of the session may log in.
import type { Statement } from '../../statement/statement.js'

/** Column hourly: MAX_CONNECTIONS_PER_HOUR; 0: no limit. */
export const hourlyLogins: Statement = {
  sql:
    'SELECT max_connections AS hourly FROM mysql.user ' +
    "WHERE User = SUBSTRING_INDEX(CURRENT_USER(), '@', 1) AND Host = SUBSTRING_INDEX(CURRENT_USER(), '@', -1)",
  values: [],
}
