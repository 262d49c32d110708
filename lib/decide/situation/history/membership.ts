// Whether a server was ever part of this cluster: what was not is never closed, whatever stands in a list of servers.
import type { Memory } from '../../../model/memory.js'
import { isEmpty, subtract } from '../../../model/server/gtid.js'
import { type BareSnapshot, findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import type { Situation } from '../situation.js'
import { executedByOrigin, isOrigin } from './holdings.js'

type Members = Pick<BareSnapshot, 'servers' | 'primary'>

/** It shows that it is a member, or is empty where a member with its number was: nothing in it can be of another cluster. */
export function wasMember(
  { snapshot, memory }: Pick<Situation, 'snapshot' | 'memory'>,
  server: ServerSnapshot,
): boolean {
  if (showsMembership(snapshot, memory, server)) return true
  const number = server.state?.serverNumber
  return number !== undefined && memory.members?.[server.id] === number && isEmpty(server.state?.gtid.executed ?? {})
}

/** The number of each listed server that showed that it is a member, kept while it shows nothing. */
export function rememberMembers(memory: Memory, shape: Members): Pick<Memory, 'members'> {
  const { members = {} } = memory
  const news = Object.fromEntries(
    shape.servers.flatMap((server): [string, number][] => {
      const shown = showsMembership(shape, memory, server) ? server.state?.serverNumber : undefined
      const number = shown ?? members[server.id]
      return number === undefined ? [] : [[server.id, number]]
    }),
  )
  const ids = Object.keys(news)
  const isSame = ids.length === Object.keys(members).length && ids.every((id) => news[id] === members[id])
  return isSame ? {} : { members: news }
}

/** It follows a member, a record of the manager names it, or it shares transactions with the primary. */
function showsMembership({ servers, primary: id }: Members, memory: Memory, server: ServerSnapshot): boolean {
  if (server.sourceId !== undefined || isRecorded(memory, server)) return true
  const primary = findServer({ servers }, id)
  // A primary that was never seen says nothing of its history: then that of the others counts.
  const known = primary?.state ? [primary] : servers.filter((other) => other.id !== server.id)
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
