// Finding and killing sessions: the same on every flavour except for the table of the process list.
import { numberIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'

/** Statements that change data or its definition, after any comment or bracket. */
const writing =
  '^([[:space:](]|/[*].*?[*]/)*' +
  '(insert|update|delete|replace|load|call|alter|create|drop|truncate|rename|optimize|repair|analyze|with|grant|revoke)[[:space:]]'

/** Whether a statement changes data or its definition. */
export const isWriting = (statement: string): boolean => new RegExp(toScript(writing), 'i').test(statement)

const systemUsers = ['system user', 'event_scheduler']

/**
 * Without a read of it for so long InnoDB reads its list of transactions again; one that is read more often stays as it was
 * (`CACHE_MIN_IDLE_TIME_NS`, 100 ms, storage/innobase/trx/trx0i_s.cc).
 */
export const TRX_LIST_MS = 110

/** `processList` is the table with the columns of information_schema.PROCESSLIST. */
export const longWrites = (processList: string, seconds: number): Statement => ({
  sql:
    'SELECT p.ID AS id, p.USER AS user, p.HOST AS host, ' +
    'GREATEST(p.TIME, COALESCE(TIMESTAMPDIFF(SECOND, t.trx_started, NOW()), 0)) AS seconds, ' +
    "CAST(COALESCE(t.trx_rows_modified, 0) AS SIGNED) AS rows_changed, LEFT(COALESCE(p.INFO, ''), 1000) AS statement " +
    `FROM ${processList} p LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID ` +
    "WHERE p.ID <> CONNECTION_ID() AND p.USER NOT IN (?) AND p.COMMAND NOT LIKE 'Binlog Dump%' AND (" +
    '(t.trx_rows_modified > 0 AND TIMESTAMPDIFF(SECOND, t.trx_started, NOW()) >= ?) ' +
    "OR (p.COMMAND <> 'Sleep' AND p.TIME >= ? AND p.INFO REGEXP ?)) ORDER BY seconds DESC",
  values: [systemUsers, seconds, seconds, writing],
})

/** What a session's state reads while its write waits for free space: MariaDB, MySQL 8. */
const spaceStates = ['Waiting for someone to free space', 'Waiting for disk space']

/** What a session's state reads while its commit is written and synced, or waits for that of another: MariaDB, MySQL 8. */
const commitStates = ['Commit', 'waiting for handler commit']

/**
 * Sessions whose write waits for free space: column `waiting`; and those whose commit waits beside them, a second old: column
 * `committing`. Refused with `isDiskFull` where the list itself needs space.
 */
export const countSpaceWaits = (processList: string): Statement => ({
  sql:
    'SELECT COALESCE(SUM(STATE IN (?)), 0) AS waiting, COALESCE(SUM(STATE IN (?) AND TIME >= 1), 0) AS committing ' +
    `FROM ${processList}`,
  values: [spaceStates, commitStates],
})

/**
 * Commits of clients that are under way, at most 100: columns id, statement (another one for each statement of a session),
 * seconds; and whether another cause than the disk holds them up, column `other`: a commit, not necessarily theirs, waits for a
 * replica or for space. `query` is the column or expression that numbers statements.
 */
export const commitsUnderWay = (processList: string, query: string): Statement => ({
  sql:
    `SELECT ID AS id, ${query} AS statement, TIME AS seconds, (STATE LIKE ? OR STATE IN (?)) AS other FROM ${processList} ` +
    "WHERE (STATE IN (?) AND USER NOT IN (?) AND COALESCE(INFO, '') NOT LIKE 'CALL%') OR STATE LIKE ? OR STATE IN (?) LIMIT 100",
  values: [waitsForReplica, spaceStates, commitStates, systemUsers, waitsForReplica, spaceStates],
})

/** ER_DISK_FULL (1021), and error 28 of the system (no space left on device) within another. */
export const isDiskFull = (message: string): boolean =>
  /error 1021: /.test(message) || /(Errcode|error): 28\b|No space left on device/i.test(message)

/** All sessions without a table in the server: it needs no disk. */
export const sessionList: Statement = { sql: 'SHOW FULL PROCESSLIST', values: [] }

/** One row of `sessionList`. */
export interface SessionRow {
  readonly id: number
  readonly user: string
  readonly host: string
  readonly statement: string
  /** It runs no statement. */
  readonly isIdle: boolean
  /** Its write waits for free space. */
  readonly waitsForSpace: boolean
  /** Its commit has been under way for a second or more. */
  readonly commits: boolean
  /** It changes data or commits, as `unfinishedWrites` finds it. */
  readonly isWriting: boolean
}

/** Sessions of clients: replication and the event scheduler are left out. */
export const parseSessions = (rows: Rows): readonly SessionRow[] =>
  rows
    .filter((row) => !systemUsers.includes(textIn(row, 'User')) && !textIn(row, 'Command').startsWith('Binlog Dump'))
    .map((row) => {
      const [state, statement] = [textIn(row, 'State'), textIn(row, 'Info')]
      const waitsForSpace = spaceStates.includes(state)
      const changes = [writing, committing].some((pattern) => new RegExp(toScript(pattern), 'i').test(statement))
      return {
        ...{ id: numberIn(row, 'Id'), user: textIn(row, 'User'), host: textIn(row, 'Host'), statement, waitsForSpace },
        commits: commitStates.includes(state) && numberIn(row, 'Time') >= 1,
        isIdle: textIn(row, 'Command') === 'Sleep',
        isWriting: waitsForSpace || (!atRest.includes(textIn(row, 'Command')) && (state === 'Commit' || changes)),
      }
    })

/** The character class of the server's patterns, as JavaScript spells it. */
const toScript = (pattern: string): string =>
  pattern.replaceAll('[[:space:](]', '[\\s(]').replaceAll('[[:space:]]', '\\s')

/** Number of replicas that read this server's binary log. */
export const countDumpThreads = (processList: string): Statement => ({
  sql: `SELECT COUNT(*) AS threads FROM ${processList} WHERE COMMAND LIKE 'Binlog Dump%'`,
  values: [],
})

/**
 * Sessions that are changing data or committing. A session that waits for a semi-synchronous replica is last: it waits
 * for all commits of the same group, and they return when it stops.
 */
export const unfinishedWrites = (processList: string): Statement => ({
  sql:
    `SELECT ID AS id FROM ${processList} WHERE ID <> CONNECTION_ID() AND USER NOT IN (?) AND COMMAND NOT IN (?) ` +
    'AND (STATE LIKE ? OR INFO REGEXP ? OR INFO REGEXP ?) ORDER BY STATE LIKE ?',
  values: [systemUsers, atRest, waitsForReplica, writing, committing, waitsForReplica],
})

/** Sessions whose commit waits for a semi-synchronous replica: clients, killed ones included, and a replica's applier. */
export const waitingCommits = (processList: string): Statement => ({
  sql: `SELECT ID AS id FROM ${processList} WHERE STATE LIKE ?`,
  values: [waitsForReplica],
})

const atRest = ['Sleep', 'Killed', 'Binlog Dump', 'Binlog Dump GTID']
const committing = '^([[:space:]]|/[*].*?[*]/)*(commit|xa|execute)'

/** By its old or new name. */
const waitsForReplica = 'Waiting for semi-sync ACK%'

export const killSession = (id: number): Statement => ({ sql: 'KILL ?', values: [id] })
