// History of other clusters: what a replica with a second source has from there is taken out of the sets that decisions compare.
import type { Memory } from '../../model/memory.js'
import { type GtidSet, isEmpty, noTransactions, parseState, pick, subtract, union } from '../../model/server/gtid.js'
import type { Channel, ServerState } from '../../model/server/reading.js'
import { mainChannel, readAt, type ServerSnapshot } from '../../model/snapshot.js'
import { isReachable } from './channel.js'
import { foreignStreams } from './remember-foreign.js'
import type { DecideSettings } from './situation.js'

interface Sight {
  readonly memory: Pick<Memory, 'primary' | 'identities' | 'foreign' | 'held' | 'members'>
  readonly settings: Pick<DecideSettings, 'replication-source-name'>
}

/**
 * The servers, with sets limited to the history of this cluster: all that the primary holds, and all that a server without a
 * foreign channel holds. What else would have come over the cluster's own channels is on the primary first. A stream that only
 * servers with foreign channels hold is foreign while the primary answers, and where the primary was read after it was first seen
 * and still had nothing of it: a primary that died says no more of what came since. What was foreign then stays so, also for a manager
 * that starts later and where the channel is gone, until the cluster has something of it. Streams of the members themselves never are:
 * their uuids, their `gtid_domain_id`, and what the server itself wrote. What is not certain counts as the cluster's own.
 */
export function limitToOwn(servers: readonly ServerSnapshot[], sight: Sight): readonly ServerSnapshot[] {
  const { memory } = sight
  const isConcerned = ({ id, foreignChannels, reported, strange }: ServerSnapshot) =>
    foreignChannels !== undefined ||
    reported !== undefined ||
    strange !== undefined ||
    memory.foreign?.[id] !== undefined
  if (!servers.some(isConcerned)) return servers
  const held = servers.reduce((all, server) => union(all, ownPositions(server, sight)), noTransactions)
  const primary = servers.find(({ id }) => id === memory.primary)
  return servers.map((server) => {
    const { strange: known = {}, reported: _, ...rest } = server
    const state = reportOf(server)
    const remembered = rememberedOf(server, sight)
    if (!state || server === primary || (!server.foreignChannels && remembered.size === 0))
      return state ? { ...without(rest), state } : without(rest)
    const isOwn = memberStreams(servers, state, sight)
    const unknown = Object.keys(positionsOf(state)).filter(
      (stream) => !(stream in held) && !isOwn(stream) && (server.foreignChannels || remembered.has(stream)),
    )
    const strange = Object.fromEntries(unknown.map((stream) => [stream, known[stream] ?? server.stateAt ?? 0]))
    const askedAt = primary?.state ? readAt(primary) : 0
    const answers = primary !== undefined && isReachable(primary)
    const isElsewhere = writtenElsewhere(servers, server, sight)
    const certain = new Set(
      unknown.filter(
        (stream) => answers || (strange[stream] ?? 0) < askedAt || remembered.has(stream) || isElsewhere(stream),
      ),
    )
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

/** What the server shows of the cluster's history, whatever others show. */
function ownPositions(server: ServerSnapshot, sight: Sight): GtidSet {
  const positions = positionsOf(reportOf(server))
  if (server.id === sight.memory.primary) return positions
  if (server.foreignChannels) return noTransactions
  const remembered = rememberedOf(server, sight)
  return remembered.size === 0 ? positions : pick(positions, (stream) => !remembered.has(stream))
}

/** Streams that were foreign before, and that no primary was seen to have since. */
function rememberedOf({ id }: ServerSnapshot, { memory }: Sight): ReadonlySet<string> {
  const streams = foreignStreams(memory, id)
  const held = Object.keys(memory.held?.set ?? noTransactions)
  return new Set(streams.filter((stream) => !held.some((each) => each === stream || each.startsWith(`${stream}-`))))
}

/**
 * MariaDB names the server_id of the server that wrote a transaction. A domain in which the source of a foreign channel wrote, and
 * no server of the cluster did, is foreign, also where the primary was never read. Not where two clusters number their servers alike.
 */
function writtenElsewhere(
  servers: readonly ServerSnapshot[],
  server: ServerSnapshot,
  { memory }: Sight,
): (domain: string) => boolean {
  const state = reportOf(server)
  const numbers = servers.map((one) => numberOf(one, servers, memory))
  if (state?.identity.flavour !== 'mariadb' || numbers.some((number) => number === undefined)) return () => false
  const members = new Set(numbers)
  const sources = new Set(foreignOf(server, state).map(({ source }) => source.serverNumber))
  const origins = Object.keys(union(state.gtid.byOrigin, parseState(state.gtid.text.replica)))
  return (domain) => {
    const writers = origins
      .filter((origin) => origin.startsWith(`${domain}-`))
      .map((origin) => Number(origin.slice(domain.length + 1)))
    return writers.some((writer) => sources.has(writer)) && writers.every((writer) => !members.has(writer))
  }
}

/** As it says itself, now or before, else as its replicas know it. */
function numberOf(
  { id, state }: ServerSnapshot,
  servers: readonly ServerSnapshot[],
  { identities, members }: Sight['memory'],
): number | undefined {
  const known = state?.serverNumber ?? identities?.[id]?.serverNumber ?? members?.[id]
  if (known !== undefined) return known
  return servers
    .filter(({ sourceId }) => sourceId === id)
    .map((one) => mainChannel(one)?.source.serverNumber ?? 0)
    .find((number) => number > 0)
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

/** Streams that are named after a server of the cluster, or in which the server of this state wrote. */
export function memberStreams(
  servers: readonly ServerSnapshot[],
  state: ServerState,
  { memory }: { readonly memory: Pick<Memory, 'identities'> },
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
