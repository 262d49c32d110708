// The replication account on a server: for which hosts it exists, and the statements that make its login work.
import type { Statement } from '../../statement/statement.js'

/** Columns accounts, and fitting: those for the host of the session that asks. A netmask is not understood. */
export const accountHosts = (user: string): Statement => ({
  sql:
    "SELECT COUNT(*) AS accounts, COALESCE(SUM(SUBSTRING_INDEX(USER(), '@', -1) LIKE Host), 0) AS fitting " +
    'FROM mysql.user WHERE User = ?',
  values: [user],
})

/** As text for people: the password stands for itself, since messages are logged. */
export function repairLogin(user: string, exists: boolean): string {
  const account = `'${user.replaceAll("'", "''")}'@'%'`
  const verb = exists ? 'ALTER' : 'CREATE'
  const set = `${verb} USER ${account} IDENTIFIED BY '<password of replication-credential>';`
  return exists ? set : `${set} GRANT REPLICATION SLAVE ON *.* TO ${account};`
}

/** What the receiver of a replica asks first, in a session with whatever the server gives to each; a row for each statement. */
export const asReplica = "SELECT UNIX_TIMESTAMP() AS now; SHOW GLOBAL VARIABLES LIKE 'server_id'"

/** The login works, and what a replica asks then does not. */
export const repairDefaults =
  "replicas begin with this server's defaults of sessions and its init_connect: SET GLOBAL init_connect = ''; or the variable " +
  'that the error names back to its default (sql_select_limit, max_join_size, sql_big_selects, max_statement_time).'
