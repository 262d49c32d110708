// A sample of tables with their checksums, at a known place of a server's history: what a restored copy is compared with.
import { fail, ok, type Result } from '../../base/result.js'
import { MINUTE, SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { Row, SqlSession, SqlTarget } from '../../connect/sql/session.js'
import { ensureWholeList } from '../../connect/sql/whole-list.js'
import { quoteIdentifier } from '../../dialect/statement/quote.js'

export interface SampledTable {
  readonly schema: string
  readonly table: string
  readonly checksum: string
  readonly rows: number
}

export interface Sample {
  /** The position at which the tables were read; MariaDB. */
  readonly gtid: string
  readonly tables: readonly SampledTable[]
}

const MOST_TABLES = 20
/** Larger tables are not read: the source serves clients. */
const MOST_BYTES = 256 * 1_048_576
const LIST_MS = 30 * SECOND
const TABLE_MS = 10 * MINUTE

/**
 * Reads tables of a MariaDB server within one consistent snapshot, of which the server names the transaction. `wrong-state` where
 * the account may not see all tables, or that cannot be known: MySQL does not name it without locking, and without a binary log there is none.
 */
export async function takeSample(target: SqlTarget): Promise<Result<Sample>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const session = opened.value
  try {
    const begun = await ask(session, 'START TRANSACTION WITH CONSISTENT SNAPSHOT')
    if (!begun.ok) return begun
    const status = await ask(session, `SHOW STATUS LIKE 'binlog_snapshot_%'`)
    if (!status.ok) return status
    const values = new Map(status.value.map((row) => [String(row.Variable_name).toLowerCase(), String(row.Value)]))
    const file = values.get('binlog_snapshot_file') ?? ''
    if (file === '') return fail('wrong-state', 'the server does not name the transaction of a snapshot')
    const named = await ask(session, `SELECT BINLOG_GTID_POS(?, ?) AS gtid`, [
      file,
      Number(values.get('binlog_snapshot_position')),
    ])
    if (!named.ok) return named
    const whole = await ensureWholeList(session, 'tables')
    const listed = whole.ok ? await listTables(session) : whole
    const tables = listed.ok ? await readTables(session, listed.value) : listed
    return tables.ok ? ok({ gtid: String(named.value[0]?.gtid ?? ''), tables: tables.value }) : tables
  } finally {
    session.close()
  }
}

/** The same tables of a restored server. */
export async function readSampled(
  target: SqlTarget,
  wanted: readonly Pick<SampledTable, 'schema' | 'table'>[],
): Promise<Result<readonly SampledTable[]>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  try {
    return await readTables(opened.value, wanted)
  } finally {
    opened.value.close()
  }
}

export interface CheckedTable {
  readonly schema: string
  readonly table: string
  /** Empty when it is whole. */
  readonly problem: string
}

/** CHECK TABLE of at most so many tables of users, the largest first. */
export async function checkTables(target: SqlTarget, most = 50): Promise<Result<readonly CheckedTable[]>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  try {
    const listed = await listTables(opened.value, most, Number.MAX_SAFE_INTEGER)
    if (!listed.ok) return listed
    const checked: CheckedTable[] = []
    for (const { schema, table } of listed.value) {
      const read = await ask(opened.value, `CHECK TABLE ${quoteIdentifier(schema)}.${quoteIdentifier(table)}`)
      if (!read.ok) return read
      const bad = read.value.filter(
        (row) => String(row.Msg_type) === 'error' || /corrupt|crashed/i.test(String(row.Msg_text)),
      )
      checked.push({ schema, table, problem: bad.map((row) => String(row.Msg_text)).join('; ') })
    }
    return ok(checked)
  } finally {
    opened.value.close()
  }
}

async function listTables(session: SqlSession, most = MOST_TABLES, bytes = MOST_BYTES) {
  const listed = await ask(
    session,
    `SELECT table_schema AS s, table_name AS t FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND engine = 'InnoDB' AND data_length <= ?
       AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'manager_schema', 'replication_manager_schema')
     ORDER BY data_length DESC, 1, 2 LIMIT ${most}`,
    [bytes],
  )
  return listed.ok ? ok(listed.value.map((row) => ({ schema: String(row.s), table: String(row.t) }))) : listed
}

async function readTables(
  session: SqlSession,
  tables: readonly { readonly schema: string; readonly table: string }[],
): Promise<Result<readonly SampledTable[]>> {
  const read: SampledTable[] = []
  for (const { schema, table } of tables) {
    const name = `${quoteIdentifier(schema)}.${quoteIdentifier(table)}`
    const sum = await ask(session, `CHECKSUM TABLE ${name}`)
    const count = sum.ok ? await ask(session, `SELECT COUNT(*) AS n FROM ${name}`) : sum
    if (!sum.ok || !count.ok) return sum.ok ? (count as Result<never>) : sum
    read.push({ schema, table, checksum: String(sum.value[0]?.Checksum ?? 'none'), rows: Number(count.value[0]?.n) })
  }
  return ok(read)
}

async function ask(session: SqlSession, sql: string, values: readonly unknown[] = []): Promise<Result<readonly Row[]>> {
  const answer = await session.run(sql, values, sql.startsWith('CHE') ? TABLE_MS : LIST_MS)
  return answer.ok ? ok(answer.value[0] ?? []) : answer
}
