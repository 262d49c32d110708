// The shape of the cluster and each server's part in it.
import type { ServerId } from '../../../model/server/server.js'
import { findServer, mainChannel, type Role, type ServerSnapshot, type Topology } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'
import { isGalera, isGaleraMember } from '../galera.js'
import type { DecideSettings } from '../situation.js'
import { cycleOf, followersOf } from './sources.js'

interface Shape {
  /** With their sources resolved. */
  readonly servers: readonly ServerSnapshot[]
  readonly primary?: ServerId
  readonly settings: DecideSettings
}

export function judgeTopology({ servers, primary, settings }: Shape): Topology {
  if (servers.length === 1) return 'active-passive'
  if (isGalera(servers)) return 'galera'
  if (settings['replication-active-passive']) return 'active-passive'
  const cycle = servers.map(({ id }) => cycleOf(servers, id)).find(({ length }) => length > 0)
  if (cycle) return cycle.length === 2 ? 'multi-primary' : 'ring'
  // One half of a pair may be promoted and its peer not back yet: the configuration decides what they are.
  if (settings['replication-multi-master-ring']) return 'ring'
  if (settings['replication-multi-master']) return 'multi-primary'
  if (servers.some((server) => isRelay(server, { servers, primary }))) return 'multi-tier'
  if (servers.some(({ sourceId }) => sourceId !== undefined)) return 'primary-replica'
  return primary === undefined ? 'unknown' : 'primary-replica'
}

export function roleOf(server: ServerSnapshot, shape: Pick<Shape, 'servers' | 'primary'>): Role {
  if (server.id === shape.primary) return 'primary'
  if (server.observation === 'unseen' || !server.state) return 'unknown'
  if (isGaleraMember(server)) return 'member'
  if (server.sourceId === undefined) return mainChannel(server) ? 'replica' : 'standalone'
  return isRelay(server, shape) ? 'relay' : 'replica'
}

const isRelay = (
  { id, sourceId }: ServerSnapshot,
  { servers, primary }: { servers: readonly ServerSnapshot[]; primary?: ServerId | undefined },
): boolean =>
  id !== primary &&
  sourceId !== undefined &&
  followersOf(servers, id).some((below) => below.id !== primary && isReachable(below))

/** Every member of the pair or ring that `primary` writes for, besides itself. */
export const peersOf = (servers: readonly ServerSnapshot[], primary: ServerId): readonly ServerSnapshot[] =>
  cycleOf(servers, primary)
    .filter((id) => id !== primary)
    .flatMap((id) => findServer({ servers }, id) ?? [])
