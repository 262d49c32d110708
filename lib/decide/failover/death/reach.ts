// Who may go on with a primary that is silent: replicas out of reach as well, and receivers that are no members.
import { SECOND } from '../../../base/time.js'
import { acknowledgementsIn } from '../../../dialect/index.js'
import type { ServerId } from '../../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../../situation/channel.js'
import type { Situation } from '../../situation/situation.js'
import { isGone } from '../../situation/state-name.js'
import { wasInSync } from '../election/eligibility.js'

export interface Reach {
  /** Replicas that answered since the failure began: they can be stopped, so none of them acknowledges any more. */
  readonly asked: readonly ServerId[]
  /** Members that became unreachable with the primary, or were never probed: they may be in contact with it. */
  readonly apart: readonly ServerSnapshot[]
  /** Most receivers that may acknowledge out of reach: those of `apart` that can, and those that only the primary counted. */
  readonly possible: number
  /** Acknowledgements that one commit needs. */
  readonly needed: number
}

/** Longest age of the number of receivers that a probe of the primary reads. */
export const COUNT_MS = SECOND

/**
 * None counts in favour unless it was asked. One that was down before, and that the primary's own last status showed as not
 * connected, does not count against. A server that refuses connections has no process that could acknowledge.
 */
export function judgeReach({ snapshot }: Pick<Situation, 'snapshot'>): Reach {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary) return { asked: [], apart: [], possible: 0, needed: 1 }
  const members = snapshot.servers.filter(({ id }) => id !== primary.id)
  const asked = members.filter((server) => isReachable(server) && !isOutdated(server, primary))
  const followers = asked.filter(({ sourceId }) => sourceId === primary.id)
  const apart = members.filter((server) => !asked.includes(server) && mayBeWith(server, primary, followers.length))
  const gone = members.filter((server) => isGone(server) && wasThere(server, primary))
  const counted = primary.state?.semiSync.sourceActive ? primary.state.semiSync.clients : 0
  const accounted = [...followers, ...gone, ...apart].filter((server) => wasInSync(server, primary)).length
  return {
    asked: followers.map(({ id }) => id),
    apart,
    possible: apart.filter(mayAcknowledge).length + Math.max(0, counted - accounted),
    needed: acknowledgementsIn(primary.slow?.variables),
  }
}

const isOutdated = ({ stateAt = 0 }: ServerSnapshot, { failingSince }: ServerSnapshot): boolean =>
  failingSince !== undefined && stateAt < failingSince

/** It was reachable when the primary last showed how many receivers it has; one that was never probed counts as such. */
const wasThere = ({ failingSince }: ServerSnapshot, { stateAt = 0 }: ServerSnapshot): boolean =>
  (failingSince ?? Number.POSITIVE_INFINITY) >= stateAt - COUNT_MS

/** It follows the primary by its last word, or has said nothing yet, and nothing shows that it lost its connection. */
function mayBeWith(server: ServerSnapshot, primary: ServerSnapshot, connected: number): boolean {
  if (isGone(server) || (server.state !== undefined && server.sourceId !== primary.id)) return false
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
