// What is reported of events that write on a read-only server. Plain text.
import type { KnownEvent } from './reading.js'

/** Most events that are named. */
const MOST_NAMED = 5

/** `db1: its event scheduler runs app.tick of root@localhost, …` and what to run there. */
export const refusedEvents = (server: string, events: readonly KnownEvent[], grants: readonly string[]): string =>
  `${server}: its event scheduler runs ${listed(events)}, which write on a read-only server, too. To let the manager stop it, run there: ${grants.join(' ')}`

/** `db1: app.tick of root@localhost. Its event scheduler is off …` */
export const ownEvents = (server: string, events: readonly KnownEvent[], runs: boolean): string =>
  `${server}: ${listed(events)}. Its event scheduler ${
    runs ? 'is on, and runs them' : 'is off; a start of the server with event_scheduler=ON runs them'
  }.`

function listed(events: readonly KnownEvent[]): string {
  const named = events.slice(0, MOST_NAMED).map(({ schema, name, definer }) => `${schema}.${name} of ${definer}`)
  const more = events.length > MOST_NAMED ? ` and ${events.length - MOST_NAMED} more` : ''
  return `${named.join(', ')}${more}`
}
