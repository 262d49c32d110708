// Who holds the locks that an applier may wait for: the metadata locks of MySQL's performance schema.
import type { Statement } from '../statement/statement.js'

/**
 * Sessions with a granted lock on an object that another thread waits for. What writers hold together (INTENTION_EXCLUSIVE) is
 * left out. Empty lock_type: each is of a lock that is waited for.
 * https://dev.mysql.com/doc/refman/8.4/en/performance-schema-metadata-locks-table.html
 */
export const lockHolders: Statement = {
  sql:
    "SELECT DISTINCT t.PROCESSLIST_ID AS id, '' AS lock_type FROM performance_schema.metadata_locks w " +
    'JOIN performance_schema.metadata_locks g ON g.OBJECT_TYPE = w.OBJECT_TYPE AND g.OBJECT_SCHEMA <=> w.OBJECT_SCHEMA ' +
    'AND g.OBJECT_NAME <=> w.OBJECT_NAME AND g.OWNER_THREAD_ID <> w.OWNER_THREAD_ID ' +
    'JOIN performance_schema.threads t ON t.THREAD_ID = g.OWNER_THREAD_ID ' +
    "WHERE w.LOCK_STATUS = 'PENDING' AND g.LOCK_STATUS = 'GRANTED' AND g.LOCK_TYPE <> 'INTENTION_EXCLUSIVE' " +
    'AND t.PROCESSLIST_ID IS NOT NULL LIMIT 200',
  values: [],
}

/**
 * Sessions that hold the global read lock or the backup lock until they end it: columns id, user, host, command, seconds, held. Others than
 * backups take either for one statement only.
 * https://dev.mysql.com/doc/refman/8.4/en/lock-instance-for-backup.html
 */
export const heldLocks: Statement = {
  sql:
    'SELECT t.PROCESSLIST_ID AS id, t.PROCESSLIST_USER AS user, t.PROCESSLIST_HOST AS host, t.PROCESSLIST_COMMAND AS command, ' +
    "t.PROCESSLIST_TIME AS seconds, IF(m.OBJECT_TYPE = 'GLOBAL', 'commit', 'instance') AS held " +
    'FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON t.THREAD_ID = m.OWNER_THREAD_ID ' +
    "WHERE m.OBJECT_TYPE IN ('GLOBAL', 'BACKUP LOCK') AND m.LOCK_TYPE = 'SHARED' AND m.LOCK_DURATION = 'EXPLICIT' " +
    "AND m.LOCK_STATUS = 'GRANTED' AND t.PROCESSLIST_ID <> CONNECTION_ID() LIMIT 200",
  values: [],
}
