// MariaDB's table of events: unlike information_schema.EVENTS it refuses an account that may not see all of them.
import { dormantStates, MOST_EVENTS } from '../shared/control/events.js'
import type { Statement } from '../statement/statement.js'
import { heldNames } from './writers.js'

const columns = 'e.db AS `schema`, e.name AS name, e.definer AS definer'
const ordered = `ORDER BY e.db, e.name LIMIT ${MOST_EVENTS + 1}`
const user = "LEFT(e.definer, CHAR_LENGTH(e.definer) - CHAR_LENGTH(SUBSTRING_INDEX(e.definer, '@', -1)) - 1)"

/** Columns schema, name, definer, privileged: whether the privileges of its definer, or of a role, write through read_only. */
export const enabledEvents = (): Statement => ({
  sql:
    `WITH RECURSIVE ${heldNames} SELECT ${columns}, ` +
    `EXISTS (SELECT 1 FROM held h WHERE h.name IN (${user}, 'PUBLIC')) AS privileged ` +
    `FROM mysql.event e WHERE e.status = 'ENABLED' ${ordered}`,
  values: [],
})

/** Events that are disabled because they came from a source: columns schema, name, definer. */
export const dormantEvents = (): Statement => ({
  sql: `SELECT ${columns} FROM mysql.event e WHERE e.status IN (?) ${ordered}`,
  values: [dormantStates],
})
