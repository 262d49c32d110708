// Whether a replica reaches its source: judged once, for its state, its finding, role checks and proxies.

import { SECOND } from '../../../base/time.js'
import { isLoginDenied } from '../../../model/server/reading.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, isReachable } from '../channel.js'
import type { DecideSettings } from '../situation.js'

export interface Contact {
  readonly servers: readonly ServerSnapshot[]
  readonly settings: Pick<DecideSettings, 'replication-source-name' | 'replication-source-timeout'>
  readonly now: number
}

/**
 * Why a replica counts as cut off from its source, when it does: its login is refused, or it has not been connected for
 * longer than `replication-source-timeout`. Undefined while the source does not answer the manager either: that is the
 * source's failure, and what was received is all there is to read.
 */
export function lostSource(server: ServerSnapshot, { servers, settings, now }: Contact): string | undefined {
  const channel = channelOf(server, settings)
  if (channel?.io !== 'connecting' || !isReachable(server)) return undefined
  const source = findServer({ servers }, server.sourceId)
  if (source && !isReachable(source)) return undefined
  const { code, message } = channel.ioError
  const downMs = now - (server.arrivals?.[channel.name]?.downSince ?? now)
  if (!isLoginDenied(code) && downMs <= settings['replication-source-timeout'] * SECOND) return undefined
  const name = source?.name ?? `${channel.source.host}:${channel.source.port}`
  return `not connected to ${name} for ${Math.round(downMs / SECOND)} s${code === 0 ? '' : `: error ${code}: ${message}`}`
}
