// Who holds the locks that an applier may wait for: MariaDB's list of metadata locks, a plugin.
import type { Statement } from '../statement/statement.js'

/**
 * Granted locks only, so that the one which is waited for follows from the state of the applier: the types are named as in the
 * states, but for capitals. Of the backup lock only what a writer waits for. Refused with 1109 where the plugin is not installed.
 * https://mariadb.com/kb/en/metadata-lock-info-plugin/
 */
export const lockHolders: Statement = {
  sql:
    'SELECT DISTINCT THREAD_ID AS id, LOWER(LOCK_TYPE) AS lock_type FROM information_schema.METADATA_LOCK_INFO ' +
    "WHERE THREAD_ID <> CONNECTION_ID() AND (LOCK_TYPE <> 'Backup lock' OR LOCK_MODE REGEXP 'FTWRL|WAIT|BLOCK|FLUSH') LIMIT 200",
  values: [],
}

/**
 * Sessions that hold FLUSH TABLES WITH READ LOCK or the last stage of a backup: columns id, user, host, command, seconds, held. Refused
 * with 1109 as above: without the plugin nothing shows who holds such a lock before anything waits for it.
 */
export const heldLocks: Statement = {
  sql:
    'SELECT DISTINCT p.ID AS id, p.USER AS user, p.HOST AS host, p.COMMAND AS command, p.TIME AS seconds, ' +
    "'commit' AS held FROM information_schema.METADATA_LOCK_INFO l JOIN information_schema.PROCESSLIST p ON p.ID = l.THREAD_ID " +
    "WHERE l.LOCK_TYPE = 'Backup lock' AND l.LOCK_MODE REGEXP 'FTWRL|WAIT_COMMIT' AND p.ID <> CONNECTION_ID() LIMIT 200",
  values: [],
}
