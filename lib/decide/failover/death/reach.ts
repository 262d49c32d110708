// Who may go on with a primary that is silent: replicas out of reach as well, and receivers that are no members.
import { SECOND } from '../../../base/time.js'
import { acknowledgementsIn } from '../../../dialect/index.js'
import type { ServerId } from '../../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../../situation/channel.js'
import type { Situation } from '../../situation/situation.js'
import { isGone } from '../../situation/state-name.js'
import { startsStopped } from '../../situation/stopped-start.js'
import { wasInSync } from '../election/eligibility.js'

export interface Reach {
  /** Replicas that answered since the failure began: they can be stopped, so none of them acknowledges any more. */
  readonly asked: readonly ServerId[]
  /** Members out of reach that may be in contact with it, or may come to be. */
  readonly apart: readonly ServerSnapshot[]
  /** Most receivers that may acknowledge out of reach: those of `apart` that can, and those that only the primary counted. */
  readonly possible: number
  /** Acknowledgements that one commit needs. */
  readonly needed: number
}

/** Longest age of the number of receivers that a probe of the primary reads. */
export const COUNT_MS = SECOND

/**
 * None counts in favour unless it was asked. `later`: also what starts, or is connected, after the last reading counts, since the
 * promise is about every commit that is still to come.
 */
export function judgeReach(situation: Pick<Situation, 'snapshot' | 'memory'>, { later }: { later: boolean }): Reach {
  const { snapshot } = situation
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary) return { asked: [], apart: [], possible: 0, needed: 1 }
  const members = snapshot.servers.filter(({ id }) => id !== primary.id)
  const asked = members.filter((server) => isReachable(server) && !isOutdated(server, primary))
  const followers = asked.filter(({ sourceId }) => sourceId === primary.id)
  const counts = (server: ServerSnapshot) =>
    later ? mayComeToBeWith(server, primary, situation) : mayBeWith(server, primary, followers.length)
  const apart = members.filter((server) => !asked.includes(server) && counts(server))
  const gone = members.filter((server) => isGone(server) && wasThere(server, primary))
  const counted = primary.state?.semiSync.sourceActive ? primary.state.semiSync.clients : 0
  const accounted = new Set([...followers, ...gone, ...apart].filter((server) => wasInSync(server, primary)))
  return {
    asked: followers.map(({ id }) => id),
    apart,
    possible:
      apart.filter(later ? mayComeToAcknowledge : mayAcknowledge).length + Math.max(0, counted - accounted.size),
    needed: acknowledgementsIn(primary.slow?.variables),
  }
}

const isOutdated = ({ stateAt = 0 }: ServerSnapshot, { failingSince }: ServerSnapshot): boolean =>
  failingSince !== undefined && stateAt < failingSince

/** It was reachable when the primary last showed how many receivers it has; one that was never probed counts as such. */
const wasThere = ({ failingSince }: ServerSnapshot, { stateAt = 0 }: ServerSnapshot): boolean =>
  (failingSince ?? Number.POSITIVE_INFINITY) >= stateAt - COUNT_MS

/** It has said nothing yet, or follows the primary by its last word. */
const mayFollow = ({ state, sourceId }: ServerSnapshot, { id }: ServerSnapshot): boolean =>
  state === undefined || sourceId === id

/**
 * Whatever it was when it was last read: a process that has ended may start, and one that was cut off may be connected, on the
 * side of the primary. Not one whose process was seen to end, and that starts with replication stopped.
 */
const mayComeToBeWith = (server: ServerSnapshot, primary: ServerSnapshot, { memory }: Pick<Situation, 'memory'>) =>
  mayFollow(server, primary) && !(server.ended && startsStopped(memory, server))

/** It follows the primary, and nothing shows that it lost its connection. A server that refuses connections has no process. */
function mayBeWith(server: ServerSnapshot, primary: ServerSnapshot, connected: number): boolean {
  if (isGone(server) || !mayFollow(server, primary)) return false
  return wasThere(server, primary) || !wasDisconnected(server, primary, connected)
}

/**
 * After it was down the primary counted no more receivers than those that answer: semi-synchronous ones every second, all by a
 * slow probe. A count of none is one that could not be read.
 */
function wasDisconnected(server: ServerSnapshot, primary: ServerSnapshot, connected: number): boolean {
  const { semiSync } = primary.state ?? {}
  if (semiSync?.sourceActive && server.state?.semiSync.replicaEnabled) return semiSync.clients <= connected
  const { at = 0, dumpThreads = 0 } = primary.slow ?? {}
  return at > (server.failingSince ?? Number.POSITIVE_INFINITY) && dumpThreads > 0 && dumpThreads <= connected
}

const mayAcknowledge = ({ state }: ServerSnapshot): boolean => state === undefined || state.semiSync.replicaEnabled

/** What a statement switched off is on again at the next start, by the option file. */
const mayComeToAcknowledge = ({ state }: ServerSnapshot): boolean => state?.semiSync.waitPoint !== 'none'
