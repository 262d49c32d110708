// Read-only state, locks and the event scheduler: what both flavours spell alike.
import type { Statement } from './dialect.js'

export const plain = (sql: string): Statement => ({ sql, values: [] })

/** Waiting for locks in this session ends after so long, with error 1205; at least a second. */
export const boundLockWaits = (seconds: number): Statement => ({
  sql: 'SET SESSION lock_wait_timeout = ?',
  values: [Math.max(1, Math.round(seconds))],
})

export const setEventScheduler = (on: boolean): readonly Statement[] => [
  plain(`SET GLOBAL event_scheduler = ${on ? 'ON' : 'OFF'}`),
]

export const unlock = (): readonly Statement[] => [plain('UNLOCK TABLES')]

/**
 * A flush of one small system table is written to the binary log and changes nothing anywhere.
 * https://mariadb.com/kb/en/flush/ https://dev.mysql.com/doc/refman/8.4/en/flush.html
 */
export const markPrimary = (): readonly Statement[] => [plain('FLUSH TABLES mysql.time_zone_leap_second')]
