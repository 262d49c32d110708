// Which servers are left alone: in maintenance on request, in their turn of rolling work, being filled, being recovered, or
// holding the data of an earlier point.
import type { Memory } from '../../../lib/model/memory.js'
import { maintainedBy } from '../../../lib/model/operation/roll.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import { type ClusterState, withServers } from './state.js'

/** Ids of all of them. */
export const maintainedIn = ({ memory, roll }: Pick<ClusterState, 'memory' | 'roll'>): readonly ServerId[] => [
  ...memory.maintenance,
  ...maintainedBy(roll),
  ...filledIn(memory),
  ...(memory.restoring?.servers ?? []),
  ...Object.keys(memory.newServers ?? {}),
]

/** Servers whose data are being replaced or undone. */
export const filledIn = ({ returns = {} }: Pick<Memory, 'returns'>): readonly ServerId[] =>
  Object.entries(returns).flatMap(([id, { active }]) => (active ? [id] : []))

/** The state with the flag of every server as it is to be. */
export function maintain(state: ClusterState): ClusterState {
  const maintained = maintainedIn(state)
  return withServers(
    state,
    state.snapshot.servers.map((server) => ({ ...server, maintenance: maintained.includes(server.id) })),
  )
}
