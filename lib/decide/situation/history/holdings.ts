// Whose transactions a server holds: by origin, so that what only one server has is found whatever was last polled.

import { transactions } from '../../../base/counted.js'
import type { Memory } from '../../../model/memory.js'
import {
  contains,
  countTransactions,
  formatSet,
  type GtidSet,
  type Interval,
  noTransactions,
  parseState,
  pick,
  subtract,
  union,
} from '../../../model/server/gtid.js'
import type { ServerState } from '../../../model/server/reading.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { channelOf, unappliedOf } from '../channel.js'
import type { DecideSettings } from '../situation.js'

type SourceName = Pick<DecideSettings, 'replication-source-name'>

/** What is needed to find a server's missing transactions: crash records hold what a primary had when it took over. */
export type Records = Pick<Memory, 'crashes' | 'history'>

const isMariadb = (state: ServerState): boolean => state.identity.flavour === 'mariadb'

/** Whether the transactions of a by-origin stream were first written on this server. */
export function isOrigin(stream: string, state: ServerState): boolean {
  if (isMariadb(state)) return stream.endsWith(`-${state.serverNumber}`)
  const uuid = state.uuid?.toLowerCase()
  return uuid !== undefined && (stream === uuid || stream.startsWith(`${uuid}:`))
}

/**
 * Executed transactions by origin. MariaDB's binary log state knows only what was logged here; a server filled from
 * a copy knows the rest by its replica position.
 */
export function executedByOrigin(server: ServerSnapshot, records: Records = { crashes: [], history: [] }): GtidSet {
  const { state } = server
  if (!state) return noTransactions
  const reported = isMariadb(state) ? originsOf(state) : state.gtid.byOrigin
  return [...records.crashes, ...records.history]
    .filter(({ newPrimary }) => newPrimary === server.id)
    .reduce((set, { byOrigin }) => union(set, byOrigin), reported)
}

/** Its binary log state, and its position as a replica where that names another domain or origin; without foreign domains. */
const originsOf = ({ gtid: { byOrigin, foreign = {}, text } }: ServerState): GtidSet =>
  union(
    byOrigin,
    pick(parseState(text.replica), (stream) => !(stream.slice(0, stream.indexOf('-')) in foreign)),
  )

/** Received and not yet applied, by origin: MariaDB positions name no origin, so they are counted as the source's own. */
export function pendingByOrigin(server: ServerSnapshot, settings: SourceName): GtidSet {
  const channel = channelOf(server, settings)
  const pending = unappliedOf(server, settings)
  if (!channel || !server.state || !isMariadb(server.state)) return pending
  return Object.fromEntries(
    Object.entries(pending).map(([domain, intervals]) => [`${domain}-${channel.source.serverNumber}`, intervals]),
  )
}

/** Executed or received, by origin. */
export const heldByOrigin = (server: ServerSnapshot, settings: SourceName): GtidSet =>
  union(executedByOrigin(server), pendingByOrigin(server, settings))

/**
 * Transactions that `server` executed and `primary` never had. Streams that the primary itself may have extended since it
 * was last read are left out: a stale reading of a dead primary must not make its replicas errant. By a channel of any cluster it
 * extends what others write.
 */
export function errantOf(server: ServerSnapshot, primary: ServerSnapshot, records: Records): GtidSet {
  const { state } = server
  const source = primary.state
  if (!state || !source) return noTransactions
  const known = executedByOrigin(primary, records)
  const extra = subtract(executedByOrigin(server), known)
  return pick(extra, (stream) => {
    if (isOrigin(stream, source)) return false
    if (isOrigin(stream, state)) return true
    return source.channels.length === 0 && (!isMariadb(state) || stream in known)
  })
}

/**
 * What only `server` has, for people. MariaDB keeps the last transaction of each origin only, so a set begins where the primary's
 * ends: numbers up to the last one of another origin in the domain may be that one's. Those beyond it were written there alone.
 */
export function errantText(extra: GtidSet, server: ServerSnapshot): string {
  const certain = certainPart(extra, server)
  return `${countOf(extra, certain)}, ${formatSet(certain)}`
}

/** `at least 3 transactions`, where `certain` is a part of `extra` only. */
export const countOf = (extra: GtidSet, certain: GtidSet): string =>
  `${contains(certain, extra) ? '' : 'at least '}${transactions(countTransactions(certain))}`

/** What of `extra` only the server can have written; empty only where `extra` is. */
export function certainPart(extra: GtidSet, { state }: Pick<ServerSnapshot, 'state'>): GtidSet {
  if (!state || !isMariadb(state)) return extra
  const others = originsOf(state)
  return Object.fromEntries(
    Object.keys(extra).map((stream): [string, readonly Interval[]] => {
      const domain = stream.slice(0, stream.indexOf('-') + 1)
      const rivals = Object.keys(others).filter((each) => each !== stream && each.startsWith(domain))
      const before = Math.max(0, ...rivals.map((each) => lastOf(others, each)))
      const [first, last] = [extra[stream]?.[0]?.[0] ?? 0, lastOf(extra, stream)]
      return [stream, [[last > before ? Math.max(first, before + 1) : last, last]]]
    }),
  )
}

/**
 * The part of `set` (by origin) that blocks replication: all of it on MySQL; on MariaDB only what nothing of its domain
 * came after, since a position that was overtaken is never asked for again.
 */
export function blockingPart(set: GtidSet, server: ServerSnapshot): GtidSet {
  const { state } = server
  if (!state || !isMariadb(state)) return set
  return pick(set, (stream) => {
    const domain = stream.slice(0, stream.indexOf('-'))
    return lastOf(set, stream) >= lastOf(state.gtid.executed, domain)
  })
}

/** What a returning server holds and the present primary is missing: as long as there is any, it must not follow. */
export function aheadOf(
  server: ServerSnapshot,
  primary: ServerSnapshot,
  { settings, memory }: { readonly settings: SourceName; readonly memory: Records },
): GtidSet {
  const { state } = primary
  if (!state) return noTransactions
  const isFresher = (primary.stateAt ?? 0) >= (server.stateAt ?? 0)
  const extra = subtract(executedByOrigin(server), executedByOrigin(primary, memory))
  const pending = subtract(pendingByOrigin(server, settings), executedByOrigin(primary, memory))
  const settled = (set: GtidSet) => pick(set, (stream) => isFresher || !isOrigin(stream, state))
  return union(blockingPart(settled(extra), server), settled(pending))
}

const lastOf = (set: GtidSet, stream: string): number => set[stream]?.at(-1)?.[1] ?? 0
