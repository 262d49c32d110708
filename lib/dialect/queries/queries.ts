// Queries about one statement of a server: a sample, its plan, and the sessions that run it.
import { LONGEST_TEXT, type ReadStep } from '../reads/read.js'
import { numberIn, textIn } from '../statement/rows.js'
import type { Rows, Statement } from '../statement/statement.js'

/** A digest, and the schema to use when it occurs in several. */
export interface DigestRequest {
  readonly digest: string
  readonly schema?: string
}

/** The part of a dialect that concerns single statements. */
export interface Queries {
  /** A statement of the digest with its values: columns schema_name, statement. A refusal names what to enable. */
  sample(request: DigestRequest): ReadStep
  /** Requests the plan of a statement; with `run` it is executed, and the plan has actual figures. Absent: not supported. */
  explain(statement: string, run: boolean): string | undefined
  /** The plan in the server's rows, one per table: columns of EXPLAIN in lower case. */
  parsePlan(rows: Rows): Rows
  /** Sessions: columns id, user, host, db, command, seconds, info and, where a statement can be killed by it, query_id. */
  sessions(): Statement
  /** Kills a statement, and only this one where the server supports it. */
  endStatement(session: { readonly id: number; readonly queryId?: number }): Statement
}

/** The last letters of a text that is longer than the server keeps. */
const isCut = 'OCTET_LENGTH(e.statement) >= @@performance_schema_max_sql_text_length'

/** Newest whole sample of a digest; one whose values are known before one of a prepared statement. */
export const sampleOf = (sources: readonly string[], { digest, schema }: DigestRequest): Statement => ({
  sql:
    `SELECT e.schema_name, e.statement, ${isCut} AS cut, @@performance_schema_max_sql_text_length AS longest ` +
    `FROM (${sources.join(' UNION ALL ')}) e WHERE e.statement IS NOT NULL ` +
    `${schema === undefined ? '' : 'AND e.schema_name = ? '}` +
    `ORDER BY ${isCut}, LOCATE('?', e.statement) > 0, e.at DESC LIMIT 1`,
  values: [...sources.map(() => digest), ...(schema === undefined ? [] : [schema])],
})

/** Running and recent statements in the performance schema. */
export const eventSources = ['current', 'history', 'history_long'].map(
  (table) =>
    'SELECT CURRENT_SCHEMA AS schema_name, SQL_TEXT AS statement, TIMER_START AS at ' +
    `FROM performance_schema.events_statements_${table} WHERE DIGEST = ?`,
)

/** Sessions executing a digest now; equal session, event and digest at two reads: it ran in between as well. */
export const runningDigest = (digest: string): Statement => ({
  sql:
    'SELECT t.PROCESSLIST_ID AS id, e.EVENT_ID AS event FROM performance_schema.events_statements_current e ' +
    'JOIN performance_schema.threads t ON t.THREAD_ID = e.THREAD_ID WHERE e.DIGEST = ? AND e.END_EVENT_ID IS NULL',
  values: [digest],
})

/** The normalised text of a digest: column digest_text. */
export const digestText = (digest: string): Statement => ({
  sql: `SELECT LEFT(DIGEST_TEXT, ${LONGEST_TEXT}) AS digest_text FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST = ? LIMIT 1`,
  values: [digest],
})

/** Whether the digest is known, and which of the tables that keep samples are off. */
export const samplesOff = (digest: string): Statement => ({
  sql:
    'SELECT (SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST = ?) AS known, ' +
    "(SELECT GROUP_CONCAT(NAME ORDER BY NAME SEPARATOR ', ') FROM performance_schema.setup_consumers " +
    "WHERE NAME LIKE 'events\\\\_statements\\\\_%' AND NAME NOT LIKE '%cpu' AND ENABLED = 'NO') AS off",
  values: [digest],
})

/** Accounts of the server's internal threads. */
const serversOwn = ['system user', 'event_scheduler', 'mysql.session', 'mysql.sys', 'mysql.infoschema']

/** The owner of a thread that is no client's: the server itself, or a replica that reads the binary log. */
export function ownerOf({ user, command }: { readonly user: string; readonly command: string }): string | undefined {
  if (serversOwn.includes(user) || /^(?:Daemon|Connect|Slave|Replica)/.test(command)) return 'of the server itself'
  return /^(?:Binlog Dump|Register)/.test(command) ? 'of replication' : undefined
}

/** Definitions of those of the names that are views: columns name, definition. */
export const viewsNamed = (names: readonly (readonly [schema: string, name: string])[]): Statement => ({
  sql: names
    .map(
      () =>
        'SELECT TABLE_NAME AS name, VIEW_DEFINITION AS definition FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
    )
    .join(' UNION ALL '),
  values: names.flat(),
})

/** A stored function as it was created: columns definition (NULL: not visible), language, sql_mode, parameters by commas. */
export const functionNamed = (schema: string, name: string): Statement => ({
  sql:
    "SELECT ROUTINE_DEFINITION AS definition, COALESCE(EXTERNAL_LANGUAGE, 'SQL') AS language, SQL_MODE AS sql_mode, " +
    '(SELECT GROUP_CONCAT(p.PARAMETER_NAME) FROM information_schema.PARAMETERS p WHERE p.SPECIFIC_SCHEMA = r.ROUTINE_SCHEMA ' +
    "AND p.SPECIFIC_NAME = r.SPECIFIC_NAME AND p.ROUTINE_TYPE = 'FUNCTION') AS parameters " +
    "FROM information_schema.ROUTINES r WHERE ROUTINE_TYPE = 'FUNCTION' AND ROUTINE_SCHEMA = ? AND ROUTINE_NAME = ?",
  values: [schema, name],
})

/** The sample in the rows, or why there is no usable one. */
export function judgeSample(rows: Rows, otherwise: () => ReadStep): ReadStep {
  const [row] = rows
  if (!row) return otherwise()
  if (numberIn(row, 'cut') === 0) return { type: 'rows', rows }
  const reason = `its samples are cut off after ${textIn(row, 'longest')} bytes: raise performance_schema_max_sql_text_length (takes a restart)`
  return { type: 'refuse', reason }
}

/** Why no sample is stored, and what to do. */
export function whyNoSample(digest: string, rows: Rows): string {
  const [row = {}] = rows
  if (numberIn(row, 'known') === 0) return `its performance schema knows no digest ${digest}`
  const off = textIn(row, 'off')
  if (off === '') return `its performance schema keeps no sample of ${digest} any more: wait until it runs again`
  return (
    `its performance schema keeps no sample of ${digest}: UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' ` +
    `WHERE NAME IN (${off
      .split(', ')
      .map((name) => `'${name}'`)
      .join(', ')}), then wait until it runs again`
  )
}

/** Columns of a plan, whatever the server calls them. */
export const lowerCase = (rows: Rows): Rows =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column.toLowerCase(), value])))
