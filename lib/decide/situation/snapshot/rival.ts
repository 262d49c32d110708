// A second manager on the same servers: only the one that holds the lock of most of them acts.
import type { Rival } from '../../../model/server/presence.js'
import type { ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'

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
