// Findings of servers that replicate from another cluster, too.
import { isEmpty, noTransactions } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import { channelsElsewhere, findServer, type ServerSnapshot } from '../../model/snapshot.js'
import { channelText, foreignHold } from '../repair/foreign-hold.js'
import { isReachable } from '../situation/channel.js'
import { errantText, executedByOrigin } from '../situation/history/holdings.js'
import type { Situation } from '../situation/situation.js'
import type { ServerRow } from './row.js'

const listed = (channels: readonly Channel[]): string => channels.map(channelText).join(', ')

export const foreignRows: readonly ServerRow[] = [
  { code: 'WARN0255', detail: (server, { situation }) => undecided(server, situation) },
  {
    code: 'WARN0256',
    detail: (server, { situation }) => {
      const isPrimary = server.id === situation.snapshot.primary && isReachable(server)
      const sources = isPrimary ? channelsElsewhere(server) : []
      return sources.length === 0 ? undefined : `${server.name}: ${listed(sources)}.`
    },
  },
  {
    code: 'WARN0272',
    detail: (server) => {
      const broken = isReachable(server) ? channelsElsewhere(server).flatMap(brokenText) : []
      return broken.length === 0 ? undefined : `${server.name}: ${broken.join('; ')}`
    },
  },
  {
    code: 'WARN0264',
    detail: (server, { situation }) => {
      const hold = foreignHold(server, situation)
      if (!hold?.isOut) return undefined
      const extra = isEmpty(hold.extra) ? '' : `: the primary is missing ${errantText(hold.extra, server)}`
      return `${server.name}, ${listed(hold.channels)}${extra}.`
    },
  },
  {
    code: 'WARN0265',
    detail: (server, { situation }) => {
      const hold = foreignHold(server, situation)
      if (!hold || hold.isOut) return undefined
      return `${server.name}, ${listed(hold.channels)}: domain ${hold.domains.join(', ')}.`
    },
  },
]

/** What its threads have stopped at, or why it cannot connect; a channel that a person stopped has no error. */
function brokenText(channel: Channel): readonly string[] {
  const { io, sql, ioError, sqlError } = channel
  const threads = [
    { name: 'receiver', state: io, error: ioError },
    { name: 'applier', state: sql, error: sqlError },
  ]
  const broken = threads.filter(({ state, error }) => state !== 'running' && error.code !== 0)
  const texts = broken.map(
    ({ name, state, error }) =>
      `the ${name} ${state === 'stopped' ? 'is stopped' : 'cannot connect'}, error ${error.code}: ${error.message}`,
  )
  return texts.length === 0 ? [] : [`${channelText(channel)}: ${texts.join('; ')}`]
}

/** Domains of the cluster in which a foreign source writes, too, and streams that were never compared with the primary. */
function undecided(server: ServerSnapshot, { snapshot }: Situation): string | undefined {
  const { state, strange = {}, foreignChannels } = server
  const primary = findServer(snapshot, snapshot.primary)
  if (!state || !foreignChannels || !primary || server.id === primary.id || !isReachable(server)) return undefined
  const foreign = state.gtid.foreign ?? noTransactions
  const unsettled = isReachable(primary) ? [] : Object.keys(strange).filter((stream) => !(stream in foreign))
  const mixed = channelsElsewhere(server).flatMap((channel) => mixedDomains(server, channel, snapshot.servers))
  const streams = [...new Set([...mixed, ...unsettled])]
  return streams.length === 0
    ? undefined
    : `${server.name}: ${listed(channelsElsewhere(server))}: ${streams.join(', ')}.`
}

/** MariaDB: domains that other servers of the cluster have, with transactions that only the foreign source can have written. */
function mixedDomains(
  server: ServerSnapshot,
  { source: { serverNumber } }: Channel,
  servers: readonly ServerSnapshot[],
): readonly string[] {
  if (server.state?.identity.flavour !== 'mariadb') return []
  if (servers.some(({ state }) => state?.serverNumber === serverNumber)) return []
  const others = servers.filter(({ id }) => id !== server.id)
  const written = Object.keys(executedByOrigin(server)).filter((stream) => stream.endsWith(`-${serverNumber}`))
  const streams = written.filter((stream) => others.every((one) => !(stream in executedByOrigin(one))))
  const domains = streams.map((stream) => stream.slice(0, stream.indexOf('-')))
  return domains.filter((domain) => others.some(({ state }) => domain in (state?.gtid.executed ?? noTransactions)))
}
