// Who took over from the believed primary by other means than the manager: what the servers show outweighs what is remembered.
import { SECOND } from '../../../base/time.js'
import type { Memory } from '../../../model/memory.js'
import type { Crash } from '../../../model/operation/crash.js'
import { isEmpty, pick, subtract } from '../../../model/server/gtid.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, isReachable, isWritable } from '../channel.js'
import { aheadOf, executedByOrigin, isOrigin } from '../history/holdings.js'
import type { DecideSettings } from '../situation.js'
import { followersOf, reachableFollowersOf } from './sources.js'

export interface SuccessorInput {
  /** With their sources resolved. */
  readonly servers: readonly ServerSnapshot[]
  readonly memory: Memory
  readonly settings: DecideSettings
}

/**
 * The one server that took over while no server follows the believed primary: it has no source and a reachable server
 * replicates from it. A writable one needs no more where the believed primary is closed. Where that is writable as well, it
 * gives way only if it was away, and not to a server that is merely behind it. A closed successor must hold everything.
 */
export function findSuccessor(believed: ServerSnapshot, input: SuccessorInput): ServerSnapshot | undefined {
  const { servers, settings, memory } = input
  if (settings['replication-active-passive'] || reachableFollowersOf(servers, believed.id).length > 0) return undefined
  const [successor, ...more] = servers.filter(
    (server) => server.id !== believed.id && leads(server, input) && !isReplaced(server, memory),
  )
  if (!successor || more.length > 0) return undefined
  const holds = (one: ServerSnapshot, other: ServerSnapshot) => isEmpty(aheadOf(other, one, { settings, memory }))
  if (!isWritable(successor)) return !isWritable(believed) && holds(successor, believed) ? successor : undefined
  if (!isWritable(believed)) return successor
  const isBehind = holds(believed, successor) && !holds(successor, believed)
  return wasAway(believed, memory) && !isBehind ? successor : undefined
}

/** It has no source, and a reachable server receives from it. */
export const leads = (
  server: ServerSnapshot,
  { servers, settings }: Pick<SuccessorInput, 'servers' | 'settings'>,
): boolean =>
  isReachable(server) &&
  !server.maintenance &&
  server.sourceId === undefined &&
  followersOf(servers, server.id).some((one) => isReachable(one) && channelOf(one, settings)?.io === 'running')

/** A failover or switchover took the role from it, and it has nothing that its successor wrote since. */
export const isReplaced = (server: ServerSnapshot, memory: Pick<Memory, 'crashes' | 'identities'>): boolean =>
  memory.crashes.some((crash) => crash.oldPrimary === server.id && !isReinstated(server, crash, memory))

/** What its successor wrote is on it: it followed that one, or was filled from it, and has the role again. */
function isReinstated(server: ServerSnapshot, crash: Crash, { identities }: Pick<Memory, 'identities'>): boolean {
  const successor = identities?.[crash.newPrimary]
  const { state } = server
  if (!successor || !state) return false
  const own = pick(executedByOrigin(server), (stream) => isOrigin(stream, { ...state, ...successor }))
  return !isEmpty(subtract(own, crash.byOrigin))
}

/** A primary that restarted so short a time ago may have been replaced meanwhile. */
const RETURNED_MS = 30 * SECOND

/** It was not watched all the time: the manager has just started, or the server has. */
const wasAway = ({ restartedAt, stateAt = 0 }: ServerSnapshot, { discovered }: Memory): boolean =>
  !discovered || (restartedAt !== undefined && stateAt - restartedAt < RETURNED_MS)
