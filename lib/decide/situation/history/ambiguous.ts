// Replicas with GTIDs that name other transactions on the primary: its binary log was deleted, or it took writes without them.
//
// A GTID of MariaDB is (domain, server, sequence); of MySQL (server uuid, sequence). Two servers have the same history up to a GTID as
// long as each GTID was given once. A replica asks for what follows its last GTID, and the primary sends that when its log has this
// GTID, whatever transaction it names there. So a history is ambiguous where a GTID was given twice:
//
//   Claim. R holds g of the primary P. R differs from P for good and is accepted by it if and only if P gave g again, and R received
//   something of P after that. "If": R asks for what follows g, so the second transaction of that name, and those that P wrote under
//   other names of R, are never sent. "Only if": P gives each sequence number once as long as its counter never goes back.
//
// The counter goes back in two ways only, and both are seen:
//   1. P lost its end and went on: it is seen without a GTID that it held (history.ts, `lostOf`), or it refuses R's position, naming
//      it. A GTID of its own that it is missing while it takes writes is given again. Where nobody looked before all of them were, its
//      binary log shows it (log-end.ts, `isReplacedLog`; what that does not see is K7 of SAFETY.md).
//   2. Its binary log was deleted: the log ends before where it was seen (`isBegunAgain`). Deleted by a person, the counter began at 1,
//      as nothing shows that it did not. Deleted by the manager (deleted-log.ts), the outcome says whether the counter went on: then
//      no GTID was given twice, and nothing is noted. That deletion is known before it is sent, readings that began before its outcome
//      are not judged; after a deletion without an outcome the server is asked what its log begins with, and only where it does not
//      say that does it count as a person's: there is no order of messages in which a probe decides.
//      That a log which was read disappeared ("could not find next log") shows a deletion and not what became of the counter.
//
// R is noted in either case with the GTIDs that it holds then (the record, not yet `passed`): it has the whole history of before, and is
// the one that can save it. It has passed over the second history once P has accepted it or it holds more of P than then; this is the
// mark. A server without a source is noted, too, and is not made to follow P by the manager, since that would be the acceptance.
//
// The mark ends with the data or with the claim: the server is seen empty; the manager filled it; a person filled it in maintenance
// (its own binary log begins again, and not because the manager deleted it); the present primary shares its history (`succeed`); or an
// operator accepts it (actions/reset-failover-control). It does not end with time, with restarts, or with what it receives.
import type { Ambiguous, Held, Memory } from '../../../model/memory.js'
import {
  contains,
  type GtidSet,
  isEmpty,
  mariadbGtids,
  noTransactions,
  pick,
  subtract,
  union,
} from '../../../model/server/gtid.js'
import type { ServerId } from '../../../model/server/server.js'
import { findServer, mainChannel, type ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, isPositionRefused, isReachable, isWritable } from '../channel.js'
import type { DecideSettings } from '../situation.js'
import { type HistoryInput, hasOneWriter, isUnsettled, lostOf, renamedByLog } from './history.js'
import { executedByOrigin, heldByOrigin, isOrigin } from './holdings.js'
import { isBegunAgain, logEndOf } from './log-end.js'

interface Sight extends Omit<HistoryInput, 'settings'> {
  readonly settings: Pick<DecideSettings, 'replication-source-name'>
  /** What was held before these servers were judged: of this primary, or of its predecessor. */
  readonly before: Held | undefined
  readonly now: number
}

interface RecordInput extends Pick<Sight, 'servers' | 'settings' | 'now'> {
  /** Under whom the GTIDs name other transactions. */
  readonly primary: ServerId
}

interface Input extends Sight, RecordInput {
  /** Servers that still hold the history of before: what they feed to others goes on with that. */
  readonly waiting: ReadonlySet<ServerId>
}

type Records = Readonly<Record<ServerId, Ambiguous>>

/**
 * A replica is noted when the primary is seen without what it holds. While nothing is sent to it, it holds the history of
 * before, and may take over. Once it goes on, it has passed over what the primary wrote under the same GTIDs, and never gets it.
 */
export function rememberAmbiguous(memory: Memory, sight: Sight): Pick<Memory, 'ambiguous'> {
  const primary = findServer(sight, memory.primary)
  if (!primary?.state || !hasOneWriter(sight.topology) || isUnsettled(memory, primary)) return {}
  const { ambiguous = {}, returns = {} } = memory
  const waiting = new Set(Object.keys(ambiguous).filter((id) => !ambiguous[id]?.passed))
  const input = { ...sight, primary: primary.id, waiting }
  const records = succeed(ambiguous, primary, input)
  const known = input.servers.flatMap((server): [ServerId, Ambiguous][] => {
    const record = records[server.id]
    if (server.id === primary.id || returns[server.id]?.filled || isReplaced(server, record)) return []
    const next = record ? follow(server, record, input) : notice(server, primary, input)
    return next ? [[server.id, next]] : []
  })
  const isSame = known.length === Object.keys(ambiguous).length && known.every(([id, one]) => ambiguous[id] === one)
  return isSame ? {} : { ambiguous: Object.fromEntries(known) }
}

/** The GTIDs that name other transactions on the primary, once the server has passed over those. */
export function ambiguousIn({ id }: ServerSnapshot, { ambiguous = {} }: Pick<Memory, 'ambiguous'>): GtidSet {
  const record = ambiguous[id]
  return record?.passed ? record.set : noTransactions
}

/**
 * The GTIDs under which the primary wrote others, of a server that receives nothing from anybody: as its replica it would pass over
 * those.
 */
export function wouldPassOver(
  server: ServerSnapshot,
  primary: ServerId | undefined,
  { ambiguous = {} }: Pick<Memory, 'ambiguous'>,
): GtidSet {
  const record = ambiguous[server.id]
  const isAlone = server.sourceId === undefined && server.state !== undefined && !mainChannel(server)
  return record && !record.passed && isAlone && record.primary === primary ? record.set : noTransactions
}

/** The binary log of a server was deleted on request: its end shows no other data of that server. */
export function renewLog(memory: Memory, server: ServerId, now: number): Memory {
  const record = memory.ambiguous?.[server]
  if (!record?.log) return memory
  const log = { file: '', position: 0, at: now }
  return { ...memory, ambiguous: { ...memory.ambiguous, [server]: { ...record, log } } }
}

/** The binary log of the primary was deleted on request: its GTIDs begin again. */
export function noteDeletedLog(memory: Memory, input: RecordInput): Memory {
  const { ambiguous = {} } = memory
  const noted = input.servers.flatMap((server): [ServerId, Ambiguous][] => {
    const set = heldByOrigin(server, input.settings)
    const isKnown = server.id === input.primary || ambiguous[server.id] !== undefined || isEmpty(set)
    return isKnown ? [] : [[server.id, recordOf(server, set, input)]]
  })
  return noted.length === 0 ? memory : { ...memory, ambiguous: { ...ambiguous, ...Object.fromEntries(noted) } }
}

/**
 * What the records mean under a new primary. One that holds the history of before makes that the history of all: then the GTIDs
 * of its predecessor, and of who followed that one, name others. One that passed over transactions is without what the rest has.
 */
function succeed(records: Records, primary: ServerSnapshot, input: Input): Records {
  const mine = records[primary.id]
  if (!mine) return records
  const { before, settings } = input
  const renamed = mine.passed ? mine.set : union(mine.set, before?.forked ?? noTransactions)
  const entries = input.servers.flatMap((server): [ServerId, Ambiguous][] => {
    const record = records[server.id]
    if (server.id === primary.id || !server.state) return []
    if (record?.passed) return [[server.id, record]]
    // It waited for the same history.
    if (record && !mine.passed) return []
    const set = shared(heldByOrigin(server, settings), renamed)
    return isEmpty(set) ? [] : [[server.id, { ...recordOf(server, set, input), passed: true }]]
  })
  return Object.fromEntries(entries)
}

/** The first sight of it. Of a server that was not seen yet, what it held is not known: its first reading decides. */
function notice(server: ServerSnapshot, primary: ServerSnapshot, input: Input): Ambiguous | undefined {
  const { before, settings } = input
  if (before?.primary !== primary.id || !isReachable(primary)) return undefined
  const byLog = renamedByLog(before, primary)
  if (!server.state) return byLog && recordOf(server, byLog, input)
  const renamed = byLog ?? renamedOn(primary, server, { ...input, before })
  const set = shared(heldByOrigin(server, settings), renamed)
  return isEmpty(set) ? undefined : recordOf(server, set, input)
}

/**
 * What the server holds and a primary that takes writes does not. What a server receives is from the primary of now, and may be
 * later than what that showed.
 */
function renamedOn(
  primary: ServerSnapshot,
  server: ServerSnapshot,
  { before, settings }: Input & { readonly before: Held },
): GtidSet {
  const channel = channelOf(server, settings)
  if (!isWritable(primary) || channel?.io === 'running') return noTransactions
  const lost = lostOf(primary, before)
  const isRefused = channel && server.sourceId === primary.id && isPositionRefused(channel)
  return isRefused ? union(lost, refusedTo(server, primary, channel.ioError.message)) : lost
}

/** Of what the primary wrote: it refused a position that it has forgotten. */
function refusedTo(server: ServerSnapshot, { state }: ServerSnapshot, message: string): GtidSet {
  if (!state) return noTransactions
  const written = pick(executedByOrigin(server), (stream) => isOrigin(stream, state))
  if (/more GTIDs than/i.test(message)) return subtract(written, state.gtid.byOrigin)
  const [, gtid = ''] = /\bGTID (\d+-\d+-\d+)/.exec(message) ?? []
  const refused = mariadbGtids(gtid).map(({ domain, origin, sequence }) => [
    `${domain}-${origin}`,
    [[sequence, sequence]],
  ])
  return shared(written, Object.fromEntries(refused))
}

function follow(server: ServerSnapshot, record: Ambiguous, input: Input): Ambiguous | undefined {
  const seen = server.maintenance && !record.maintained ? { ...record, maintained: true as const } : record
  if (seen.passed || !server.state || !isReachable(server)) return seen
  if (isEmpty(shared(heldByOrigin(server, input.settings), seen.set))) return undefined
  const at = writtenBy(seen.primary, server, input)
  if (isFed(server, input) && (isConnected(server, at, input) || !contains(seen.at, at)))
    return { ...seen, passed: true }
  // What it had received and not applied may be deleted when its replication is started.
  return contains(at, seen.at) ? seen : { ...seen, at }
}

/** By a server that does not itself hold the history of before. */
const isFed = ({ sourceId }: ServerSnapshot, { waiting }: Input): boolean =>
  sourceId !== undefined && !waiting.has(sourceId)

/** Its source holds its position by name, so it was accepted, and what comes next is of another history. */
function isConnected(server: ServerSnapshot, at: GtidSet, { servers, settings }: Input): boolean {
  const source = findServer({ servers }, server.sourceId)
  const isLater = (server.stateAt ?? 0) >= (source?.stateAt ?? 0)
  return (
    channelOf(server, settings)?.io === 'running' &&
    source !== undefined &&
    isLater &&
    contains(executedByOrigin(source), at)
  )
}

/** Of what a server holds, the writing of the primary of then. */
function writtenBy(
  id: ServerId,
  server: ServerSnapshot,
  { servers, settings }: Pick<Input, 'servers' | 'settings'>,
): GtidSet {
  const writer = findServer({ servers }, id)?.state
  return writer ? pick(heldByOrigin(server, settings), (stream) => isOrigin(stream, writer)) : noTransactions
}

function recordOf(server: ServerSnapshot, set: GtidSet, input: RecordInput): Ambiguous {
  const { slow } = server
  return {
    since: input.now,
    primary: input.primary,
    set,
    at: writtenBy(input.primary, server, input),
    ...(slow ? { log: { file: slow.binlogFile, position: slow.binlogPosition, at: slow.at } } : {}),
  }
}

/** The data are others: it was seen empty, or its binary log was begun again during or after maintenance. */
function isReplaced(server: ServerSnapshot, record: Ambiguous | undefined): boolean {
  const { state } = server
  if (!state || !isReachable(server)) return false
  if (isEmpty(state.gtid.executed)) return true
  return (
    record?.maintained === true && record.log !== undefined && isBegunAgain(record.log, logEndOf(server, record.log))
  )
}

const shared = (left: GtidSet, right: GtidSet): GtidSet => subtract(left, subtract(left, right))
