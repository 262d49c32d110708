// Events of the event scheduler that write on a read-only server: MariaDB's read_only does not stop those of privileged definers.
import { grantStatements, holds, schedulerPrivilege } from '../../dialect/index.js'
import type { Command } from '../../model/operation/command.js'
import { refusedEvents } from '../../model/server/events.js'
import type { KnownEvent } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import type { Situation } from './situation.js'

/** Its scheduler is on, and what it runs may write through read-only. MySQL has super_read_only against that. */
export const runsEvents = ({ state }: ServerSnapshot): boolean =>
  state?.eventScheduler === true && state.identity.flavour === 'mariadb'

/** By the latest slow probe: enabled events that write on it whether it is read-only or not. */
export const privilegedEvents = (server: ServerSnapshot): readonly KnownEvent[] =>
  runsEvents(server) ? (server.slow?.events ?? []).filter(({ privileged }) => privileged) : []

/** Why such events cannot be stopped, as far as it is known before it is tried: with the statement to run. */
export function refuseEvents(server: ServerSnapshot): string | undefined {
  const events = privilegedEvents(server)
  const own = server.slow?.grants?.own
  if (events.length === 0 || !own || !server.state) return undefined
  if (holds(own, schedulerPrivilege, server.state.identity.version)) return undefined
  return refusedEvents(server.name, events, grantStatements([schedulerPrivilege], own.account))
}

/**
 * Ends them on a server that gives the role up, or has given it up. No best effort: where they go on, the server has errant
 * transactions from the first second on, and cannot follow.
 */
export const stopEvents = (server: ServerSnapshot): readonly Command[] =>
  runsEvents(server) ? [{ type: 'set-events', server: server.id, on: false }] : []

/** It was the primary once: the events that are enabled on it are those of the cluster. */
export const gaveRoleUp = ({ memory, snapshot }: Situation, { id }: ServerSnapshot): boolean =>
  id !== snapshot.primary && memory.history.some(({ oldPrimary }) => oldPrimary === id)
