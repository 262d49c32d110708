// Who follows whom: the source of each server among the members, by address, else by what the source calls itself.
import type { Memory } from '../../../model/memory.js'
import {
  channelNamed,
  foreignChannels,
  isAmbiguous,
  type Known,
  type Member,
  memberAt,
  ownChannel,
} from '../../../model/server/own-channel.js'
import type { Channel } from '../../../model/server/reading.js'
import type { ServerId } from '../../../model/server/server.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'
import { foreignNames } from '../remember-foreign.js'
import type { DecideSettings } from '../situation.js'
import { otherAddresses } from './source-address.js'

type Settings = Pick<DecideSettings, 'replication-hosts' | 'replication-source-name'>

export interface SourceInput {
  readonly settings: Settings
  readonly memory: Pick<Memory, 'identities' | 'sourceAddresses' | 'foreign'>
}

/** The servers with `ownChannel`, `foreignChannels`, and `sourceId` and `lastReceivedAt` of their channel on this cluster. */
export function resolveSources(
  servers: readonly ServerSnapshot[],
  { settings, memory }: SourceInput,
): readonly ServerSnapshot[] {
  const members = servers.map((server) => memberOf(server, { settings, memory }))
  return servers.map((server) => {
    const { sourceId, lastReceivedAt, ownChannel: own, foreignChannels: others, channelDoubt, ...rest } = server
    const channels = server.state?.channels ?? []
    if (channels.length === 0) return rest
    const known = {
      name: settings['replication-source-name'],
      others: members.filter(({ id }) => id !== server.id),
      foreign: others ?? foreignNames(channels, memory.foreign?.[server.id]),
    }
    const channel = ownChannel(channels, known)
    const foreign = foreignChannels(channels, known).map(({ name }) => name)
    const source = channel && memberAt(channel, known.others)
    const doubt = doubtOf(channels, known)
    const arrival = channel && server.arrivals?.[channel.name]
    return {
      ...rest,
      ownChannel: channel?.name ?? null,
      ...(foreign.length > 0 ? { foreignChannels: foreign } : {}),
      ...(doubt ? { channelDoubt: doubt } : {}),
      ...(source ? { sourceId: source.id } : {}),
      ...(arrival ? { lastReceivedAt: arrival.at } : {}),
    }
  })
}

function doubtOf(channels: readonly Channel[], known: Known): ServerSnapshot['channelDoubt'] {
  if (isAmbiguous(channels, known)) return 'several'
  const isTaken = channelNamed(foreignChannels(channels, known), known.name) !== undefined
  return isTaken && ownChannel(channels, known) ? 'taken' : undefined
}

/** A server as the source of others is recognised by: its addresses, and what it calls itself as far as that was ever read. */
export function memberOf(server: ServerSnapshot, { settings, memory }: SourceInput): Member {
  const { id, host, port, state } = server
  const { uuid, serverNumber } = state ?? memory.identities?.[id] ?? {}
  const elsewhere = otherAddresses(server, { settings, memory })
  return {
    ...{ id, host, port },
    ...(uuid === undefined ? {} : { uuid }),
    ...(serverNumber === undefined ? {} : { serverNumber }),
    ...(elsewhere.length === 0 ? {} : { elsewhere }),
  }
}

/** Servers whose source, by their last word, is `id`. */
export const followersOf = (servers: readonly ServerSnapshot[], id: ServerId): readonly ServerSnapshot[] =>
  servers.filter(({ sourceId }) => sourceId === id)

export const reachableFollowersOf = (servers: readonly ServerSnapshot[], id: ServerId): readonly ServerSnapshot[] =>
  followersOf(servers, id).filter(isReachable)

/** The servers on the cycle that `start` is on, in order from `start`; empty when it is on none. */
export function cycleOf(servers: readonly ServerSnapshot[], start: ServerId | undefined): readonly ServerId[] {
  const trail: ServerId[] = []
  let at = start
  while (at !== undefined && !trail.includes(at)) {
    trail.push(at)
    at = servers.find(({ id }) => id === at)?.sourceId
  }
  return at !== undefined && at === start ? trail : []
}

/** Whether `id` is somewhere below `ancestor`. */
export function isBelow(servers: readonly ServerSnapshot[], id: ServerId, ancestor: ServerId): boolean {
  const seen = new Set<ServerId>()
  let at: ServerId | undefined = servers.find((server) => server.id === id)?.sourceId
  while (at !== undefined && !seen.has(at)) {
    if (at === ancestor) return true
    seen.add(at)
    at = servers.find((server) => server.id === at)?.sourceId
  }
  return false
}

/** The server without a source that is above this one, or it itself; undefined on a cycle. */
export function rootOf(servers: readonly ServerSnapshot[], server: ServerSnapshot): ServerSnapshot | undefined {
  const seen = new Set<ServerId>()
  let at: ServerSnapshot | undefined = server
  while (at?.sourceId !== undefined && !seen.has(at.id)) {
    seen.add(at.id)
    const { sourceId }: ServerSnapshot = at
    at = servers.find(({ id }) => id === sourceId)
  }
  return at?.sourceId === undefined ? at : undefined
}
