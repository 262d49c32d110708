// The event scheduler and the events that it runs: statements that both flavours share.
import type { HeldPrivileges, KnownEvent } from '../../../model/server/reading.js'
import type { ServerIdentity } from '../../../model/server/server.js'
import { quoteIdentifier } from '../../statement/quote.js'
import { flagIn, textIn } from '../../statement/rows.js'
import type { Rows, Statement } from '../../statement/statement.js'
import { sees } from '../access/visibility.js'
import { plain } from './locks.js'

/** Only SUPER allows it on MariaDB, SYSTEM_VARIABLES_ADMIN on MySQL. */
export const setEventScheduler = (on: boolean): readonly Statement[] => [
  plain(`SET GLOBAL event_scheduler = ${on ? 'ON' : 'OFF'}`),
]

/** States of an event that is disabled because it came from a source, by their old and new name. */
export const dormantStates = ['SLAVESIDE_DISABLED', 'REPLICA_SIDE_DISABLED']

/** With its definer: otherwise the altering account becomes the definer. */
export function enableEvent({ schema, name, definer }: KnownEvent): Statement {
  const at = definer.lastIndexOf('@')
  return {
    sql: `ALTER DEFINER = ?@? EVENT ${quoteIdentifier(schema)}.${quoteIdentifier(name)} ENABLE`,
    values: [definer.slice(0, at), definer.slice(at + 1)],
  }
}

/** A server with more of them is not judged by them. */
export const MOST_EVENTS = 1_000

/**
 * MySQL lists the events of schemas on which the account has EVENT, and no others: without it for all schemas an answer is
 * not the whole list. MariaDB's table refuses the statement instead.
 */
export const seesEveryEvent = ({ flavour }: ServerIdentity, held: HeldPrivileges): boolean =>
  flavour === 'mariadb' || sees('events', held)

export const parseEvents = (rows: Rows): readonly KnownEvent[] =>
  rows.map((row) => ({
    schema: textIn(row, 'schema'),
    name: textIn(row, 'name'),
    definer: textIn(row, 'definer'),
    ...(flagIn(row, 'privileged') ? { privileged: true as const } : {}),
  }))
