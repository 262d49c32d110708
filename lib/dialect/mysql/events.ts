// MySQL's list of events: of the schemas on which the account has EVENT. super_read_only stops those of any definer.
import { dormantStates, MOST_EVENTS } from '../shared/control/events.js'
import type { Statement } from '../statement/statement.js'

const listed = (states: readonly string[]): Statement => ({
  sql:
    'SELECT EVENT_SCHEMA AS `schema`, EVENT_NAME AS name, DEFINER AS definer FROM information_schema.EVENTS ' +
    `WHERE STATUS IN (?) ORDER BY EVENT_SCHEMA, EVENT_NAME LIMIT ${MOST_EVENTS + 1}`,
  values: [states],
})

/** Columns schema, name, definer. */
export const enabledEvents = (): Statement => listed(['ENABLED'])

/** The same, of those that are disabled because they came from a source. */
export const dormantEvents = (): Statement => listed(dormantStates)
