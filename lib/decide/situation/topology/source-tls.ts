// How replicas of the cluster connect to their source, as remembered: a server that was the primary shows none of it. Pure.
import type { Memory, SourceTls } from '../../../model/memory.js'
import { mainChannel, type ServerSnapshot } from '../../../model/snapshot.js'

/** Of the replicas that receive at present, one with a certificate first; unchanged while none does. */
export function rememberSourceTls(
  { sourceTls }: Memory,
  servers: readonly ServerSnapshot[],
): Pick<Memory, 'sourceTls'> {
  const running = servers.flatMap((server) => {
    const channel = server.observation === 'answered' ? mainChannel(server) : undefined
    return channel?.io === 'running' ? [channel.source] : []
  })
  if (running.length === 0) return {}
  const { tls, tlsFiles } =
    running.find((source) => source.tlsFiles?.cert !== undefined) ?? running.find((source) => source.tls) ?? {}
  const seen: SourceTls = { used: tls === true, ...(tlsFiles ? { files: tlsFiles } : {}) }
  if (sourceTls === undefined && !seen.used) return {}
  return JSON.stringify(sourceTls) === JSON.stringify(seen) ? {} : { sourceTls: seen }
}
