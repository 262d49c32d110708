// How large the data of a server are, as the database estimates it.
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../connect/sql/session.js'

const ANSWER_MS = 20 * SECOND

/** Bytes of tables and indexes of all schemas. */
export async function readDataSize(target: SqlTarget): Promise<Result<number>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const sql = 'SELECT SUM(DATA_LENGTH + INDEX_LENGTH) AS bytes FROM information_schema.TABLES'
  const asked = await opened.value.run(sql, [], ANSWER_MS)
  opened.value.close()
  return asked.ok ? ok(Number(asked.value[0]?.[0]?.bytes ?? 0)) : asked
}
