// A second manager on the same servers: only the one that holds the lock of most of them acts, and not on what it may just have done.
import { SECOND } from '../../../base/time.js'
import type { Rival, Rivalry } from '../../../model/server/presence.js'
import type { BareSnapshot, ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable, isWritable } from '../channel.js'

/**
 * A manager reads the locks every 2 s and a reading takes up to 2 s: for so long two may both believe that they act, and what one
 * begins then shows on the servers within a second.
 */
export const RIVAL_MS = 5 * SECOND

/** Undefined without another manager. Both see the same locks, so of two managers that reach the same servers one acts. */
export function judgeRival(servers: readonly ServerSnapshot[]): Rival | undefined {
  const seen = servers.filter(isReachable)
  const others = seen.filter(({ presence }) => presence?.other !== undefined)
  const waiting = seen.flatMap(({ presence }) => (presence?.holds && presence.waiting) || [])
  if (others.length === 0 && waiting.length === 0) return undefined
  const own = seen.filter(({ presence }) => presence?.holds === true)
  return {
    hosts: [...new Set([...others.flatMap(({ presence }) => presence?.other ?? []), ...waiting])].sort(),
    acts: others.length > own.length || (others.length === own.length && first(others) < first(own)),
  }
}

/** The lowest server id: managers may call the servers by different names. */
const first = (servers: readonly ServerSnapshot[]): number =>
  Math.min(...servers.map(({ state }) => state?.serverNumber ?? Number.POSITIVE_INFINITY))

/** What is remembered of the other manager; undefined when it has been away for long enough. */
export function followRivalry(before: Rivalry | undefined, rival: Rival | undefined, now: number): Rivalry | undefined {
  const actedAt = rival?.acts ? now : before?.actedAt
  const acted = actedAt === undefined ? {} : { actedAt }
  if (rival) return { seenAt: now, ...acted }
  return before && now - before.seenAt < RIVAL_MS ? { ...before, ...acted } : undefined
}

type Beside = Pick<BareSnapshot, 'rival' | 'rivalry' | 'at'>

/**
 * Another manager acts, or did a moment ago. What it did last is not undone; meanwhile this one takes the server for the primary
 * that clients use, not the one that it remembers.
 */
export const givesWay = ({ rival, rivalry, at }: Beside): boolean =>
  rival?.acts === true || (rivalry?.actedAt !== undefined && at - rivalry.actedAt < RIVAL_MS)

/** Without another manager always; else when the server has been open, or closed, for as long as one act of the other may take. */
export function isSteady(server: ServerSnapshot, { rivalry, at }: Beside): boolean {
  if (!rivalry || !server.state) return true
  const changedAt = isWritable(server) ? server.closedAt : server.writableAt
  return changedAt === undefined || at - changedAt >= RIVAL_MS
}
