// Whether a server was ever part of this cluster: what was not is never closed, whatever stands in a list of servers.
import type { Memory } from '../../../model/memory.js'
import { isEmpty, subtract } from '../../../model/server/gtid.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import type { Situation } from '../situation.js'
import { executedByOrigin, isOrigin } from './holdings.js'

/** It follows a member, a record of the manager names it, or it shares transactions with the primary. */
export function wasMember(
  { snapshot, memory }: Pick<Situation, 'snapshot' | 'memory'>,
  server: ServerSnapshot,
): boolean {
  if (server.sourceId !== undefined || isRecorded(memory, server)) return true
  const primary = findServer(snapshot, snapshot.primary)
  // A primary that was never seen says nothing of its history: then that of the others counts.
  const known = primary?.state ? [primary] : snapshot.servers.filter(({ id }) => id !== server.id)
  return known.some((other) => sharesHistory(server, other))
}

const isRecorded = ({ primary, crashes, history }: Memory, { id }: ServerSnapshot): boolean =>
  primary === id ||
  [...crashes, ...history].some(({ oldPrimary, newPrimary }) => oldPrimary === id || newPrimary === id)

/**
 * Transactions have the same name only where they are the same. MariaDB names the origin by its number: what both servers call
 * their own has the same name by accident, since two members never have one number.
 */
function sharesHistory(server: ServerSnapshot, other: ServerSnapshot): boolean {
  const held = [executedByOrigin(server), executedByOrigin(other)] as const
  return Object.keys(held[0]).some((stream) => {
    const [mine, theirs] = held.map((set) => ({ [stream]: set[stream] ?? [] }))
    const isAccident = [server, other].every(({ state }) => state !== undefined && isOrigin(stream, state))
    return !isAccident && mine !== undefined && theirs !== undefined && !isEmpty(subtract(mine, subtract(mine, theirs)))
  })
}
