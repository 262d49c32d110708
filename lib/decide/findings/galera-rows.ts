// Findings of a Galera cluster: members that are not synced, cut off, or belong to another cluster.
import type { GaleraState } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable, isWritable } from '../situation/channel.js'
import { isGaleraMember, isInService } from '../situation/galera.js'
import type { Situation } from '../situation/situation.js'
import { type ClusterRow, names, type ServerRow, when } from './row.js'

/** Before a member has met the others it knows of no cluster: all zeros. */
const NO_CLUSTER = /^[0-]*$/

export const galeraRows: readonly ClusterRow[] = [
  {
    code: 'ERR00083',
    detail: ({ situation }) => {
      const known = membersOf(situation).filter(({ state }) => !NO_CLUSTER.test(state?.galera?.cluster ?? ''))
      const clusters = new Set(known.map(({ state }) => state?.galera?.cluster))
      return when(clusters.size > 1, known.map(({ name, state }) => `${name}: ${state?.galera?.cluster}`).join(', '))
    },
  },
  {
    code: 'ERR00123',
    detail: ({ situation }) => {
      const members = membersOf(situation)
      return when(members.length > 0 && !members.some(isInService), names(members))
    },
  },
  {
    code: 'WARN0004',
    detail: ({ situation }) => {
      const serving = membersOf(situation).filter(isInService)
      return when(serving.length > 0 && !serving.some(isWritable), names(serving))
    },
  },
]

export const galeraMemberRows: readonly ServerRow[] = [
  { code: 'WARN0241', detail: (server, { situation }) => placeOf(server, situation, (place) => place === 'donor') },
  {
    code: 'WARN0242',
    detail: (server, { situation }) => placeOf(server, situation, (place) => place !== 'donor' && place !== 'synced'),
  },
]

const membersOf = ({ snapshot: { servers, topology } }: Situation): readonly ServerSnapshot[] =>
  topology === 'galera' ? servers.filter((server) => isGaleraMember(server) && isReachable(server)) : []

function placeOf(
  server: ServerSnapshot,
  situation: Situation,
  isMeant: (place: GaleraState['state']) => boolean,
): string | undefined {
  const galera = server.state?.galera
  if (!galera || server.maintenance || !membersOf(situation).includes(server)) return undefined
  return when(isMeant(galera.state), `${server.name}: ${galera.comment}, ${galera.part}`)
}
