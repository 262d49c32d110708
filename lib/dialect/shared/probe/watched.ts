// Statements of slow probes for what settings ask for: long statements, open transactions, file systems. No lock, bounded rows.
import { SECOND } from '../../../base/time.js'
import type { FileSystem, LongSession, Watched } from '../../../model/server/watched.js'
import { maskSecrets } from '../../reads/mask.js'
import { numberIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'
import type { WatchedPart } from '../dialect/dialect.js'

/** Most sessions that are named. */
const MOST_SESSIONS = 50
/** Where a statement is cut, characters. */
export const LONGEST_STATEMENT = 500
/** KiB. */
const BLOCK = 1_024

const systemUsers = ['system user', 'event_scheduler']
const lockWait = 'Waiting for % metadata lock'

/**
 * Replicas that read the binary log, and clients that run a statement for so long or wait for the lock of a table's
 * definition: one statement for both, since a far away server is asked one statement after the other.
 */
export const dumpsAndStatements = (processList: string, leastMs: number): Statement => ({
  sql:
    "SELECT ID AS id, USER AS user, HOST AS host, COALESCE(DB, '') AS db, TIME AS seconds, COALESCE(STATE, '') AS state, " +
    `LEFT(INFO, ${LONGEST_STATEMENT}) AS statement, STATE LIKE ? AS waits, COMMAND LIKE 'Binlog Dump%' AS dumps ` +
    `FROM ${processList} WHERE COMMAND LIKE 'Binlog Dump%' OR (ID <> CONNECTION_ID() AND TIME >= ? AND ` +
    'INFO IS NOT NULL AND COMMAND IN (?) AND USER NOT IN (?)) ' +
    `ORDER BY dumps DESC, TIME DESC LIMIT ${MOST_ROWS}`,
  values: [lockWait, leastMs / SECOND, ['Query', 'Execute'], systemUsers],
})

export const isDump = (row: Rows[number]): boolean => numberIn(row, 'dumps') === 1

/** The replicas of a server are few: what is left of the rows is for clients. */
const MOST_ROWS = 200

/** Transactions that have been open for so long, whatever their session does now. A list in memory. */
const openTransactions = (processList: string, leastMs: number): Statement => ({
  sql:
    "SELECT p.ID AS id, p.USER AS user, p.HOST AS host, COALESCE(p.DB, '') AS db, " +
    "TIMESTAMPDIFF(SECOND, t.trx_started, NOW()) AS seconds, COALESCE(p.STATE, '') AS state, " +
    `LEFT(COALESCE(p.INFO, ''), ${LONGEST_STATEMENT}) AS statement, p.STATE LIKE ? AS waits, ` +
    'CAST(t.trx_rows_modified AS SIGNED) AS rows_changed ' +
    `FROM information_schema.INNODB_TRX t JOIN ${processList} p ON p.ID = t.trx_mysql_thread_id ` +
    'WHERE p.ID <> CONNECTION_ID() AND TIMESTAMPDIFF(SECOND, t.trx_started, NOW()) >= ? AND p.USER NOT IN (?) ' +
    `ORDER BY seconds DESC LIMIT ${MOST_SESSIONS}`,
  values: [lockWait, leastMs / SECOND, systemUsers],
})

/** MariaDB's plugin DISKS: the mounted file systems of block devices, KiB. https://mariadb.com/kb/en/disks-plugin/ */
const disks: Statement = {
  sql: 'SELECT Path AS path, Total AS total, Used AS used, Available AS available FROM information_schema.DISKS',
  values: [],
}

export const parseSessions = (rows: Rows): readonly LongSession[] =>
  rows.slice(0, MOST_SESSIONS).map((row) => ({
    id: numberIn(row, 'id'),
    user: textIn(row, 'user'),
    host: textIn(row, 'host'),
    schema: textIn(row, 'db'),
    seconds: numberIn(row, 'seconds'),
    state: textIn(row, 'state'),
    statement: maskSecrets(textIn(row, 'statement')),
    waitsForLock: numberIn(row, 'waits') === 1,
    ...('rows_changed' in row ? { rowsChanged: numberIn(row, 'rows_changed') } : {}),
  }))

/** A file system that several directories are bound to is listed once for each. */
export const parseDisks = (rows: Rows): readonly FileSystem[] =>
  rows.map((row) => ({
    path: textIn(row, 'path'),
    totalBytes: numberIn(row, 'total') * BLOCK,
    usedBytes: numberIn(row, 'used') * BLOCK,
    availableBytes: numberIn(row, 'available') * BLOCK,
  }))

/** What is wanted and this server may be able to answer: one without the list of file systems refuses that part. */
export const watchedStatements = (
  processList: string,
  { transactionsMs, disks: wantsDisks }: Watched,
): Readonly<Partial<Record<WatchedPart, Statement>>> => ({
  ...(transactionsMs === undefined ? {} : { openTransactions: openTransactions(processList, transactionsMs) }),
  ...(wantsDisks ? { disks } : {}),
})
