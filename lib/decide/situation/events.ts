// Events of the event scheduler that write on a read-only server: MariaDB's read_only does not stop those of privileged definers.
import { grantStatements, holds, schedulerPrivilege } from '../../dialect/index.js'
import type { Command } from '../../model/operation/command.js'
import { ownEvents, refusedEvents } from '../../model/server/events.js'
import type { KnownEvent } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable, isWritable } from './channel.js'
import type { Situation } from './situation.js'

/** Only read-only MariaDB lets events of some definers write. */
const isConcerned = ({ state }: ServerSnapshot): boolean => state?.identity.flavour === 'mariadb'

/** Its scheduler is on, and what it runs may write through read-only. MySQL has super_read_only against that. */
export const runsEvents = (server: ServerSnapshot): boolean =>
  isConcerned(server) && server.state?.eventScheduler === true

/** By the latest slow probe: events that its scheduler runs, and that write on it whether it is read-only or not. */
export const privilegedEvents = (server: ServerSnapshot): readonly KnownEvent[] =>
  runsEvents(server) ? enabledPrivileged(server) : []

/** The same, also where its scheduler is off: they wait for it. */
const enabledPrivileged = ({ slow }: ServerSnapshot): readonly KnownEvent[] =>
  (slow?.events ?? []).filter(({ privileged }) => privileged)

/** Where they are read although the scheduler of this server may be off: its next start may switch that on. */
export const asksEvents = ({ snapshot, memory }: Pick<Situation, 'snapshot' | 'memory'>, server: ServerSnapshot) =>
  isConcerned(server) && (snapshot.servers.some(runsEvents) || gaveRoleUp({ snapshot, memory }, server))

/** A replica has events that are no copies of those of its source: they write as soon as its scheduler runs. */
export function waitingEvents({ snapshot }: Situation, server: ServerSnapshot): string | undefined {
  const { id, sourceId, maintenance } = server
  if (id === snapshot.primary || sourceId === undefined || maintenance) return undefined
  if (!isConcerned(server) || !isReachable(server) || isWritable(server)) return undefined
  const events = enabledPrivileged(server)
  return events.length === 0 ? undefined : ownEvents(server.name, events, runsEvents(server))
}

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

/** Why a switchover that was planned with these commands may not begin: its scheduler was seen to run only after that. */
export function unplannedEvents(server: ServerSnapshot, commands: readonly Command[]): string | undefined {
  const isPlanned = commands.some((command) => command.type === 'set-events' && command.server === server.id)
  return runsEvents(server) && !isPlanned
    ? `the event scheduler of ${server.name} was switched on meanwhile, and its events may write on a read-only server, too; ask again`
    : undefined
}

/** It was the primary once: the events that are enabled on it are those of the cluster. */
export const gaveRoleUp = (
  { memory, snapshot }: Pick<Situation, 'snapshot' | 'memory'>,
  { id }: ServerSnapshot,
): boolean => id !== snapshot.primary && memory.history.some(({ oldPrimary }) => oldPrimary === id)
