// Sessions that MariaDB's read-only state does not stop, of accounts with the privilege, held directly or by a role.
import { managerLocks } from '../../model/server/presence.js'
import type { Statement } from '../statement/statement.js'

/** Bits of SUPER and READ_ONLY ADMIN in `mysql.global_priv` (sql/privilege.h). */
const PRIVILEGED = 2 ** 15 + 2 ** 33

/** MariaDB 10.4+: users and roles that hold it, then users that have one of these roles. PUBLIC is every account. */
export const heldNames = `held (name) AS (
  SELECT User FROM mysql.global_priv WHERE CAST(JSON_VALUE(Priv, '$.access') AS UNSIGNED) & ${PRIVILEGED} <> 0
  UNION SELECT m.User FROM mysql.roles_mapping m JOIN held h ON m.Role = h.name)`

const byTables = `WITH RECURSIVE ${heldNames}
SELECT p.ID FROM information_schema.PROCESSLIST p WHERE p.USER IN (SELECT name FROM held)
  OR EXISTS (SELECT 1 FROM held WHERE name = 'PUBLIC')`

/** Without roles: for accounts that may not read the tables, and for older versions. */
const byUsers = `SELECT p.ID FROM information_schema.PROCESSLIST p WHERE p.USER IN (
  SELECT SUBSTRING_INDEX(SUBSTRING(GRANTEE, 2), '''@', 1) FROM information_schema.USER_PRIVILEGES
  WHERE PRIVILEGE_TYPE IN ('SUPER', 'READ_ONLY ADMIN', 'READ ONLY ADMIN'))`

/** A user lock alone would let any client pass: it counts for the account of the manager only, outside a transaction. */
const showsManager = `w.USER = SUBSTRING_INDEX(USER(), '@', 1) AND t.trx_id IS NULL
  AND w.ID IN (COALESCE(IS_USED_LOCK(?), 0), COALESCE(IS_USED_LOCK(?), 0))`

/**
 * Columns id, user, host, statement; the first statement that the server does not refuse counts. Left out: `own` sessions of
 * the manager, replication, what only rolls back, and the session by which another manager of the same account shows that it
 * runs: it writes nothing, and the lock that goes with it would make the other one act. A session that was killed counts until it is gone.
 * An event runs in a session of its definer.
 */
export const privilegedWriters = (own: readonly number[]): readonly Statement[] =>
  [byTables, byUsers].map((chosen) => ({
    sql: `SELECT w.ID AS id, w.USER AS user, w.HOST AS host, LEFT(COALESCE(w.INFO, ''), 1000) AS statement
FROM information_schema.PROCESSLIST w LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = w.ID
WHERE w.ID <> CONNECTION_ID() AND w.ID NOT IN (?) AND w.USER NOT IN (?) AND w.COMMAND NOT LIKE 'Binlog Dump%'
  AND COALESCE(t.trx_state, '') <> 'ROLLING BACK' AND NOT (${showsManager}) AND w.ID IN (${chosen})`,
    values: [[0, ...own], ['system user', 'event_scheduler'], ...Object.values(managerLocks)],
  }))

/** What a session's state reads while it waits for a global read lock: MariaDB 10.4+, others, at commit. */
const waits = ['Waiting for backup lock', 'Waiting for global read lock', 'Waiting for commit lock']

/** Sessions of any user that wait for the global read lock: column id. */
export const waitingForLock = (own: readonly number[]): Statement => ({
  sql: 'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND ID NOT IN (?) AND USER <> ? AND STATE IN (?)',
  values: [[0, ...own], 'system user', waits],
})
