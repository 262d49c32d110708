// Locks and a first transaction: statements that both flavours share.
import type { Statement } from '../../statement/statement.js'

export const plain = (sql: string): Statement => ({ sql, values: [] })

/** Lock wait timeout of this session (error 1205); at least a second. */
export const boundLockWaits = (seconds: number): Statement => ({
  sql: 'SET SESSION lock_wait_timeout = ?',
  values: [Math.max(1, Math.round(seconds))],
})

export const unlock = (): readonly Statement[] => [plain('UNLOCK TABLES')]

/**
 * A flush of one small system table is written to the binary log and changes no data.
 * https://mariadb.com/kb/en/flush/ https://dev.mysql.com/doc/refman/8.4/en/flush.html
 */
export const markPrimary = (): readonly Statement[] => [plain('FLUSH TABLES mysql.time_zone_leap_second')]
