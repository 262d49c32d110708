// Receivers that a fatal error stopped. A database connects again after a lost connection, never after such an error; its cause may
// have passed.
import { MINUTE } from '../../base/time.js'
import { findServer } from '../../model/snapshot.js'
import { channelOf, isHalted, isReachable, isSentToItself } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'
import { cannotReplicate } from '../situation/stopping-defaults.js'
import { isBelow } from '../situation/topology/sources.js'
import type { Repair } from './enforce.js'

/** Once a minute, below a primary that answers, and not while a default of sessions of its source would stop it again. */
export function startHalted({ snapshot, settings }: Situation): Repair | undefined {
  const primary = findServer(snapshot, snapshot.primary)
  if (!primary || !isReachable(primary)) return undefined
  const server = snapshot.servers.find((one) => {
    const channel = channelOf(one, settings)
    const source = findServer(snapshot, one.sourceId)
    if (!channel || !source || one.maintenance || !isReachable(one) || !isReachable(source)) return false
    if (!isHalted(channel) || isSentToItself(channel)) return false
    return isBelow(snapshot.servers, one.id, primary.id) && cannotReplicate(source, 'source') === undefined
  })
  return (
    server && {
      reason: `a fatal error stopped the receiver of ${server.name}, which the server does not start again`,
      commands: [{ type: 'start-replication', server: server.id }],
      restMs: MINUTE,
    }
  )
}
