// Which servers a table is compared on, and which of them cannot be compared now. Pure.
import { SECOND } from '../../base/time.js'
import type { ServerId } from '../../model/server/server.js'
import { findServer, type ServerSnapshot, type Snapshot } from '../../model/snapshot.js'
import { applyDelayOf, channelOf, isReachable } from '../situation/channel.js'
import { isGaleraMember } from '../situation/galera.js'
import type { DecideSettings } from '../situation/situation.js'
import { APPLIED_WITHIN_MS } from './pace.js'

type SourceName = Pick<DecideSettings, 'replication-source-name'>

/** The servers whose rows are to be the primary's: every replica of any tier, every other node of Galera. Known ones only. */
export const comparedServers = (
  { servers, primary }: Pick<Snapshot, 'servers' | 'primary'>,
  settings: SourceName,
): readonly ServerSnapshot[] =>
  servers.filter(
    (server) =>
      server.id !== primary && server.state && (isGaleraMember(server) || channelOf(server, settings) !== undefined),
  )

/** Why a server cannot be compared now; undefined: it can. Nothing waits a minute for one that will not follow. */
export function obstacleOf(server: ServerSnapshot | undefined, settings: SourceName): string | undefined {
  if (!server) return 'it is no server of the cluster any more'
  if (!isReachable(server)) return `it does not answer: ${server.error?.message ?? 'not probed yet'}`
  if (isGaleraMember(server))
    return server.state?.galera?.ready === true ? undefined : 'it is not in service as a node of the cluster'
  const channel = channelOf(server, settings)
  if (!channel) return 'it does not replicate'
  if (channel.io !== 'running' || channel.sql !== 'running') return 'its replication does not run'
  return channel.delaySeconds * SECOND >= APPLIED_WITHIN_MS
    ? `it is kept ${channel.delaySeconds} s behind on purpose`
    : undefined
}

/** The one that is furthest behind, of those that are compared. */
export function furthestBehind(
  snapshot: Pick<Snapshot, 'servers' | 'primary'>,
  settings: SourceName,
): { readonly name: string; readonly seconds: number } | undefined {
  const lags = comparedServers(snapshot, settings)
    .filter((server) => obstacleOf(server, settings) === undefined)
    .map((server) => ({ name: server.name, seconds: applyDelayOf(server, settings) ?? 0 }))
  return lags.toSorted((a, b) => b.seconds - a.seconds)[0]
}

/** Whether a run may go on against the primary it began with; else why not. */
export function whyInterrupted(
  snapshot: Pick<Snapshot, 'servers' | 'primary' | 'operation'>,
  primary: ServerId,
): string | undefined {
  const { operation } = snapshot
  if (operation?.phase === 'running' && operation.kind !== 'rejoin' && operation.kind !== 'repair')
    return `${operation.kind} of the primary`
  if (snapshot.primary !== primary) return 'the primary is another server'
  const server = findServer(snapshot, primary)
  return server && isReachable(server) ? undefined : 'the primary does not answer'
}
