// Why a server cannot take over: one row per reason. The first that holds is the one reported.

import { transactions } from '../../../base/counted.js'
import { SECOND } from '../../../base/time.js'
import type { FindingCode } from '../../../model/findings.js'
import {
  contains,
  countTransactions,
  formatSet,
  isEmpty,
  noTransactions,
  subtract,
} from '../../../model/server/gtid.js'
import { textOf } from '../../../model/server/named.js'
import type { Channel, ReplicationFilters, ServerState } from '../../../model/server/reading.js'
import { addressText, type ServerId } from '../../../model/server/server.js'
import { compareVersions } from '../../../model/server/version.js'
import { findServer, type ServerSnapshot } from '../../../model/snapshot.js'
import { applyDelayOf, channelOf, isPurged, isReachable } from '../../situation/channel.js'
import { failedLogin } from '../../situation/fresh-login.js'
import { cannotPromote } from '../../situation/grants.js'
import { blockingPart, errantOf, errantText } from '../../situation/history/holdings.js'
import { behindLock, heldBy } from '../../situation/lock-wait.js'
import { tooFewSessions } from '../../situation/session-limit.js'
import type { DecideSettings, Situation } from '../../situation/situation.js'
import { cannotReplicate } from '../../situation/stopping-defaults.js'
import { followersOf } from '../../situation/topology/sources.js'
import { describeLostWithPrimary, describeOwnElsewhere } from './missing-history.js'

/** failover: the primary is, or is taken to be, dead. switchover: it lives and will be waited for. */
export type ElectionKind = 'failover' | 'switchover'

export interface ElectionContext {
  readonly situation: Situation
  readonly kind: ElectionKind
  /** A person asked: what only guards against haste is passed. */
  readonly forced: boolean
  readonly primary?: ServerSnapshot
  /** Servers that receive nothing any more because the plan that asks has stopped them. */
  readonly stopped?: readonly ServerId[]
}

interface Contender {
  readonly server: ServerSnapshot
  readonly state: ServerState
  readonly channel: Channel
}

export interface Ineligible {
  readonly code: FindingCode
  readonly reason: string
}

/** Undefined when the server may take over. The primary itself is never asked. */
export function judgeEligibility(server: ServerSnapshot, context: ElectionContext): Ineligible | undefined {
  if (server.maintenance) return { code: 'ERR00047', reason: 'is in maintenance' }
  if (!isReachable(server)) return { code: 'ERR00040', reason: `does not answer (${server.observation})` }
  const { state } = server
  const channel = channelOf(server, context.situation.settings)
  const doubt = describeDoubt(server, context.situation.settings)
  if (doubt !== undefined) return { code: 'ERR00190', reason: doubt }
  if (!state || !channel || server.sourceId === undefined) return judgeUnconnected(server, context)
  for (const [code, judge, only] of rows) {
    if (only !== undefined && only !== context.kind) continue
    const reason = judge({ server, state, channel }, context)
    if (reason !== undefined) return { code, reason }
  }
  return undefined
}

/**
 * A server without a source is not eligible, except one that an interrupted promotion left behind: it
 * has all that the primary was last seen with, it is closed, and it never was a primary itself.
 */
function judgeUnconnected(
  server: ServerSnapshot,
  { kind, primary, situation, forced }: ElectionContext,
): Ineligible | undefined {
  const { state } = server
  const missing = forced ? undefined : describeOwnElsewhere(server, situation)
  if (missing !== undefined) return { code: 'ERR00124', reason: missing }
  const ambiguous = describeAmbiguous(server, { kind, forced })
  if (ambiguous !== undefined) return { code: 'ERR00128', reason: ambiguous }
  const executed = primary?.state?.gtid.executed ?? noTransactions
  const left =
    kind === 'failover' &&
    server.rating !== 'ignored' &&
    state?.readOnly &&
    !channelOf(server, situation.settings) &&
    !server.startedWithoutPrimary &&
    !situation.memory.crashes.some(({ oldPrimary }) => oldPrimary === server.id) &&
    !isEmpty(executed) &&
    contains(state.gtid.executed, executed)
  return left ? undefined : { code: 'ERR00033', reason: 'does not replicate from a server of this cluster' }
}

/** A person who forces a failover gives up what it passed over. */
function describeAmbiguous(
  { ambiguous }: ServerSnapshot,
  { kind, forced }: Pick<ElectionContext, 'kind' | 'forced'>,
): string | undefined {
  if (!ambiguous || (forced && kind === 'failover')) return undefined
  return `passed over transactions of the primary, whose GTIDs name others here: ${formatSet(ambiguous)}`
}

function describeDiffering({ id }: ServerSnapshot, { situation, forced }: ElectionContext): string | undefined {
  const differing = situation.memory.differing?.[id]
  if (!differing || forced || situation.settings['failover-divergent-data']) return undefined
  return `has other data than the primary (failover-divergent-data is off): ${differing.error}`
}

type Row = readonly [FindingCode, (contender: Contender, context: ElectionContext) => string | undefined, ElectionKind?]

const rows: readonly Row[] = [
  [
    'ERR00124',
    ({ server: { missingOwn: lost } }) =>
      lost && `is missing ${transactions(countTransactions(lost))} that it wrote itself: ${formatSet(lost)}`,
  ],
  ['ERR00128', ({ server }, context) => describeAmbiguous(server, context)],
  ['ERR00125', ({ channel }) => when(isPurged(channel), 'needs binary logs that its source has deleted')],
  ['ERR00037', ({ server }) => when(server.rating === 'ignored', 'is ignored by configuration')],
  ['ERR00033', ({ state, channel }) => when(!state.gtid.enabled || !channel.usesGtid, 'does not use GTID replication')],
  ['ERR00040', ({ state }) => when(!state.binlog, 'has no binary log')],
  ['ERR00040', ({ server, state }, context) => keepsNothing(server, state, context)],
  ['ERR00008', ({ server }, { situation }) => cannotPromote('ERR00008', server, situation)],
  ['ERR00009', ({ server }, { situation }) => cannotPromote('ERR00009', server, situation)],
  ['ERR00186', ({ server }) => tooFewSessions(server, 'failover')],
  // A failover goes on with the sessions that are kept; it says so.
  ['ERR00195', ({ server }) => failedLogin(server), 'switchover'],
  ['WARN0262', ({ server }) => cannotReplicate(server, 'source'), 'switchover'],
  ['WARN0087', ({ server, state }, context) => sharedNumber(server, state, context)],
  // A person who asks for a failover gives up what only other servers hold.
  ['ERR00124', ({ server }, { situation, forced }) => (forced ? undefined : describeOwnElsewhere(server, situation))],
  [
    'ERR00117',
    ({ server }, { primary, situation }) => primary && describeLostWithPrimary(server, primary, situation),
    'switchover',
  ],
  [
    'ERR00084',
    ({ server }, { situation, forced }) =>
      when(
        server.startedWithoutPrimary && !forced && !situation.settings['failover-restart-unsafe'],
        'started after a total outage and has not connected to the primary since',
      ),
  ],
  [
    'ERR00042',
    ({ channel }) =>
      when(channel.sql !== 'running', `is not applying: ${channel.sqlError.message || 'its SQL thread is stopped'}`),
  ],
  ['ERR00042', ({ server }, context) => describeDiffering(server, context)],
  [
    'ERR00087',
    ({ channel }) => when(channel.io !== 'running', 'does not receive, although the primary is alive'),
    'switchover',
  ],
  ['ERR00087', stoppedReceiving, 'failover'],
  [
    'ERR00041',
    ({ channel }) => when(channel.delaySeconds > 0, `is configured with a delay of ${channel.delaySeconds} s`),
  ],
  ['ERR00041', receivedTooLongAgo, 'failover'],
  // Before the delay that follows from it: a person can end the lock.
  ['WARN0257', ({ server }) => standsBehindLock(server), 'switchover'],
  ['WARN0268', ({ server }) => heldBy(server) && `cannot take over: ${heldBy(server)}`, 'switchover'],
  ['ERR00041', appliesTooLate, 'switchover'],
  [
    'ERR00043',
    ({ server }, { primary, situation, forced }) =>
      when(
        situation.settings['failover-at-sync'] && !forced && !wasInSync(server, primary),
        'was not in sync with the primary',
      ),
    'failover',
  ],
  [
    'ERR00043',
    ({ server }, { primary, situation }) =>
      when(situation.settings['switchover-at-sync'] && !wasInSync(server, primary), 'is not in sync with the primary'),
    'switchover',
  ],
  ['ERR00034', unequalGtid, 'switchover'],
  ['ERR00034', lowerRelease, 'switchover'],
  ['ERR00121', otherBinlogFilters],
  ['ERR00121', otherReplicationFilters],
  ['WARN0091', errant],
]

/** Each code once, in the order of the rows. */
export const ineligibleCodes: readonly FindingCode[] = [
  ...new Set<FindingCode>(['ERR00047', 'ERR00190', ...rows.map(([code]) => code)]),
]

/** Which channel a promotion would have to end, or could not tell from the cluster's own once that is gone. */
function describeDoubt({ channelDoubt }: ServerSnapshot, settings: DecideSettings): string | undefined {
  const name = settings['replication-source-name']
  const named = name === '' ? 'the default name' : `the name ${name}`
  if (channelDoubt === 'several')
    return `follows servers of this cluster by several channels, none of which has ${named}`
  return when(channelDoubt === 'taken', `has a channel with ${named} to a source that is no server of this cluster`)
}

const when = (holds: boolean, reason: string): string | undefined => (holds ? reason : undefined)

/** Others could not follow a server that logs nothing of what it replicated. */
function keepsNothing(
  server: ServerSnapshot,
  state: ServerState,
  { situation, primary }: ElectionContext,
): string | undefined {
  const others = primary ? followersOf(situation.snapshot.servers, primary.id).filter(({ id }) => id !== server.id) : []
  return when(
    !state.logReplicaUpdates && others.length > 0,
    'does not log what it replicates, so others could not replicate from it',
  )
}

function sharedNumber(
  server: ServerSnapshot,
  { serverNumber }: ServerState,
  { situation }: ElectionContext,
): string | undefined {
  const twin = situation.snapshot.servers.find(
    ({ id, state }) => id !== server.id && state?.serverNumber === serverNumber,
  )
  return twin && `has the same server id (${serverNumber}) as ${twin.name}`
}

/** Stopped manually before the primary died: it may be hours behind; only its missing transactions show it. */
function stoppedReceiving(
  { server, channel }: Contender,
  { primary, forced, stopped = [] }: ElectionContext,
): string | undefined {
  const missing = countTransactions(subtract(primary?.state?.gtid.executed ?? noTransactions, channel.received))
  return when(
    !forced && channel.io === 'stopped' && !stopped.includes(server.id) && missing > 0,
    `had stopped receiving, ${transactions(missing)} missing${channel.ioError.code === 0 ? '' : `: ${channel.ioError.message}`}`,
  )
}

/**
 * Received delay: transactions are missing, and it had received nothing for longer than the limit when the primary last
 * answered. Such a replica can never catch up by waiting. What is received but not applied is judged in veto-candidate.ts.
 */
function receivedTooLongAgo(
  { server, channel }: Contender,
  { primary, situation, forced }: ElectionContext,
): string | undefined {
  const limit = situation.settings['failover-max-slave-delay']
  const missing = countTransactions(subtract(primary?.state?.gtid.executed ?? noTransactions, channel.received))
  if (forced || limit < 0 || missing === 0 || primary?.stateAt === undefined) return undefined
  const behind = (primary.stateAt - (server.lastReceivedAt ?? primary.stateAt)) / SECOND
  return when(
    behind > limit,
    `received nothing from the primary for ${Math.round(behind)} s, ${transactions(missing)} missing`,
  )
}

function appliesTooLate({ server }: Contender, { situation }: ElectionContext): string | undefined {
  const { 'switchover-max-slave-delay': own, 'failover-max-slave-delay': usual } = situation.settings
  const limit = own > 0 ? own : usual
  if (limit < 0 || !situation.settings['check-replication-state']) return undefined
  const delay = applyDelayOf(server, situation.settings)
  if (delay === undefined) return 'reports no delay'
  return when(delay > limit, `has a delay of ${delay} s`)
}

/** Clients could not write while a switchover waited for the lock; a failover waits, since nobody can write anyway. */
function standsBehindLock(server: ServerSnapshot): string | undefined {
  const text = behindLock(server)
  return text && `cannot apply what it receives: ${text}`
}

/** Acknowledging when the primary last answered; its own status turns off when the source dies. */
export function wasInSync(server: ServerSnapshot, primary: ServerSnapshot | undefined): boolean {
  if (!primary?.state?.semiSync.sourceActive || server.inSyncAt === undefined) return false
  return server.inSyncAt >= (primary.stateAt ?? 0) - 2 * SECOND
}

function unequalGtid({ channel }: Contender, { primary, situation }: ElectionContext): string | undefined {
  const executed = primary?.state?.gtid.executed ?? noTransactions
  return when(
    situation.settings['switchover-at-equal-gtid'] && !contains(channel.applied, executed),
    'has not applied everything yet',
  )
}

function lowerRelease({ state }: Contender, { primary, situation }: ElectionContext): string | undefined {
  const mine = state.identity
  const theirs = primary?.state?.identity
  if (!theirs || situation.settings['switchover-lower-release'] || mine.flavour !== theirs.flavour) return undefined
  const lower = compareVersions({ ...mine.version, patch: 0 }, { ...theirs.version, patch: 0 }) < 0
  return when(lower, `runs ${mine.versionText}, an older release than the primary's ${theirs.versionText}`)
}

/** With other binary log filters it would not log what others need. They change with a restart only: see `isUnread`. */
function otherBinlogFilters(
  { server }: Contender,
  { primary, situation, forced }: ElectionContext,
): string | undefined {
  const [mine, theirs] = [server.slow, primary?.slow]
  if (!mine || !theirs || forced || !situation.settings['check-binlog-filters']) return undefined
  const differs = mine.binlogDoDb !== theirs.binlogDoDb || mine.binlogIgnoreDb !== theirs.binlogIgnoreDb
  return when(differs, 'has other binary log filters than the primary')
}

/** Longest time to read what a switchover decides by and was not read yet: all servers work as before meanwhile. */
export const UNREAD_MS = 15 * SECOND

/** Its process is younger than what slow probes have read of it. A switchover reads it again before it decides for good. */
export const isUnread = ({ slow, restartedAt }: ServerSnapshot): boolean =>
  slow === undefined || (restartedAt !== undefined && slow.at < restartedAt)

/**
 * With other replication filters it never replicated some data. Its own are read with every probe; those of a primary
 * without a source are variables of MariaDB, and cannot be read of MySQL, where only a switchover is refused for that.
 */
function otherReplicationFilters(
  { channel, state }: Contender,
  { primary, situation, kind, forced }: ElectionContext,
): string | undefined {
  const { settings } = situation
  if (forced || !primary || !settings['check-replication-filters']) return undefined
  const mine = withoutOwn(channel.filters, state)
  const theirs = filtersOf(primary, settings)
  if (!theirs) {
    const unknown = kind === 'switchover' && Object.keys(mine).length > 0
    return when(unknown, `has replication filters (${listed(mine)}), and those of the primary cannot be read`)
  }
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
  const differing = names.filter((name) => inOrder(mine[name]) !== inOrder(theirs[name]))
  return when(differing.length > 0, `has other replication filters than the primary (${differing.join(', ')})`)
}

/** Of its channel; without one those that a channel would have. Undefined when they cannot be known. */
function filtersOf(
  { slow, state, ...server }: ServerSnapshot,
  settings: DecideSettings,
): ReplicationFilters | undefined {
  const channel = state && channelOf({ ...server, state }, settings)
  if (channel) return withoutOwn(channel.filters, state)
  if (!slow || state?.identity.flavour !== 'mariadb') return undefined
  return Object.fromEntries(
    filterVariables.flatMap((name) => {
      const value = textOf(slow.variables, name) ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

/** A server that ignores its own transactions misses nothing. */
function withoutOwn(filters: ReplicationFilters = {}, { serverNumber }: ServerState): ReplicationFilters {
  const { replicate_ignore_server_ids: ignored, ...others } = filters
  return ignored === undefined || ignored === `${serverNumber}` ? others : filters
}

/** The order in which a list was set says nothing. */
const inOrder = (list = ''): string =>
  list
    .split(/\s*,\s*/)
    .toSorted()
    .join()

const listed = (filters: ReplicationFilters): string =>
  Object.entries(filters)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')

const filterVariables = [
  ...['replicate_do_db', 'replicate_ignore_db', 'replicate_do_table', 'replicate_ignore_table'],
  ...['replicate_wild_do_table', 'replicate_wild_ignore_table', 'replicate_rewrite_db'],
]

function errant({ server }: Contender, { primary, situation }: ElectionContext): string | undefined {
  if (!primary || !situation.settings['check-replication-errant-trx']) return undefined
  const extra = blockingPart(errantOf(server, primary, situation.memory), server)
  return isEmpty(extra) ? undefined : `has errant transactions: ${errantText(extra, server)}`
}

/** `db2 (10.0.0.2:3306)`: how sentences name a server. */
export const labelOf = (server: ServerSnapshot): string =>
  server.name === addressText(server) ? server.name : `${server.name} (${addressText(server)})`

export const nameOf = (situation: Pick<Situation, 'snapshot'>, id: string | undefined): string =>
  findServer(situation.snapshot, id)?.name ?? id ?? 'no server'
