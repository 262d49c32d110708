// History of other clusters: what a replica with a second source has from there is taken out of the sets that decisions compare.
import type { Memory } from '../../model/memory.js'
import { type GtidSet, isEmpty, noTransactions, pick, subtract, union } from '../../model/server/gtid.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import type { ServerSnapshot } from '../../model/snapshot.js'
import { isReachable } from './channel.js'
import type { DecideSettings } from './situation.js'

interface Sight {
  readonly memory: Pick<Memory, 'primary' | 'identities'>
  readonly settings: Pick<DecideSettings, 'replication-source-name'>
}

/**
 * The servers, with sets limited to the history of this cluster: all that the primary holds, and all that a server without a
 * foreign channel holds. What else would have come over the cluster's own channels is on the primary first. A stream that only
 * servers with foreign channels hold is foreign while the primary answers, and where the primary was read after it was first seen
 * and still had nothing of it: a primary that died says no more of what came since. Streams of the members themselves never are:
 * their uuids, their `gtid_domain_id`, and what the server itself wrote. What is not certain counts as the cluster's own.
 */
export function limitToOwn(servers: readonly ServerSnapshot[], sight: Sight): readonly ServerSnapshot[] {
  if (servers.every(({ foreignChannels, reported, strange }) => !foreignChannels && !reported && !strange))
    return servers
  const holders = servers.filter(({ id, foreignChannels }) => id === sight.memory.primary || !foreignChannels)
  const held = holders.reduce((all, server) => union(all, positionsOf(reportOf(server))), noTransactions)
  const primary = servers.find(({ id }) => id === sight.memory.primary)
  return servers.map((server) => {
    const { strange: known = {}, reported: _, ...rest } = server
    const state = reportOf(server)
    if (!state || !server.foreignChannels || server === primary)
      return state ? { ...without(rest), state } : without(rest)
    const isOwn = ownStreams(servers, state, sight)
    const unknown = Object.keys(positionsOf(state)).filter((stream) => !(stream in held) && !isOwn(stream))
    const strange = Object.fromEntries(unknown.map((stream) => [stream, known[stream] ?? server.stateAt ?? 0]))
    const readAt = primary?.state ? (primary.stateAt ?? 0) - primary.probeMs : 0
    const answers = primary !== undefined && isReachable(primary)
    const certain = new Set(unknown.filter((stream) => answers || (strange[stream] ?? 0) < readAt))
    const foreign = union(
      pick(positionsOf(state), (stream) => certain.has(stream)),
      foreignPart(servers, server, { state, held, isOwn }),
    )
    return {
      ...without(rest),
      ...(unknown.length > 0 ? { strange } : {}),
      ...(isEmpty(foreign) ? { state } : { state: limited(server, state, foreign), reported: state }),
    }
  })
}

/** A newer state, limited as the one before it until all servers are judged together again: decisions may come in between. */
export function limitedAs(
  before: ServerSnapshot,
  state: ServerState,
): Pick<ServerSnapshot, 'reported'> & { readonly state: ServerState } {
  const known = before.state?.gtid.foreign ?? noTransactions
  const foreign = pick(positionsOf(state), (stream) => stream in known)
  return isEmpty(foreign) ? { state } : { state: limited(before, state, foreign), reported: state }
}

/** A server without any stream that no server but those with foreign channels holds: nobody else can be missing it. */
export function withoutStrange(server: ServerSnapshot): ServerSnapshot {
  const { strange } = server
  const state = reportOf(server)
  if (!strange || !state) return server
  const streams = union(
    pick(positionsOf(state), (stream) => stream in strange),
    server.state?.gtid.foreign ?? noTransactions,
  )
  return { ...server, state: limited(server, state, streams) }
}

const without = ({ strange: _, ...server }: Omit<ServerSnapshot, 'reported'>): ServerSnapshot => server

const reportOf = ({ state, reported }: ServerSnapshot): ServerState | undefined => reported ?? state

/** Executed, or received on any channel. */
const positionsOf = (state: ServerState | undefined): GtidSet =>
  (state?.channels ?? []).reduce((all, { received }) => union(all, received), state?.gtid.executed ?? noTransactions)

/** Streams that are named after a server of the cluster. */
function ownStreams(
  servers: readonly ServerSnapshot[],
  state: ServerState,
  { memory }: Sight,
): (stream: string) => boolean {
  if (state.identity.flavour === 'mariadb') {
    const domains = new Set(servers.flatMap((one) => (one.state ? [`${one.state.gtid.domain}`] : [])))
    return (stream) => domains.has(stream) || `${stream}-${state.serverNumber}` in state.gtid.byOrigin
  }
  const uuids = new Set(servers.map((one) => (one.state ?? memory.identities?.[one.id])?.uuid?.toLowerCase()))
  return (stream) => uuids.has(uuidOf(stream))
}

/**
 * MySQL names the server that a stream comes from: where that is the source of a foreign channel, what goes beyond the others' part
 * of it came from there, on a server that was the primary with that channel, too. On MariaDB a domain has one position.
 */
function foreignPart(
  servers: readonly ServerSnapshot[],
  server: ServerSnapshot,
  { state, held, isOwn }: { state: ServerState; held: GtidSet; isOwn: (stream: string) => boolean },
): GtidSet {
  if (state.identity.flavour === 'mariadb' || servers.length < 2) return noTransactions
  const sources = new Set(foreignOf(server, state).map(({ source }) => source.uuid?.toLowerCase()))
  return subtract(
    pick(positionsOf(state), (stream) => sources.has(uuidOf(stream)) && !isOwn(stream)),
    held,
  )
}

const uuidOf = (stream: string): string => stream.split(':', 1)[0] ?? stream

const foreignOf = ({ foreignChannels = [] }: ServerSnapshot, { channels }: ServerState): readonly Channel[] =>
  channels.filter(({ name }) => foreignChannels.includes(name))

/** The state without these transactions; its foreign channels stay as they were read. */
function limited(server: ServerSnapshot, state: ServerState, foreign: GtidSet): ServerState {
  const others = foreignOf(server, state)
  const { gtid } = state
  const byOrigin =
    state.identity.flavour === 'mariadb'
      ? pick(gtid.byOrigin, (stream) => !(stream.slice(0, stream.indexOf('-')) in foreign))
      : subtract(gtid.byOrigin, foreign)
  const own = (set: GtidSet) =>
    state.identity.flavour === 'mariadb' ? pick(set, (stream) => !(stream in foreign)) : subtract(set, foreign)
  return {
    ...state,
    gtid: { ...gtid, executed: own(gtid.executed), byOrigin, foreign },
    channels: state.channels.map((channel) =>
      others.includes(channel)
        ? channel
        : { ...channel, received: own(channel.received), applied: own(channel.applied) },
    ),
  }
}
