// Delay statistics of the replicas, one sample with every tick. Pure.
import { applyDelayOf, channelOf } from '../../../../lib/decide/situation/channel.js'
import { noteDelay } from '../../../../lib/decide/watching/delays.js'
import type { ServerSnapshot } from '../../../../lib/model/snapshot.js'
import { type ClusterState, withServers } from '../../state/state.js'

/** The state with one more sample of each replica that answers; the same object while none is wanted. */
export function withDelays(state: ClusterState, at: number): ClusterState {
  const { settings, snapshot } = state
  if (!settings['delay-stat-capture']) return state
  const keep = settings['delay-stat-rotate']
  const counted = (server: ServerSnapshot): ServerSnapshot => {
    const channel = channelOf(server, settings)
    if (channel === undefined || server.observation !== 'answered') return server
    const failed = channel.ioError.code !== 0 || channel.sqlError.code !== 0
    return {
      ...server,
      delays: noteDelay(server.delays, { at, seconds: applyDelayOf(server, settings), failed }, keep),
    }
  }
  return withServers(state, snapshot.servers.map(counted))
}
