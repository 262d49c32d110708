// How large a copy of a server will be, by its own count.
import { ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import { sizeOfData } from '../../dialect/shared/backup/backups.js'

/** A server with very many tables is not asked for longer. */
const READ_MS = 30 * SECOND

/** Bytes of tables and indexes; indexes are no part of a logical copy, so that it is an upper bound of one. */
export async function estimateSize(target: SqlTarget): Promise<Result<number>> {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const read = await opened.value.run(sizeOfData.sql, sizeOfData.values, READ_MS)
  opened.value.close()
  return read.ok ? ok(Number(read.value[0]?.[0]?.bytes ?? 0)) : read
}
