// Replicas that the latest operation was to give the TLS files of the settings, and that replicate with those that they had before. Pure.
import type { Finding } from '../../model/finding.js'
import type { Operation } from '../../model/operation/operation.js'
import { findServer, type Snapshot } from '../../model/snapshot.js'
import { channelOf, isReachable } from '../situation/channel.js'
import type { DecideSettings } from '../situation/situation.js'

/** Closed again when a replica has the files, or the next operation has ended. */
export function judgeLeftFiles(
  operation: Pick<Operation, 'losses'> | undefined,
  { servers }: Pick<Snapshot, 'servers'>,
  settings: Pick<DecideSettings, 'replication-source-name' | 'replication-ssl-ca' | 'replication-ssl-cert'>,
): readonly Finding[] {
  return (operation?.losses ?? []).flatMap(({ command, server: id, message }) => {
    const server = command === 'repoint' ? findServer({ servers }, id) : undefined
    const channel = server && isReachable(server) ? channelOf(server, settings) : undefined
    if (!server || channel?.io !== 'running') return []
    const files = channel.source.tlsFiles
    const differs = (['ca', 'cert'] as const).some((one) => {
      const wanted = settings[`replication-ssl-${one}`]
      return wanted !== '' && wanted !== files?.[one]
    })
    return differs ? [{ code: 'ERR00196', server: server.id, detail: `${server.name}: ${message}.` } as const] : []
  })
}
