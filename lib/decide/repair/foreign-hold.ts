// MariaDB: servers that cannot follow the primary, or not after their next connection, since another cluster goes on sending to them.
import { type GtidSet, isEmpty, noTransactions, pick } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import { addressText } from '../../model/server/server.js'
import { channelsElsewhere, findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelOf, isPositionRefused, isReachable } from '../situation/channel.js'
import { memberStreams } from '../situation/foreign.js'
import { aheadOf } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'

export interface ForeignHold {
  /** The server does not follow, and may not be made to: absent where it still does, and may be refused when it connects again. */
  readonly isOut?: true
  readonly channels: readonly Channel[]
  /** Domains of other clusters that both it and the primary have. */
  readonly domains: readonly string[]
  /** By origin: what came from there and the primary is missing. */
  readonly extra: GtidSet
}

/**
 * A replica may be in a domain that its source knows nothing of, and not ahead of its source in one that it has (error 1236). So a server
 * with a channel that brings what the primary has received a part of, as a former primary with that channel, is refused.
 */
export function foreignHold(server: ServerSnapshot, situation: Situation): ForeignHold | undefined {
  const { snapshot, settings, memory } = situation
  const primary = findServer(snapshot, snapshot.primary)
  const { state } = server
  const channels = channelsElsewhere(server)
  if (!state || !primary?.state || server.id === primary.id || channels.length === 0) return undefined
  if (state.identity.flavour !== 'mariadb' || !isReachable(server)) return undefined
  const isMember = memberStreams(snapshot.servers, state, situation)
  const theirs = primary.state.gtid.executed
  const domains = Object.keys(state.gtid.executed).filter((domain) => domain in theirs && !isMember(domain))
  if (domains.length === 0) return undefined
  const ahead = aheadOf(server, primary, { settings, memory })
  const extra = pick(ahead, (origin) => domains.includes(origin.slice(0, origin.indexOf('-'))))
  const runs = channels.some(({ io, sql }) => io !== 'stopped' || sql !== 'stopped')
  if (isEmpty(extra) && !runs) return undefined
  const own = channelOf(server, settings)
  const isOut = server.sourceId !== primary.id || (own !== undefined && isPositionRefused(own))
  return { ...(isOut ? { isOut } : {}), channels, domains, extra }
}

/** Streams of other clusters that its source has, and it has nothing of: only that source ever brought them here. */
export function foreignNeverHad({ sourceId, state }: ServerSnapshot, situation: Situation): readonly string[] {
  const { servers } = situation.snapshot
  const source = findServer(situation.snapshot, sourceId)
  if (!state || !source?.state || channelsElsewhere(source).length === 0) return []
  const isMember = memberStreams(servers, source.state, situation)
  return Object.keys(source.state.gtid.executed).filter(
    (stream) => !(stream in state.gtid.executed) && !isMember(stream),
  )
}

/** What keeps it out without a channel of another cluster. */
export function withoutForeign(extra: GtidSet, hold: ForeignHold | undefined): GtidSet {
  const foreign = hold?.extra ?? noTransactions
  return pick(extra, (origin) => !(origin in foreign))
}

export const channelText = ({ name, source }: Channel): string =>
  `channel ${name === '' ? 'default' : name} from ${addressText(source)}`
