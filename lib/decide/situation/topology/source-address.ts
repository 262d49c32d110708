// Where replicas reach a server: at an address of a network for replication where one is stated or was seen, else at the manager's. Pure.
import type { Memory } from '../../../model/memory.js'
import { textOf } from '../../../model/server/named.js'
import type { Channel } from '../../../model/server/reading.js'
import { addressText, isSameAddress, type ServerAddress, type ServerId } from '../../../model/server/server.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { statedAddress } from '../../../settings/kit/address.js'
import { channelOf, isReachable } from '../channel.js'
import type { DecideSettings, Situation } from '../situation.js'

/** What the addresses of servers follow from. */
export interface AddressBook {
  readonly servers: readonly ServerSnapshot[]
  readonly settings: Pick<DecideSettings, 'replication-hosts'>
  readonly memory: Pick<Memory, 'sourceAddresses'>
}

export const addressBookOf = ({
  snapshot: { servers },
  settings,
  memory,
}: Pick<Situation, 'snapshot' | 'settings' | 'memory'>): AddressBook => ({ servers, settings, memory })

/**
 * The addresses at which replicas may follow the server, the one to be used first; the last one is the manager's. Before it: what
 * `replication-hosts` states; where replicas were seen to follow it last; what it reports of itself (`report_host`), where replicas
 * were seen to follow another server at what that one reports.
 */
export function sourceAddresses(server: ServerSnapshot, book: AddressBook): readonly ServerAddress[] {
  const own = { host: server.host, port: server.port }
  const stated = statedAddress(book.settings['replication-hosts'], own)
  const seen = book.memory.sourceAddresses?.[server.id]
  const reported = isReportUsed(book) ? reportedAddress(server) : undefined
  const before = [stated, seen, reported].flatMap((address) => address ?? [])
  // Stated as the manager's own: that is meant.
  if (stated && isSameAddress(stated, own)) return [own]
  const distinct = before.filter(
    (address, index) =>
      !isSameAddress(address, own) && before.findIndex((other) => isSameAddress(other, address)) === index,
  )
  return [...distinct, own]
}

/** Where replicas reach the server besides the manager's address: stated, or as they were seen to follow it last. */
export function otherAddresses(
  { id, host, port }: ServerSnapshot,
  { settings, memory }: Omit<AddressBook, 'servers'>,
): readonly ServerAddress[] {
  const stated = statedAddress(settings['replication-hosts'], { host, port })
  return [stated, memory.sourceAddresses?.[id]].flatMap((address) => address ?? [])
}

/** The first of them. */
export const sourceAddress = (server: ServerSnapshot, book: AddressBook): ServerAddress =>
  sourceAddresses(server, book)[0] ?? server

/** Replicas were seen to follow a server at the address that it reports, and not at the manager's. */
const isReportUsed = ({ servers, memory: { sourceAddresses = {} } }: AddressBook): boolean =>
  servers.some((server) => {
    const seen = sourceAddresses[server.id]
    const reported = seen && reportedAddress(server)
    return reported !== undefined && isSameAddress(seen ?? reported, reported)
  })

function reportedAddress({ slow, port }: ServerSnapshot): ServerAddress | undefined {
  const host = textOf(slow?.variables, 'report_host')
  if (host === undefined || host === '') return undefined
  const reported = Number(textOf(slow?.variables, 'report_port'))
  return { host, port: reported > 0 ? reported : port }
}

/** Channels of the cluster that receive at present, with the member that each reads from. */
function runningChannels(
  servers: readonly ServerSnapshot[],
  settings: Pick<DecideSettings, 'replication-source-name'>,
): readonly { readonly replica: ServerSnapshot; readonly source: ServerSnapshot; readonly at: Channel['source'] }[] {
  return servers.flatMap((replica) => {
    const channel = isReachable(replica) ? channelOf(replica, settings) : undefined
    const source = servers.find(({ id }) => id === replica.sourceId)
    return channel?.io === 'running' && source ? [{ replica, source, at: channel.source }] : []
  })
}

/**
 * Where replicas follow each server, of those that one follows at present; a server that all follow at the manager's address has none.
 * Unchanged of the others.
 */
export function rememberSourceAddresses(
  { sourceAddresses = {} }: Pick<Memory, 'sourceAddresses'>,
  servers: readonly ServerSnapshot[],
  settings: Pick<DecideSettings, 'replication-source-name'>,
): Pick<Memory, 'sourceAddresses'> {
  const running = runningChannels(servers, settings)
  const next: Record<ServerId, ServerAddress> = { ...sourceAddresses }
  for (const { source } of running) {
    const [apart] = running.filter((each) => each.source.id === source.id && !isSameAddress(each.at, source))
    if (apart) next[source.id] = { host: apart.at.host, port: apart.at.port }
    else delete next[source.id]
  }
  return JSON.stringify(next) === JSON.stringify(sourceAddresses) ? {} : { sourceAddresses: next }
}

/**
 * Hosts by which a replica, the manager and `replication-hosts` may mean one address: to be resolved where they differ. Names that
 * are the same everywhere cost no question.
 */
export function unclearHosts(
  servers: readonly ServerSnapshot[],
  settings: Pick<DecideSettings, 'replication-hosts' | 'replication-source-name'>,
  { id }: Pick<ServerSnapshot, 'id'>,
): readonly string[] {
  const found = runningChannels(servers, settings).find(({ replica }) => replica.id === id)
  if (!found) return []
  const { at, source } = found
  const stated = statedAddress(settings['replication-hosts'], source) ?? source
  return isSameAddress(at, source) && isSameAddress(at, stated) ? [] : [at.host, source.host, stated.host]
}

/** Whether both lead to one server: equal, or a host name and an address that this machine resolves it to. */
function leadsToSame(servers: readonly ServerSnapshot[], left: ServerAddress, right: ServerAddress): boolean {
  if (isSameAddress(left, right)) return true
  const addressesOf = ({ host }: ServerAddress): readonly string[] => {
    const name = host.toLowerCase()
    return [name, ...servers.flatMap(({ slow }) => slow?.resolved?.[name] ?? [])]
  }
  const others = addressesOf(right)
  return left.port === right.port && addressesOf(left).some((address) => others.includes(address))
}

/** A network over which replicas follow the primary, and the servers that they would follow at the manager's address. */
export interface LostNetwork {
  readonly primary: ServerSnapshot
  /** Where they follow it. */
  readonly over: ServerAddress
  readonly unknown: readonly ServerSnapshot[]
}

/** Undefined where replicas follow the primary at the manager's address, by whatever name, or every candidate is known by an address of its own. */
export function lostNetwork(situation: Pick<Situation, 'snapshot' | 'settings' | 'memory'>): LostNetwork | undefined {
  const book = addressBookOf(situation)
  const { servers } = book
  const primary = servers.find(({ id }) => id === situation.snapshot.primary)
  const followed = runningChannels(servers, situation.settings).find(
    ({ source, at }) => source.id === primary?.id && !leadsToSame(servers, at, source),
  )
  if (!primary || !followed) return undefined
  const unknown = servers.filter(
    (server) =>
      server.id !== primary.id &&
      server.rating !== 'ignored' &&
      !server.maintenance &&
      statedAddress(book.settings['replication-hosts'], server) === undefined &&
      isSameAddress(sourceAddress(server, book), server),
  )
  return unknown.length === 0 ? undefined : { primary, over: followed.at, unknown }
}

/** Where a replica follows its source, when `replication-hosts` states another address. */
export function strayAddress(
  replica: ServerSnapshot,
  situation: Pick<Situation, 'snapshot' | 'settings' | 'memory'>,
): { readonly source: ServerSnapshot; readonly at: ServerAddress; readonly stated: ServerAddress } | undefined {
  const running = runningChannels(situation.snapshot.servers, situation.settings)
  const found = running.find((each) => each.replica.id === replica.id)
  const stated = found && statedAddress(situation.settings['replication-hosts'], found.source)
  return found && stated && !leadsToSame(situation.snapshot.servers, found.at, stated)
    ? { source: found.source, at: found.at, stated }
    : undefined
}

/** What a change of the primary does to the addresses: empty where the new one is followed at the manager's, as the old one was. */
export function addressChange(
  situation: Pick<Situation, 'snapshot' | 'settings' | 'memory'>,
  newPrimary: ServerId | undefined,
): readonly string[] {
  const book = addressBookOf(situation)
  const next = book.servers.find(({ id }) => id === newPrimary)
  if (!next) return []
  const over = sourceAddress(next, book)
  const lost = lostNetwork(situation)
  if (lost?.unknown.includes(next))
    return [
      `Replicas follow ${lost.primary.name} over ${addressText(lost.over)}; they will follow ${next.name} over ${addressText(over)}, the address of the manager: replication-hosts states none for it.`,
    ]
  return isSameAddress(over, next) ? [] : [`Replicas will follow ${next.name} over ${addressText(over)}.`]
}
