// Lines in which logins wait for their turn: one each interval, no longer than a bound. Where a line is full, chance decides who stays.
import { LRUCache } from 'lru-cache'
import { now as clock, sleep } from '../../../lib/base/time.js'

export interface Line {
  readonly key: string
  /** Between two turns, and the longest that one waits for its turn, milliseconds. */
  readonly everyMs: number
  readonly longestMs: number
}

export interface Turns {
  /** True when the turn has come; false when another one has taken it, or none was free. */
  wait(line: Line): Promise<boolean>
}

export interface TurnParts {
  readonly now?: () => number
  /** From 0 to less than 1. */
  readonly random?: () => number
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Logins that wait at once, in all lines. */
  readonly most?: number
}

interface Ticket {
  readonly at: number
  readonly lost: AbortController
}

export const MOST_WAITING = 2_000

/**
 * A new one at a full line draws with those that wait in it: each of them, the new one too, is refused with the same chance.
 * First come, first served would let in who asks most often. Where all lines together are full, the longest of
 * them loses one: a flood for one name keeps nobody of another name out.
 */
export function createTurns({
  now = clock,
  random = Math.random,
  pause = sleep,
  most = MOST_WAITING,
}: TurnParts = {}): Turns {
  /** When the next turn of a line is. */
  const nextTurns = new LRUCache<string, number>({ max: 10_000 })
  const waiting = new Map<string, Ticket[]>()
  let total = 0

  const leave = (key: string, ticket: Ticket): void => {
    const rest = (waiting.get(key) ?? []).filter((other) => other !== ticket)
    if (rest.length > 0) waiting.set(key, rest)
    else waiting.delete(key)
    total -= 1
  }
  /** One of those that wait in the line, which loses its turn; undefined: the new one does, which draws in its own line. */
  const draw = (from: string, isOwn: boolean): Ticket | undefined => {
    const all = waiting.get(from) ?? []
    const loser = all[Math.floor(random() * (all.length + (isOwn ? 1 : 0)))]
    if (!loser) return undefined
    leave(from, loser)
    loser.lost.abort()
    return loser
  }
  const join = (key: string, at: number): Ticket => {
    const ticket = { at, lost: new AbortController() }
    waiting.set(key, [...(waiting.get(key) ?? []), ticket])
    total += 1
    return ticket
  }
  const longest = (key: string): string => {
    let [found, length] = [key, waiting.get(key)?.length ?? 0]
    for (const [other, { length: others }] of waiting) if (others > length) [found, length] = [other, others]
    return found
  }
  /** The line that has to lose one first: the own one, the longest of all, or none. */
  const crowdedFor = ({ key, longestMs }: Line, at: number): string | undefined => {
    if (at - now() > longestMs) return key
    return total >= most ? longest(key) : undefined
  }

  return {
    wait: async (line) => {
      const { key, everyMs } = line
      const at = Math.max(now(), nextTurns.get(key) ?? 0)
      if (at <= now()) {
        nextTurns.set(key, at + everyMs)
        return true
      }
      const from = crowdedFor(line, at)
      const loser = from === undefined ? undefined : draw(from, from === key)
      if (from !== undefined && !loser) return false
      // A turn in the own line is taken over, one of another line stays unused.
      const isTaken = loser !== undefined && from === key
      if (!isTaken) nextTurns.set(key, at + everyMs)
      const ticket = join(key, isTaken ? loser.at : at)
      await pause(ticket.at - now(), ticket.lost.signal)
      if (ticket.lost.signal.aborted) return false
      leave(key, ticket)
      return true
    },
  }
}
