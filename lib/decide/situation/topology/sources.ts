// Who follows whom: the source of each server among the members, by address, else by what the source calls itself.
import type { Identity, Memory } from '../../../model/memory.js'
import type { Channel } from '../../../model/server/reading.js'
import type { ServerId } from '../../../model/server/server.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { statedAddress } from '../../../settings/kit/address.js'
import { channelOf, isReachable } from '../channel.js'
import type { DecideSettings } from '../situation.js'
import { isSameAddress } from './source-address.js'

type Settings = Pick<DecideSettings, 'replication-hosts' | 'replication-source-name'>

export interface SourceInput {
  readonly settings: Settings
  readonly memory: Pick<Memory, 'identities'>
}

/** The servers with `sourceId` and `lastReceivedAt` of their channel on this cluster. */
export function resolveSources(
  servers: readonly ServerSnapshot[],
  { settings, memory }: SourceInput,
): readonly ServerSnapshot[] {
  const identityOf = ({ id, state }: ServerSnapshot) => state ?? memory.identities?.[id]
  return servers.map((server) => {
    const { sourceId: _, lastReceivedAt: __, ...rest } = server
    const channel = channelOf(server, settings)
    if (!channel) return rest
    const others = servers.filter(({ id }) => id !== server.id)
    const source = findSource(channel, others, { identityOf, settings })
    const arrival = server.arrivals?.[channel.name]
    return {
      ...rest,
      ...(source ? { sourceId: source.id } : {}),
      ...(arrival ? { lastReceivedAt: arrival.at } : {}),
    }
  })
}

function findSource(
  { source }: Channel,
  others: readonly ServerSnapshot[],
  known: { readonly identityOf: (server: ServerSnapshot) => Identity | undefined; readonly settings: Settings },
) {
  const { identityOf, settings } = known
  const named = (fits: (identity: Identity) => boolean) =>
    only(
      others.filter((other) => {
        const identity = identityOf(other)
        return identity !== undefined && fits(identity)
      }),
    )
  return (
    others.find((other) => isSameAddress(other, source)) ??
    named(({ uuid }) => uuid !== undefined && uuid === source.uuid) ??
    named(({ serverNumber }) => source.serverNumber > 0 && serverNumber === source.serverNumber) ??
    // A replica that has not connected yet shows no more than the address.
    (source.serverNumber > 0 ? undefined : only(others.filter((other) => isStated(other, source, settings))))
  )
}

function isStated(other: ServerSnapshot, source: Channel['source'], settings: Settings): boolean {
  const stated = statedAddress(settings['replication-hosts'], other)
  return stated !== undefined && isSameAddress(stated, source)
}

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)

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
