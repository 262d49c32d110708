// Findings of a whole cluster: its primary, its replicas, and the operations on it.
import { addressText } from '../../model/server/server.js'
import { findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { describeRunning } from '../backup/recovery.js'
import { isReachable, isWritable } from '../situation/channel.js'
import type { Situation } from '../situation/situation.js'
import { hasFailed, isGone } from '../situation/state-name.js'
import { lostNetwork } from '../situation/topology/source-address.js'
import { peersOf } from '../situation/topology/topology.js'
import { isReader } from '../situation/validity.js'
import { type ClusterRow, isHandedOver, isMoving, names, when } from './row.js'

export const clusterRows: readonly ClusterRow[] = [
  {
    code: 'WARN0405',
    detail: ({ situation: { memory } }) => {
      const left = Object.values(memory.newServers ?? {}).filter((each) => each.left)
      const texts = left.map((each) => `${addressText(each)}: ${each.failure ?? 'no reason is known'}`)
      return when(left.length > 0, texts.join('; '))
    },
  },
  { code: 'WARN0350', detail: ({ situation: { settings } }) => when(settings['monitoring-observe']) },
  { code: 'ERR00120', detail: ({ situation: { settings } }) => when(settings['monitoring-pause']) },
  {
    code: 'ERR00022',
    detail: ({ situation: { snapshot } }) => when(snapshot.rival?.acts === true, snapshot.rival?.hosts.join(', ')),
  },
  {
    code: 'WARN0340',
    detail: ({ situation: { snapshot } }) => when(snapshot.rival?.acts === false, snapshot.rival?.hosts.join(', ')),
  },
  {
    code: 'ERR00170',
    detail: ({
      situation: {
        memory: { restoring },
      },
    }) =>
      when(
        restoring?.failure === undefined && restoring !== undefined,
        restoring && `Back ${describeRunning(restoring)}.`,
      ),
  },
  {
    code: 'ERR00171',
    detail: ({
      situation: {
        memory: { restoring },
      },
    }) =>
      when(
        restoring?.failure !== undefined,
        restoring && `Back ${describeRunning(restoring)}; ended while ${restoring.stage}: ${restoring.failure}.`,
      ),
  },
  { code: 'ERR00100', detail: ({ situation }) => runningOperation('switchover', situation) },
  { code: 'ERR00001', detail: ({ situation }) => runningOperation('failover', situation) },
  {
    code: 'ERR00010',
    detail: ({ situation: { snapshot } }) => {
      const isLone = snapshot.topology === 'active-passive' || snapshot.topology === 'galera'
      // Where none answers there is nothing to be said of replication: ERR00021.
      const isSeen =
        isProbed(snapshot.servers) && snapshot.servers.some(({ observation }) => observation === 'answered')
      return when(!isLone && isSeen && snapshot.servers.every(({ sourceId }) => !sourceId))
    },
  },
  {
    code: 'ERR00012',
    detail: ({ situation: { snapshot } }) => {
      const down = snapshot.servers.filter((server) => !isReachable(server))
      const detail = down.length > 0 ? `Not reachable: ${names(down)}.` : ''
      return when(snapshot.primary === undefined && isProbed(snapshot.servers), detail)
    },
  },
  { code: 'WARN0006', detail: ({ found }) => found.find(({ code }) => code === 'WARN0006')?.detail },
  { code: 'ERR00021', detail: ({ situation }) => when(areAllDown(situation)) },
  { code: 'ERR00077', detail: ({ situation }) => when(areAllDown(situation), names(situation.snapshot.servers)) },
  {
    code: 'ERR00011',
    detail: ({ situation }) => {
      const peers = primariesOf(situation)
      return when(peers.length > 0 && !isMultiPrimaryConfigured(situation), names(peers))
    },
  },
  {
    code: 'WARN0003',
    detail: ({ situation }) => {
      const writers = primariesOf(situation).filter((server) => isReachable(server) && isWritable(server))
      return when(writers.length > 1, names(writers))
    },
  },
  {
    code: 'WARN0004',
    detail: ({ situation }) => {
      const peers = primariesOf(situation)
      return when(peers.length > 0 && peers.every((server) => isReachable(server) && !isWritable(server)), names(peers))
    },
  },
  {
    code: 'WARN0259',
    detail: ({ situation }) => {
      const lost = isMoving(situation) ? undefined : lostNetwork(situation)
      if (!lost) return undefined
      const where = lost.unknown.map(({ name, ...server }) => `${name} over ${addressText(server)}`).join(', ')
      return `Replicas follow ${lost.primary.name} over ${addressText(lost.over)}; as the primary they would follow ${where}.`
    },
  },
  {
    code: 'ERR00085',
    detail: ({ situation }) => {
      const { primary, servers, topology } = situation.snapshot
      if (topology === 'active-passive' || !servers.some(follows)) return undefined
      const isServed = (server: ServerSnapshot) =>
        server.id !== primary && (isReader(server) || isHandedOver(server, situation))
      return when(!servers.some(isServed))
    },
  },
]

const isProbed = (servers: readonly ServerSnapshot[]): boolean =>
  servers.every(({ observation }) => observation !== 'unseen')

const follows = ({ role }: ServerSnapshot): boolean => role === 'replica' || role === 'relay' || role === 'member'

const runningOperation = (kind: 'failover' | 'switchover', { snapshot: { operation } }: Situation) =>
  operation?.kind === kind ? `${operation.id} by ${operation.owner}` : undefined

const areAllDown = ({ snapshot: { servers }, settings }: Situation): boolean =>
  servers.length > 0 && servers.every((server) => hasFailed(server, settings) || isGone(server))

/**
 * The primaries of a pair or ring; none elsewhere, and none while the role moves: then the old primary and the new one
 * are both without a source for a moment.
 */
function primariesOf(situation: Situation): readonly ServerSnapshot[] {
  const { primary, servers, topology } = situation.snapshot
  if (isMoving(situation)) return []
  const own = findServer({ servers }, primary)
  return own && (topology === 'multi-primary' || topology === 'ring') ? [own, ...peersOf(servers, own.id)] : []
}

const isMultiPrimaryConfigured = ({ snapshot: { topology }, settings }: Situation): boolean =>
  topology === 'ring' ? settings['replication-multi-master-ring'] : settings['replication-multi-master']
