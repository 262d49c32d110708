// Statements of a slow probe that both flavours share.
import { type Named, namedOf } from '../../../model/server/named.js'
import type { HeldPrivileges, SlowReading } from '../../../model/server/reading.js'
import type { ServerIdentity } from '../../../model/server/server.js'
import { flagIn, numberIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'
import { parseGrants } from '../access/privileges.js'
import { MOST_EVENTS, parseEvents, seesEveryEvent } from '../control/events.js'
import type { SlowAnswers } from '../dialect/dialect.js'
import { readOnlyOf } from './origins.js'
import { isDump, parseDisks, parseSessions } from './watched.js'

export const globalVariables = (): Statement => ({ sql: 'SHOW GLOBAL VARIABLES', values: [] })

export const globalStatus = (): Statement => ({ sql: 'SHOW GLOBAL STATUS', values: [] })

export const plugins: Statement = { sql: 'SHOW PLUGINS', values: [] }

/** Names and sizes, oldest first: the server asks the file system for each size, and no commit waits meanwhile. */
export const binaryLogs: Statement = { sql: 'SHOW BINARY LOGS', values: [] }

/** Whether the performance schema keeps the latest statements; a switch in memory. */
export const statementHistory: Statement = {
  sql:
    'SELECT ENABLED AS enabled FROM performance_schema.setup_consumers ' +
    "WHERE NAME = 'events_statements_history_long'",
  values: [],
}

/** Maximum number of binary log files listed by name: the newest ones. */
const MOST_BINLOGS = 500

export const ownGrants: Statement = { sql: 'SHOW GRANTS', values: [] }

/** The limit of the account where it has one of its own (MAX_USER_CONNECTIONS), else that of the server for every account; 0: none. */
export const sessionLimit: Statement = {
  sql: 'SELECT @@SESSION.max_user_connections AS own, @@GLOBAL.max_user_connections AS everyone',
  values: [],
}

/** Global privileges of an account, whatever its host. Answered from memory: no table is opened. */
export const accountPrivileges = (user: string): Statement => ({
  sql:
    'SELECT GRANTEE AS grantee, PRIVILEGE_TYPE AS privilege FROM information_schema.USER_PRIVILEGES ' +
    `WHERE LEFT(GRANTEE, CHAR_LENGTH(?) + 3) = CONCAT('''', ?, '''@') ORDER BY GRANTEE, PRIVILEGE_TYPE`,
  values: [user, user],
})

/** A part that could not be read is empty; grants are absent when the account's own were not read. */
export function parseSlowProbe(
  answers: SlowAnswers,
  identity: ServerIdentity,
): Omit<SlowReading, 'server' | 'at' | 'tookMs'> {
  const { variables = [], status = [], plugins = [], binlog = [], binlogs = [], dumpThreads = [] } = answers
  const [coordinates = {}] = binlog
  const { openTransactions, disks } = answers
  const grants = answers.ownGrants && grantsOf(answers.ownGrants, answers.replicationGrants ?? [])
  const isCount = 'threads' in (dumpThreads[0] ?? {})
  return {
    variables: columns(variables),
    status: columns(status),
    plugins: plugins.map((row) => ({
      name: textIn(row, 'Name'),
      status: textIn(row, 'Status'),
      type: textIn(row, 'Type'),
      library: textIn(row, 'Library'),
    })),
    binlogFile: textIn(coordinates, 'File'),
    binlogPosition: numberIn(coordinates, 'Position'),
    binlogDoDb: textIn(coordinates, 'Binlog_Do_DB'),
    binlogIgnoreDb: textIn(coordinates, 'Binlog_Ignore_DB'),
    binlogs: {
      count: binlogs.length,
      oldest: textIn(binlogs[0] ?? {}, 'Log_name'),
      files: binlogs.slice(-MOST_BINLOGS).map((row) => [textIn(row, 'Log_name'), numberIn(row, 'File_size')] as const),
    },
    dumpThreads: isCount ? numberIn(dumpThreads[0] ?? {}, 'threads') : dumpThreads.filter(isDump).length,
    statementHistory: answers.statementHistory?.some((row) => flagIn(row, 'enabled')) ?? false,
    ...(isCount || !answers.dumpThreads
      ? {}
      : { longStatements: parseSessions(dumpThreads.filter((row) => !isDump(row))) }),
    ...(openTransactions ? { openTransactions: parseSessions(openTransactions) } : {}),
    ...(disks ? { disks: parseDisks(disks) } : {}),
    ...(grants ? { grants } : {}),
    ...readOnlyOf(answers.readOnlyOrigin),
    ...limitOf(answers.sessionLimit, identity, grants?.own),
    ...(answers.events ? eventsOf(answers.events, identity, grants?.own) : {}),
  }
}

/** MariaDB: the limit for every account does not concern those that may connect beyond max_connections; one of their own does. */
function limitOf(
  [row]: Rows = [],
  { flavour }: ServerIdentity,
  held: HeldPrivileges | undefined,
): Pick<SlowReading, 'sessionLimit'> {
  const own = row ? numberIn(row, 'own') : 0
  const isEveryones = row !== undefined && own === numberIn(row, 'everyone')
  const isExempt = flavour === 'mariadb' && isEveryones && passesLimits.some((name) => held?.names.includes(name))
  return own > 0 && !isExempt ? { sessionLimit: own } : {}
}

const passesLimits = ['CONNECTION ADMIN', 'SUPER', 'ALL PRIVILEGES', 'ALL']

/** Absent where the answer may not be the whole list. */
function eventsOf(
  rows: Rows,
  identity: ServerIdentity,
  held: HeldPrivileges = { account: '', names: [] },
): Pick<SlowReading, 'events'> {
  return rows.length <= MOST_EVENTS && seesEveryEvent(identity, held) ? { events: parseEvents(rows) } : {}
}

/** Variable_name, in lower case, and Value of every row. */
const columns = (rows: Rows): Named =>
  namedOf(rows.map((row) => [textIn(row, 'Variable_name').toLowerCase(), textIn(row, 'Value')]))

/** `SHOW GRANTS` names its column after the account. */
const grantsOf = (own: Rows, replication: Rows) => ({
  own: parseGrants(own.map((row) => String(Object.values(row)[0] ?? ''))),
  replication: parseGrants(replication.map((row) => `${textIn(row, 'privilege')} ON *.* TO ${textIn(row, 'grantee')}`)),
})
