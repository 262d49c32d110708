// Whether the readings of a snapshot belong together: after the manager was suspended, some are old and some are new.
import { SECOND } from '../../../base/time.js'
import { readAt, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'
import type { DecideSettings } from '../situation.js'

/** Readings this far apart describe one state of the cluster: a healthy server is probed at least every ticker. */
const TOGETHER_MS = 3 * SECOND

/**
 * Every server that answers was read within a few seconds of the others, and after what turned last: a server that was opened, closed
 * or given another source shows what was done to it, and only later readings show what was done to the others. One reading of
 * now beside one of before a pause would show a role in two places, or in none. A reading shows some moment after it was
 * asked for, a login before that left out: an answer that waited while the manager was suspended ends when that wakes up, and shows what was before.
 */
export function seenTogether(
  servers: readonly ServerSnapshot[],
  settings: Pick<DecideSettings, 'monitoring-ticker'>,
): boolean {
  const read = servers.filter(isReachable).map((server) => ({
    from: readAt(server),
    to: server.stateAt ?? 0,
    turnedAt: server.turnedAt ?? Number.NEGATIVE_INFINITY,
  }))
  const apartMs = Math.max(...read.map(({ to }) => to)) - Math.min(...read.map(({ from }) => from))
  if (read.length > 0 && apartMs > Math.max(TOGETHER_MS, 1.5 * settings['monitoring-ticker'] * SECOND)) return false
  const [last, ...others] = read.sort((one, other) => other.turnedAt - one.turnedAt)
  const [next] = others
  return !last || !next || (others.every(({ from }) => from >= last.turnedAt) && last.from >= next.turnedAt)
}

/**
 * It restarted and came back open, closed or with another source. One that its own file opens takes writes until it is closed, for which
 * readings of the others that are later than this one are needed: they are not waited for until they are due.
 */
export const hasStartedTurned = (before: ServerSnapshot, { restartedAt, turnedAt }: ServerSnapshot): boolean =>
  turnedAt !== undefined && turnedAt !== before.turnedAt && turnedAt === restartedAt
