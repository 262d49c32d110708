// Which of a server's replication channels is the cluster's own: the one answer for all who read a channel or act on it. Pure.
import type { Channel } from './reading.js'
import { isSameAddress, type ServerAddress, type ServerId } from './server.js'

/** Another server of the cluster, as a source may be recognised by. */
export interface Member {
  readonly id: ServerId
  readonly host: string
  readonly port: number
  /** What it calls itself, as last read; absent where it never answered. */
  readonly uuid?: string
  readonly serverNumber?: number
  /** Where replicas reach it besides the address above. */
  readonly elsewhere?: readonly ServerAddress[]
}

export interface Known {
  /** `replication-source-name`. */
  readonly name: string
  /** The other servers of the cluster. */
  readonly others: readonly Member[]
  /** Names of channels that were known as foreign: a server_id of theirs that is a member's, too, makes them no other. */
  readonly foreign?: readonly string[]
}

/** Whose source a channel has. `certain`: by address or uuid; a server_id alone may be that of a server elsewhere, too. */
export interface Source {
  readonly id: ServerId
  readonly certain: boolean
}

/** The member that is the source of the channel; undefined when it is none. */
export function memberAt({ source }: Channel, others: readonly Member[]): Source | undefined {
  const certain =
    others.find((other) => isSameAddress(other, source)) ??
    only(others.filter(({ uuid }) => uuid !== undefined && uuid === source.uuid))
  if (certain) return { id: certain.id, certain: true }
  const numbered = only(
    others.filter(({ serverNumber }) => source.serverNumber > 0 && serverNumber === source.serverNumber),
  )
  if (numbered) return { id: numbered.id, certain: false }
  // A replica that has not connected since it started shows no more than the address.
  if (source.serverNumber > 0) return undefined
  const known = only(others.filter(({ elsewhere = [] }) => elsewhere.some((address) => isSameAddress(address, source))))
  return known && { id: known.id, certain: true }
}

/**
 * The channel by which a server follows this cluster. One whose source is a member comes first; of several the one with the
 * configured name, and none where no name decides. Without any it is the one that has the configured name.
 */
export function ownChannel(channels: readonly Channel[], known: Known): Channel | undefined {
  const related = relatedOf(channels, known)
  if (related.length === 0) return channelNamed(channels, known.name)
  return channelNamed(related, known.name) ?? (related.length === 1 ? related[0] : undefined)
}

/** Several channels follow members, and none of them has the configured name: nothing decides which one is meant. */
export const isAmbiguous = (channels: readonly Channel[], known: Known): boolean =>
  ownChannel(channels, known) === undefined && relatedOf(channels, known).length > 1

/** Channels by which a server follows sources that are no servers of this cluster. */
export function foreignChannels(channels: readonly Channel[], known: Known): readonly Channel[] {
  const own = ownChannel(channels, known)
  const isCertain = own !== undefined && memberAt(own, known.others)?.certain === true
  return channels.filter((channel) => {
    if (channel === own) return false
    const source = memberOf(channel, known)
    return source === undefined || (isCertain && !source.certain)
  })
}

/** Names of channels are compared without case, as databases do. */
export const channelNamed = (channels: readonly Channel[], name: string): Channel | undefined =>
  channels.find((channel) => channel.name.toLowerCase() === name.toLowerCase())

/** Those whose source is a member for certain, else those whose source has the server_id of one. */
function relatedOf(channels: readonly Channel[], known: Known): readonly Channel[] {
  const sources = channels.map((channel) => ({ channel, source: memberOf(channel, known) }))
  const certain = sources.filter(({ source }) => source?.certain)
  const related = certain.length > 0 ? certain : sources.filter(({ source }) => source !== undefined)
  return related.map(({ channel }) => channel)
}

function memberOf(channel: Channel, { others, foreign = [] }: Known): Source | undefined {
  const source = memberAt(channel, others)
  return source && !source.certain && foreign.includes(channel.name) ? undefined : source
}

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)
