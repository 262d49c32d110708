// What of the history a server is missing that may take over, beyond what the primary still gives it.
import { type GtidSet, isEmpty, noTransactions, subtract, union } from '../../../model/server/gtid.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, isReachable } from '../channel.js'
import type { Situation } from '../situation.js'
import { beyond, hasOneWriter, lostByPrimary, lostOwn, unseenOwn } from './history.js'
import { executedByOrigin, heldByOrigin } from './holdings.js'

type Servers = Pick<Situation, 'snapshot' | 'settings'>

export interface OwnElsewhere {
  readonly set: GtidSet
  /** Names of the servers that hold them. */
  readonly holders: readonly string[]
}

/**
 * Transactions that a closed server wrote itself, that it is missing, and that another reachable server holds: opened, it would
 * give their GTIDs to others. It writes none while the servers are read one after the other, so no reading is too old for this.
 */
export function ownElsewhere(server: ServerSnapshot, { snapshot, settings }: Servers): OwnElsewhere | undefined {
  if (!server.state?.readOnly || !hasOneWriter(snapshot.topology)) return undefined
  const found = snapshot.servers
    .filter((other) => other.id !== server.id && isReachable(other))
    .map((other) => ({ other, set: lostOwn(certainlyBeyond(server, other, settings), server) }))
    .filter(({ set }) => !isEmpty(set))
  if (found.length === 0) return undefined
  return {
    set: found.reduce((all, { set }) => union(all, set), noTransactions),
    holders: found.map(({ other }) => other.name),
  }
}

/**
 * Whether others hold transactions that it wrote itself and does not name. Those that came before its position it may have from a
 * copy, or its receiver passed over them: nothing shows which.
 */
export const mayMissOwn = (server: ServerSnapshot, { snapshot, settings }: Servers): boolean =>
  server.state?.readOnly === true &&
  hasOneWriter(snapshot.topology) &&
  snapshot.servers.some(
    (other) =>
      other.id !== server.id &&
      isReachable(other) &&
      !isEmpty(unseenOwn(certainlyBeyond(server, other, settings), server)),
  )

/**
 * What waits in the relay log of a server that receives was read later than the server it came from, and positions of MariaDB
 * do not name who wrote it: it counts where nothing is received.
 */
function certainlyBeyond(server: ServerSnapshot, other: ServerSnapshot, settings: Servers['settings']): GtidSet {
  return channelOf(other, settings)?.io === 'running'
    ? subtract(executedByOrigin(other), executedByOrigin(server))
    : beyond(server, other, settings)
}

/** What the primary was seen without, and the server does not hold either: it gets from the primary whatever that has. */
export const lostWithPrimary = (server: ServerSnapshot, primary: ServerSnapshot, situation: Situation): GtidSet =>
  subtract(lostByPrimary(situation, primary), heldByOrigin(server, situation.settings))
