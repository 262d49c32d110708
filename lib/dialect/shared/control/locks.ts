// Read-only state, locks and the event scheduler: statements that both flavours share.
import { quoteIdentifier } from '../../statement/quote.js'
import type { EventName, Statement } from '../../statement/statement.js'

export const plain = (sql: string): Statement => ({ sql, values: [] })

/** Lock wait timeout of this session (error 1205); at least a second. */
export const boundLockWaits = (seconds: number): Statement => ({
  sql: 'SET SESSION lock_wait_timeout = ?',
  values: [Math.max(1, Math.round(seconds))],
})

export const setEventScheduler = (on: boolean): readonly Statement[] => [
  plain(`SET GLOBAL event_scheduler = ${on ? 'ON' : 'OFF'}`),
]

/** Events that were disabled because they came from a source: columns schema, name, definer. */
export const dormantEvents = (): Statement => ({
  sql:
    'SELECT EVENT_SCHEMA AS `schema`, EVENT_NAME AS name, DEFINER AS definer FROM information_schema.EVENTS ' +
    'WHERE STATUS IN (?) ORDER BY EVENT_SCHEMA, EVENT_NAME',
  values: [['SLAVESIDE_DISABLED', 'REPLICA_SIDE_DISABLED']],
})

/** With its definer: otherwise the altering account becomes the definer. */
export function enableEvent({ schema, name, definer }: EventName): Statement {
  const at = definer.lastIndexOf('@')
  return {
    sql: `ALTER DEFINER = ?@? EVENT ${quoteIdentifier(schema)}.${quoteIdentifier(name)} ENABLE`,
    values: [definer.slice(0, at), definer.slice(at + 1)],
  }
}

export const unlock = (): readonly Statement[] => [plain('UNLOCK TABLES')]

/**
 * A flush of one small system table is written to the binary log and changes no data.
 * https://mariadb.com/kb/en/flush/ https://dev.mysql.com/doc/refman/8.4/en/flush.html
 */
export const markPrimary = (): readonly Statement[] => [plain('FLUSH TABLES mysql.time_zone_leap_second')]
