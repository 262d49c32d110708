// Findings of the durability policy: what the servers show that differs from what it promises.
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable } from '../situation/channel.js'
import { losslessFaults, missingWait, sourceFaults } from '../situation/durability.js'
import type { DecideSettings, Situation } from '../situation/situation.js'
import { startsStopped } from '../situation/stopped-start.js'
import { isSettling } from './advice-rows.js'
import type { ServerRow } from './row.js'

export const durabilityRows: readonly ServerRow[] = [
  {
    code: 'ERR00141',
    detail: (server, { situation }) =>
      server.id === situation.snapshot.primary ? detailOf(server, situation, faultsOfPrimary) : undefined,
  },
  {
    code: 'WARN0250',
    detail: (server, { situation }) =>
      server.sourceId === situation.snapshot.primary && server.id !== situation.snapshot.primary
        ? detailOf(server, situation, faultsOfReplica)
        : undefined,
  },
  { code: 'WARN0254', detail: (server, { situation }) => mayAcknowledgeAtStart(server, situation) },
]

/** A replica that starts on the side of a primary out of sight may acknowledge there; it matters where commits must wait for one. */
function mayAcknowledgeAtStart(server: ServerSnapshot, { settings, memory, snapshot }: Situation): string | undefined {
  const policy = settings['durability-policy']
  if ((policy !== 'lossless' && policy !== 'semi-sync') || server.id === snapshot.primary) return undefined
  if (!server.state || server.maintenance || server.sourceId === undefined) return undefined
  if (server.sourceId !== snapshot.primary) return undefined
  return startsStopped(memory, server) ? undefined : `${server.name} (${policy}).`
}

type Faults = (server: ServerSnapshot, settings: DecideSettings) => readonly string[]

/** `db1 (lossless): its semi-sync timeout is 10000 ms.` Not judged while the primary role moves. */
function detailOf(server: ServerSnapshot, situation: Situation, faultsOf: Faults): string | undefined {
  const { settings } = situation
  if (!server.state || !isReachable(server) || server.maintenance || isSettling(server, situation)) return undefined
  const faults = faultsOf(server, settings)
  return faults.length === 0 ? undefined : `${server.name} (${settings['durability-policy']}): ${faults.join(', ')}.`
}

function faultsOfPrimary({ state }: ServerSnapshot, settings: DecideSettings): readonly string[] {
  if (!state) return []
  switch (settings['durability-policy']) {
    case 'lossless':
      return losslessFaults(state.semiSync)
    case 'semi-sync':
      return sourceFaults(state.semiSync)
    case 'async':
      return state.semiSync.sourceEnabled ? ['semi-sync is enabled, so commits wait for a replica'] : []
    case 'observed':
      return []
  }
}

function faultsOfReplica(server: ServerSnapshot, settings: DecideSettings): readonly string[] {
  const policy = settings['durability-policy']
  const { semiSync } = server.state ?? {}
  if (!semiSync || policy === 'async' || policy === 'observed') return []
  if (semiSync.waitPoint === 'none') return ['semi-sync is not installed']
  const wait = missingWait(server, settings)
  return [
    ...(semiSync.replicaEnabled ? [] : ['it does not acknowledge (replica side disabled)']),
    ...(wait === undefined ? [] : [`as a primary it would wait ${semiSync.timeoutMs} ms for a replica`]),
  ]
}
