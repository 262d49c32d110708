// What servers have from other clusters, remembered: a manager that starts while the primary is dead knows it from before.
import type { ForeignParts, Memory } from '../../model/memory.js'
import { noTransactions } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import { isSameAddress, type ServerId } from '../../model/server/server.js'
import type { ServerSnapshot } from '../../model/snapshot.js'

/** Names of those channels that are known as foreign, and still have the source of then. */
export const foreignNames = (channels: readonly Channel[], known: ForeignParts | undefined): readonly string[] =>
  channels.flatMap(({ name, source }) => {
    const before = known?.channels[name]
    return before && isSameAddress(before, source) ? [name] : []
  })

/** Streams of the server that the cluster was seen to have nothing of. */
export const foreignStreams = ({ foreign }: Pick<Memory, 'foreign'>, id: ServerId): readonly string[] =>
  foreign?.[id]?.streams ?? []

/**
 * As the servers show it, which are limited to their own history; kept of one that did not answer yet. A primary's whole history is
 * the cluster's, wherever it comes from.
 */
export function rememberForeign(
  { foreign: before }: Pick<Memory, 'foreign'>,
  servers: readonly ServerSnapshot[],
  primary: ServerId | undefined,
): Pick<Memory, 'foreign'> {
  const known = servers.flatMap((server): [ServerId, ForeignParts][] => {
    const { id, state } = server
    const parts = state ? partsOf(server, id === primary) : before?.[id]
    return parts ? [[id, parts]] : []
  })
  const foreign = Object.fromEntries(known)
  if (JSON.stringify(foreign) === JSON.stringify(before ?? {})) return {}
  return { foreign }
}

function partsOf({ state, foreignChannels = [] }: ServerSnapshot, isPrimary: boolean): ForeignParts | undefined {
  const { gtid, channels = [] } = state ?? {}
  const named = channels.filter(({ name }) => foreignChannels.includes(name))
  // What is only part of a stream is recognised by its source each time.
  const whole = Object.keys(gtid?.foreign ?? noTransactions).filter((stream) => !(stream in (gtid?.executed ?? {})))
  const streams = isPrimary ? [] : whole.sort()
  if (named.length === 0 && streams.length === 0) return undefined
  const sources = named.map(({ name, source: { host, port } }) => [name, { host, port }] as const)
  return { channels: Object.fromEntries(sources), streams }
}
