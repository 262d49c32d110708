// The history of a cluster as far as any server was ever seen to hold it, and what of it the primary is missing.
import { SECOND } from '../../../base/time.js'
import type { Held, Memory } from '../../../model/memory.js'
import { contains, type GtidSet, isEmpty, noTransactions, pick, subtract, union } from '../../../model/server/gtid.js'
import { textOf } from '../../../model/server/named.js'
import { type BareSnapshot, findServer, readAt, type ServerSnapshot, type Topology } from '../../../model/snapshot.js'
import { channelOf, isReachable, isWritable, receivedOf, unappliedOf } from '../channel.js'
import { isWaiting } from '../durability.js'
import type { DecideSettings, Situation } from '../situation.js'
import { hasFailed } from '../state-name.js'
import { blockingPart, errantOf, executedByOrigin, isOrigin } from './holdings.js'
import { isBegunAgain, isReplacedLog, keepLog, logEndOf } from './log-end.js'

type SourceName = Pick<DecideSettings, 'replication-source-name'>

export interface HistoryInput {
  readonly servers: readonly ServerSnapshot[]
  readonly topology: Topology
  readonly settings: SourceName & Pick<DecideSettings, 'failover-falsepositive-ping-counter'>
}

/** There transactions are not named after one writer, or the servers do not share a history. */
const unnamed: ReadonlySet<Topology> = new Set(['galera', 'group-replication', 'active-passive'])

/** There a server may receive what it wrote itself before it is read again. */
const severalWriters: ReadonlySet<Topology> = new Set(['multi-primary', 'ring'])

/** Whether transactions are named after the one server that takes writes. */
export const hasOneWriter = (topology: Topology): boolean => !unnamed.has(topology) && !severalWriters.has(topology)

/**
 * What was ever seen of the history of the remembered primary, with what the servers show now: what it executed, and what the
 * others hold of its own writing. A new primary starts a new record: what it was missing was given up when it took over. The
 * very object given when nothing was new.
 */
export function rememberHeld(memory: Memory, { servers, topology, settings }: HistoryInput): Held | undefined {
  const primary = findServer({ servers }, memory.primary)
  // A server without others shares its history with none.
  if (!primary?.state || servers.length < 2 || unnamed.has(topology)) return memory.held
  if (isUnsettled(memory, primary)) return memory.held
  const before = memory.held?.primary === primary.id ? memory.held : takenOver(primary, memory, servers)
  const mine = union(before?.set ?? noTransactions, acknowledgedOf(primary, servers, settings))
  // What the primary itself showed is missing only in a reading that began later: readings of one server may overlap.
  const learnt = before !== undefined && !contains(before.set, mine)
  const news = servers
    .filter(({ id }) => id !== primary.id)
    .map((server) => ({
      at: isCutOff(server, primary, { before, settings }) ? 0 : (server.stateAt ?? 0),
      isFed: server.sourceId === primary.id && channelOf(server, settings)?.io === 'running',
      set: ofThisNumbering(ownOf(primary, server, settings), server, memory),
    }))
    .filter((other) => !contains(mine, other.set))
  // One that receives from the primary shows more since that wrote on: its position was accepted.
  const unfed = news.filter(({ isFed }) => !isFed)
  const certain = {
    set: unfed.reduce((all, other) => union(all, other.set), mine),
    at: Math.max(before?.at ?? 0, ...unfed.map((other) => other.at)),
  }
  const set = news.reduce((all, other) => union(all, other.set), mine)
  const term = termOf(primary, before)
  const next: Held = {
    primary: primary.id,
    set,
    at: Math.max(before?.at ?? 0, learnt ? (primary.stateAt ?? 0) : 0, ...news.map((other) => other.at)),
    ...term,
    ...keepLog(primary, before, { set, log: term.log }),
    ...(hasEverything(primary, certain, { servers, settings }) && isWhole(primary, before)
      ? startSeen(primary, before)
      : {}),
    ...receivedFrom(primary, before, { servers, settings, memory }),
  }
  return memory.held === before && before && isSame(before, next) ? before : next
}

/**
 * What the primary executed, without transactions of its own that may wait for a replica still. MariaDB counts a transaction as executed
 * before the wait (AFTER_SYNC), and takes it back when it starts with `init_rpl_role=SLAVE`: no client had an answer for it. One
 * that a replica received waits no longer; and where the source does not wait, or not any more, nothing does.
 */
function acknowledgedOf(primary: ServerSnapshot, servers: HistoryInput['servers'], settings: SourceName): GtidSet {
  const shown = executedByOrigin(primary)
  const { state } = primary
  if (state?.identity.flavour !== 'mariadb' || !isWaiting(primary) || state.semiSync.waitPoint !== 'after-sync')
    return shown
  const own = pick(shown, (stream) => isOrigin(stream, state))
  const positions = servers
    .filter(({ id }) => id !== primary.id)
    .reduce((all, other) => union(all, receivedOf(other, settings)), noTransactions)
  const received = Object.keys(own).map((stream) => [stream, positions[domainOf(stream)] ?? []])
  const waiting = subtract(own, Object.fromEntries(received))
  return isEmpty(waiting) ? shown : subtract(shown, waiting)
}

/** Its binary log is being deleted on request, or was when this reading of it began. */
export const isUnsettled = ({ deleting, held }: Pick<Memory, 'deleting' | 'held'>, primary: ServerSnapshot): boolean =>
  deleting?.[primary.id] !== undefined || (held?.primary === primary.id && readAt(primary) < (held.since ?? 0))

/** Without the GTIDs of a numbering that was given up when the binary log was deleted on request. */
function ofThisNumbering(set: GtidSet, { id }: ServerSnapshot, { ambiguous, held }: Memory): GtidSet {
  const record = ambiguous?.[id]
  return record && held && record.primary === held.primary ? subtract(set, subtract(record.set, held.set)) : set
}

/**
 * The first record of a primary to which the manager moved the role: what it had of the history when it took over, which it may
 * have lost before it was probed again. Readings that are older than this show nothing.
 */
function takenOver(
  primary: ServerSnapshot,
  { held, history }: Memory,
  servers: HistoryInput['servers'],
): Held | undefined {
  const crash = history.findLast(({ newPrimary }) => newPrimary === primary.id)
  if (!held || crash?.oldPrimary !== held.primary) return undefined
  const received = Object.fromEntries(
    Object.keys(held.set).map((stream) => [stream, crash.received[stream] ?? crash.received[domainOf(stream)] ?? []]),
  )
  const given = subtract(held.set, subtract(held.set, received))
  const at = Math.max(...servers.map(({ stateAt = 0 }) => stateAt))
  return { primary: primary.id, set: union(given, crash.byOrigin), at: at + 1 }
}

const domainOf = (stream: string): string => stream.slice(0, stream.indexOf('-'))

/** Errant transactions of a replica were not received; positions of MariaDB do not distinguish them, so it does not count. */
function receivedFrom(
  primary: ServerSnapshot,
  before: Held | undefined,
  { servers, settings, memory }: Pick<HistoryInput, 'servers' | 'settings'> & { readonly memory: Memory },
): Pick<Held, 'received'> {
  const received = servers
    .filter(({ sourceId }) => sourceId === primary.id)
    .filter((server) => isEmpty(blockingPart(errantOf(server, primary, memory), server)))
    .reduce((all, server) => union(all, receivedOf(server, settings)), before?.received ?? noTransactions)
  return isEmpty(received) ? {} : { received }
}

/**
 * Whether all of what is held by now is in a reading of the primary that began later than what it is compared with. Every other server
 * was read since the primary was started, or has failed: what none of them shows may be missing still.
 */
const hasEverything = (
  primary: ServerSnapshot,
  known: Pick<Held, 'set' | 'at'>,
  { servers, settings }: Pick<HistoryInput, 'servers' | 'settings'>,
): boolean =>
  isReachable(primary) &&
  readAt(primary) >= known.at &&
  isEmpty(lostOf(primary, known)) &&
  servers.every(
    (one) =>
      one.id === primary.id ||
      one.observation === 'rejected' ||
      hasFailed(one, settings) ||
      (one.state !== undefined && readAt(one) >= startOf(primary)),
  )

/** Nor is anything of it known to be lost from before. */
const isWhole = (primary: ServerSnapshot, before: Held | undefined): boolean => isEmpty(forkedBy(primary, before))

const startSeen = (primary: ServerSnapshot, before: Held | undefined): Pick<Held, 'startedAt'> =>
  isSameStart(primary, before) ? {} : { startedAt: startOf(primary) }

/**
 * The primary was started since it had everything, and the server is not connected to it: what it holds it did not receive from this
 * process, so it does not matter which of the two was read first.
 */
const isCutOff = (
  server: ServerSnapshot,
  primary: ServerSnapshot,
  { before, settings }: { readonly before: Held | undefined; readonly settings: SourceName },
): boolean => before !== undefined && isStartedLater(primary, before) && channelOf(server, settings)?.io !== 'running'

/** What of the record of before its GTIDs may name otherwise: lost while it takes writes, or its binary log begins again. */
function forkedBy(primary: ServerSnapshot, before: Held | undefined): GtidSet {
  const { forked = noTransactions } = before ?? {}
  const lost = before && isWritable(primary) ? lostOf(primary, before) : noTransactions
  return union(union(forked, lost), (before && renamedByLog(before, primary)) ?? noTransactions)
}

/**
 * What of the record the binary log of the primary shows to be named twice, or possibly so; undefined where it shows nothing. Begun
 * again: all of it. A log that is another one although nothing of the record is missing: the primary came back with older data, and
 * took writes under the GTIDs that it had given before. Which of its own these are is not to be seen.
 */
export function renamedByLog(before: Held, primary: ServerSnapshot): GtidSet | undefined {
  const { log, set } = before
  if (log && isBegunAgain(log, logEndOf(primary, log))) return set
  const { state } = primary
  if (!state || !isWritable(primary) || !isReplacedLog(before, primary)) return undefined
  return isEmpty(missing(set, primary)) ? pick(set, (stream) => isOrigin(stream, state)) : undefined
}

/** What is seen of the primary itself, while it answers. */
function termOf(primary: ServerSnapshot, before: Held | undefined): Partial<Held> {
  const { opened, startedAt, log, since, forked = noTransactions } = before ?? {}
  const kept = {
    ...(opened ? { opened } : {}),
    ...(since === undefined ? {} : { since }),
    ...(log ? { log } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(isEmpty(forked) ? {} : { forked }),
  }
  if (!isReachable(primary)) return kept
  const both = forkedBy(primary, before)
  return {
    ...kept,
    log: logEndOf(primary, log),
    ...(isWritable(primary) ? { opened: true } : {}),
    ...(isEmpty(both) ? {} : { forked: both }),
  }
}

const startOf = ({ state, stateAt = 0 }: ServerSnapshot): number => stateAt - (state?.uptimeSeconds ?? 0) * SECOND

/** Uptimes are whole seconds, and clocks are set. */
const START_MS = 2 * SECOND

const isSameStart = (server: ServerSnapshot, held: Held | undefined): boolean =>
  held?.startedAt !== undefined && Math.abs(startOf(server) - held.startedAt) <= START_MS

/** What was held is given up on request. */
export function forgetHeld({ held: _, ...memory }: Memory): Memory {
  return memory
}

const isSame = (left: Held, right: Held): boolean =>
  left.set === right.set &&
  left.opened === right.opened &&
  left.startedAt === right.startedAt &&
  left.since === right.since &&
  left.log?.at === right.log?.at &&
  left.kept === right.kept &&
  left.keeping === right.keeping &&
  contains(left.received ?? noTransactions, right.received ?? noTransactions) &&
  contains(left.forked ?? noTransactions, right.forked ?? noTransactions)

/** Whether its process was started since it last had everything: another data directory comes with a start only. */
export const startedWithout = ({ memory: { held } }: Pick<Situation, 'memory'>, server: ServerSnapshot): boolean =>
  held !== undefined && isStartedLater(server, held)

const isStartedLater = (server: ServerSnapshot, { startedAt }: Held): boolean =>
  startedAt !== undefined && startOf(server) > startedAt + START_MS

/**
 * What the primary was seen without although it or another server held it: lost in a crash, by another data directory, by a
 * deleted binary log. It stays when the primary took writes without it, since GTIDs may name other transactions from then on.
 */
export function lostByPrimary({ memory }: Pick<Situation, 'memory'>, primary: ServerSnapshot): GtidSet {
  const { held } = memory
  if (held?.primary !== primary.id || !isReachable(primary) || isUnsettled(memory, primary)) return noTransactions
  return union(held.forked ?? noTransactions, lostOf(primary, held))
}

/**
 * What the remembered primary is missing, open or closed. One that an operation opens, or has opened since it was read, is not
 * judged by that reading: what others hold beyond it was written since.
 */
export function missingFromPrimary(situation: Situation, primary: ServerSnapshot): GtidSet {
  if (isWritable(primary)) return lostByPrimary(situation, primary)
  // What became of a log that was deleted may be asked for: until then a closed server is not opened.
  const isUnread = situation.memory.deleting?.[primary.id]?.unread === true
  if ((!isUnread && isUnsettled(situation.memory, primary)) || situation.snapshot.opening === primary.id)
    return noTransactions
  return missingAtOpening(situation, primary)
}

/**
 * A reading of the primary that began before a transaction was seen elsewhere does not show that it is missing. Nor does one in which
 * the primary is committing it: it waits for a replica that has it already.
 */
export function lostOf(primary: ServerSnapshot, { set, at }: Pick<Held, 'set' | 'at'>): GtidSet {
  if (readAt(primary) < at) return noTransactions
  return missing(subtract(set, primary.state?.gtid.committing ?? noTransactions), primary)
}

/**
 * What speaks against opening a server: everything of the history that it is missing, whenever that was read. While the primary
 * was never seen taking writes, what others hold beyond it counts, of any origin: it may be an old copy.
 */
export function missingAtOpening({ memory, snapshot, settings }: Situation, server: ServerSnapshot): GtidSet {
  const { held } = memory
  if (!held || !server.state) return noTransactions
  const { set, opened, forked = noTransactions, primary } = held
  const known = union(set, forked)
  if (primary !== server.id) return missing(known, server)
  const others = opened
    ? []
    : snapshot.servers.filter((one) => one.id !== server.id && !one.maintenance && isReachable(one))
  return missing(
    others.reduce((all, other) => union(all, ofThisNumbering(beyond(server, other, settings), other, memory)), known),
    server,
  )
}

/**
 * Transactions that a replica wrote itself when it was the primary, that the primary holds, and that it lost. Its receiver passes
 * over them, since it takes them for its own, so it never gets them back on its own. A server that was filled from a copy has no
 * stream of its own, and its position covers them.
 */
export function missingOwn(
  server: ServerSnapshot,
  snapshot: Pick<BareSnapshot, 'servers' | 'primary' | 'topology'>,
  { held }: Pick<Memory, 'held'>,
): GtidSet {
  const { state } = server
  const primary = findServer(snapshot, snapshot.primary)
  if (!state?.readOnly || !primary?.state || server.id === primary.id) return noTransactions
  if (!hasOneWriter(snapshot.topology)) return noTransactions
  const known = union(executedByOrigin(primary), held?.primary === primary.id ? held.set : noTransactions)
  return union(lostOwn(known, server), stillLost(known, server))
}

/**
 * What it was found without stays missing although it received later ones. Another data directory comes with a restart, or from
 * a person who fills the server while it is in maintenance: then what it shows counts.
 */
function stillLost(known: GtidSet, server: ServerSnapshot): GtidSet {
  const { missingOwn: before, restartedAt, stateAt, maintenance } = server
  if (!before || maintenance || restartedAt === stateAt) return noTransactions
  const unseen = unseenOwn(known, server)
  return subtract(unseen, subtract(unseen, before))
}

/** Of these, what the server wrote itself and is missing. A copy's position covers what came before it. */
export function lostOwn(known: GtidSet, server: ServerSnapshot): GtidSet {
  const mine = executedByOrigin(server)
  const lost = unseenOwn(known, server)
  return pick(
    lost,
    (stream) =>
      stream in mine ||
      !isEmpty(
        blockingPart(
          pick(lost, (one) => one === stream),
          server,
        ),
      ),
  )
}

/** The same, whether a copy that it was filled from had them or not. */
export const unseenOwn = (known: GtidSet, server: ServerSnapshot): GtidSet =>
  pick(
    subtract(known, executedByOrigin(server)),
    (stream) => server.state !== undefined && isOrigin(stream, server.state),
  )

/** Whether it can still receive them in their order: MariaDB asks for what comes after its position. */
export const canReceiveOwn = ({ state }: ServerSnapshot, lost: GtidSet): boolean =>
  state?.identity.flavour === 'mariadb' &&
  Object.entries(lost).every(([stream, [first]]) => {
    const position = state.gtid.executed[stream.slice(0, stream.indexOf('-'))]?.at(-1)?.[1] ?? 0
    return first !== undefined && position < first[0]
  })

/** It was open for a while, and no transaction was written: it has none, or counts none since it was started. */
export function wroteNothing({ state, slow, writableAt = 0, restartedAt = 0 }: ServerSnapshot): boolean {
  if (isEmpty(state?.gtid.executed ?? noTransactions)) return true
  const isLater = slow !== undefined && slow.at > Math.max(writableAt, restartedAt)
  return isLater && textOf(slow.status, COMMITS) === '0'
}

/** Its counter shows commits since it was started. A reading from before says nothing. */
export const hasWritten = ({ slow, restartedAt = 0 }: ServerSnapshot): boolean =>
  slow !== undefined && slow.at > restartedAt && Number(textOf(slow.status, COMMITS) ?? 0) > 0

/** MariaDB: transactions written to the binary log since the start, applied ones included. */
const COMMITS = 'binlog_commits'

const missing = (set: GtidSet, primary: ServerSnapshot): GtidSet =>
  blockingPart(subtract(set, executedByOrigin(primary)), primary)

/**
 * What the server holds that the primary wrote. While the last reading of the primary still shows a source, what waits elsewhere
 * came from that source.
 */
const ownOf = (primary: ServerSnapshot, server: ServerSnapshot, settings: SourceName): GtidSet =>
  pick(
    channelOf(primary, settings)
      ? subtract(executedByOrigin(server), executedByOrigin(primary))
      : beyond(primary, server, settings),
    (stream) => primary.state !== undefined && isOrigin(stream, primary.state),
  )

/**
 * What the server holds beyond the primary, by origin. Positions of MariaDB name no origin: what it received beyond the position
 * of the primary, and did not apply yet, was written by its source.
 */
export function beyond(primary: ServerSnapshot, server: ServerSnapshot, settings: SourceName): GtidSet {
  const executed = subtract(executedByOrigin(server), executedByOrigin(primary))
  const source = channelOf(server, settings)?.source
  const waiting = subtract(unappliedOf(server, settings), primary.state?.gtid.executed ?? noTransactions)
  if (server.state?.identity.flavour !== 'mariadb' || !source) return union(executed, waiting)
  const named = Object.entries(waiting).map(([domain, intervals]) => [`${domain}-${source.serverNumber}`, intervals])
  return union(executed, Object.fromEntries(named))
}
