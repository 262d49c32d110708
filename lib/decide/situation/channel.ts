// One server's replication on this cluster's channel: which channel, what it holds, what it still has to apply.
import { countTransactions, type GtidSet, noTransactions, subtract, union } from '../../model/server/gtid.js'
import type { Channel } from '../../model/server/reading.js'
import { mainChannel, type ServerSnapshot } from '../../model/snapshot.js'
import type { DecideSettings } from './situation.js'

type SourceName = Pick<DecideSettings, 'replication-source-name'>

/** The channel that belongs to this cluster, as last reported. */
export const channelOf = (server: ServerSnapshot, settings: SourceName): Channel | undefined =>
  mainChannel(server, settings['replication-source-name'])

/** Answered its latest probe: what is known of it is fresh and commands can reach it. */
export const isReachable = (server: ServerSnapshot): boolean => server.observation === 'answered'

export const isWritable = (server: ServerSnapshot): boolean => server.state !== undefined && !server.state.readOnly

/** Everything it received, applied or not; what it executed when it has no source. */
export const receivedOf = (server: ServerSnapshot, settings: SourceName): GtidSet =>
  channelOf(server, settings)?.received ?? server.state?.gtid.executed ?? noTransactions

/** What it received and has not applied yet. */
export function unappliedOf(server: ServerSnapshot, settings: SourceName): GtidSet {
  const channel = channelOf(server, settings)
  if (!channel || !server.state) return noTransactions
  return subtract(channel.received, union(channel.applied, server.state.gtid.executed))
}

/**
 * How far its applier is behind, seconds: 0 as soon as everything received is applied, whatever the database last
 * said, so that a position frozen by the source's death ages into nothing. Absent when it cannot be known.
 */
export function applyDelayOf(server: ServerSnapshot, settings: SourceName): number | undefined {
  const channel = channelOf(server, settings)
  if (!channel) return undefined
  if (channel.io !== 'running' && countTransactions(unappliedOf(server, settings)) === 0) return 0
  return channel.lagSeconds ?? server.arrivals?.[channel.name]?.lagSeconds
}

/** Neither thread runs, and no error stopped one. */
export const isStoppedOnly = ({ io, sql, ioError, sqlError }: Channel): boolean =>
  io === 'stopped' && sql === 'stopped' && ioError.code === 0 && sqlError.code === 0

/** No connection to the source, none any more, or no such host. */
const unanswered: ReadonlySet<number> = new Set([2002, 2003, 2005, 2006, 2013])

/** What its receiver has against its source is that it does not answer. */
export const isUnanswered = ({ ioError }: Channel): boolean => unanswered.has(ioError.code)

/** MariaDB's ER_SLAVE_FATAL_ERROR, MySQL's ER_REPLICA_FATAL_ERROR: the text says what it is. */
const fatalErrors: ReadonlySet<number> = new Set([1593, 13117])

/** The receiver stopped because what answers at the address of its source has its own number or uuid. */
export const isSentToItself = ({ io, ioError }: Channel): boolean =>
  io === 'stopped' && fatalErrors.has(ioError.code) && /equal \w+ server (ids|uuids)/i.test(ioError.message)

/** What its source answered as it asked for a value of it: the number is that of the answer (1104 for `max_join_size`), the text says so. */
const fatalText = /because a fatal error is encountered/i

/** A fatal error stopped its receiver, which the server does not start again, beside an applier that nobody stopped. */
export const isHalted = ({ io, ioError, sql, sqlError }: Channel): boolean =>
  io === 'stopped' &&
  (fatalErrors.has(ioError.code) || fatalText.test(ioError.message)) &&
  (sql === 'running' || sqlError.code !== 0)

/** Numbers of the error that the source answers when it cannot serve the position: MariaDB and old MySQL, MySQL 8. */
const refusedPosition: ReadonlySet<number> = new Set([1236, 13114])

/** The source refused the position of a stopped receiver: it deleted the binary logs, or it does not share the history. */
export const isPositionRefused = ({ io, ioError }: Channel): boolean =>
  io === 'stopped' && refusedPosition.has(ioError.code)

/** Of these, the ones that ask for binary logs which were deleted. By the source's own words: the number is the same. */
export const isPurged = (channel: Channel): boolean =>
  isPositionRefused(channel) && /purged|could not find (gtid state|first log)/i.test(channel.ioError.message)
