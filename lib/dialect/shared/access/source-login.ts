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
