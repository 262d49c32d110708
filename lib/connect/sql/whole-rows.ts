// Before a program of the database reads all rows of a server: its session begins with the server's defaults, and none can set another.
import type { FailureCode } from '../../base/failures.js'
import { done, fail, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { rowsOfSessions } from '../../dialect/shared/backup/backups.js'
import { openSession } from './mysql2-session.js'
import type { SqlTarget } from './session.js'

/** No table has more rows. */
const ALL = 2n ** 53n

/** Refused, as `code`, where a dump would end after some rows of each table, and say that it is complete. */
export async function ensureWholeRows(target: SqlTarget, code: FailureCode): Promise<Result<void>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const read = await opened.value.run(rowsOfSessions.sql, [], 10 * SECOND)
  opened.value.close()
  if (!read.ok) return read
  const most = BigInt(String(read.value[0]?.[0]?.most ?? 0))
  if (most >= ALL) return done
  const address = `${target.host}:${target.port}`
  return fail(
    code,
    `${address}: sql_select_limit is ${most}: a dump would hold ${most} rows of each table and say that it is complete. ` +
      'Run SET GLOBAL sql_select_limit = DEFAULT, and correct the configuration of the server',
  )
}
