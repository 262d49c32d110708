// How far the binary log of a primary was seen, and whether it is still that log: deleted and begun again, or come back with older data.
import type { Held, LogEnd } from '../../../model/memory.js'
import { contains, type GtidSet } from '../../../model/server/gtid.js'
import { parseLogName } from '../../../model/server/log-name.js'
import type { BinaryLogs, SlowReading } from '../../../model/server/reading.js'
import { readAt, type ServerSnapshot } from '../../../model/snapshot.js'
import { isReachable } from '../channel.js'
import { executedByOrigin } from './holdings.js'

/** A new record knows none: what was read before it may be from before the log was deleted. */
export function logEndOf({ slow, stateAt = 0 }: ServerSnapshot, before: LogEnd | undefined): LogEnd {
  const last = before ?? { file: '', position: 0, at: Math.max(stateAt, slow?.at ?? 0) }
  if (!slow || slow.at - slow.tookMs <= last.at) return last
  const { binlogFile: file, binlogPosition: position, at } = slow
  const files = filesIn(slow)
  const previous = files[files.findIndex(([name]) => name === file) - 1]
  return { file, position, at, ...(previous && previous[1] > 0 ? { previous } : {}) }
}

/** Names and sizes, oldest first; none in readings that earlier releases recorded. */
const filesIn = ({ binlogs }: SlowReading): BinaryLogs['files'] => (binlogs as BinaryLogs | undefined)?.files ?? []

/**
 * Whether the binary log was deleted and begun again (RESET MASTER): then its GTIDs begin again too, and name other transactions.
 * The numbers of its files only grow otherwise, under the same name.
 */
export function isBegunAgain(before: LogEnd, now: LogEnd): boolean {
  const [old, last] = [parseLogName(before.file), parseLogName(now.file)]
  if (!old || !last || old.name !== last.name) return false
  return last.number < old.number || (last.number === old.number && now.position < before.position)
}

/**
 * Whether the log is not the one that was seen, although it ends later: the file in which that ended is shorter than its end, or the
 * file before it has another size. A size of 0 is one that the server could not read.
 */
export function isReplacedLog({ kept }: Pick<Held, 'kept'>, { slow }: ServerSnapshot): boolean {
  if (!kept || !slow || slow.at - slow.tookMs <= kept.at) return false
  const sizeOf = (file: string) => filesIn(slow).find(([name]) => name === file)?.[1] || undefined
  const [size, [previous, was] = ['', 0]] = [sizeOf(kept.file), kept.previous]
  return (size !== undefined && size < kept.position) || (sizeOf(previous) ?? was) !== was
}

/**
 * The ends of the log in the next record. What is in a log before its end may still wait for a replica, and is taken back then by a
 * server that starts with `init_rpl_role=SLAVE`: an end is kept once everything that a later reading showed as executed is `set`,
 * what was seen to be held.
 */
export function keepLog(
  primary: ServerSnapshot,
  before: Held | undefined,
  { set, log }: { readonly set: GtidSet; readonly log: LogEnd | undefined },
): Pick<Held, 'kept' | 'keeping'> {
  const kept = before && !isReplacedLog(before, primary) ? before.kept : undefined
  const waiting = before?.keeping
  if (waiting && contains(set, waiting.upTo)) return { kept: waiting.end }
  const isLater = log !== undefined && parseLogName(log.file) !== undefined && log.at > (kept?.at ?? 0)
  const keeping =
    waiting ??
    (isLater && isReachable(primary) && readAt(primary) >= log.at
      ? { end: log, upTo: executedByOrigin(primary) }
      : undefined)
  return { ...(kept ? { kept } : {}), ...(keeping ? { keeping } : {}) }
}
