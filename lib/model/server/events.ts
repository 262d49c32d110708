// What is reported of events that write on a read-only server and cannot be stopped. Plain text.
import type { KnownEvent } from './reading.js'

/** Most events that are named. */
const MOST_NAMED = 5

/** `db1: its event scheduler runs app.tick of root@localhost, …` and what to run there. */
export function refusedEvents(server: string, events: readonly KnownEvent[], grants: readonly string[]): string {
  const named = events.slice(0, MOST_NAMED).map(({ schema, name, definer }) => `${schema}.${name} of ${definer}`)
  const more = events.length > MOST_NAMED ? ` and ${events.length - MOST_NAMED} more` : ''
  return `${server}: its event scheduler runs ${named.join(', ')}${more}, which write on a read-only server, too. To let the manager stop it, run there: ${grants.join(' ')}`
}
