// One session of a return: statements one after the other, and the first failure with what was being done.
import type { Result } from '../../../base/result.js'
import { DAY } from '../../../base/time.js'
import { openSession } from '../../../connect/sql/mysql2-session.js'
import type { Row, SqlSession } from '../../../connect/sql/session.js'
import type { WorkServer } from './work.js'

/** Nothing is written by it to the binary log of its server. */
export async function openUnlogged({ target }: WorkServer): Promise<Result<SqlSession>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const set = await opened.value.run('SET SESSION sql_log_bin = 0, SESSION wait_timeout = 86400', [], ANSWER_MS)
  if (set.ok) return opened
  opened.value.close()
  return set
}

const ANSWER_MS = 30_000

/** Runs statements in order: the first that fails ends it. A statement may take as long as its data are large. */
export async function runAll(session: SqlSession, statements: readonly string[]): Promise<Result<readonly Row[]>> {
  let rows: Result<readonly Row[]> = { ok: true, value: [] }
  for (const sql of statements) {
    const answer = await session.run(sql, [], DAY)
    if (!answer.ok) return answer
    rows = { ok: true, value: answer.value.at(-1) ?? [] }
  }
  return rows
}

/** Rows of one question. */
export async function rowsOf(
  session: SqlSession,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Result<readonly Row[]>> {
  const answer = await session.run(sql, values, DAY)
  return answer.ok ? { ok: true, value: answer.value.at(-1) ?? [] } : answer
}

/** A name of a schema or table as an identifier. */
export const named = (name: string): string => `\`${name.replaceAll('`', '``')}\``
