// Limits the log lines that requests can cause: a few a second are written, the rest is counted.
import type { WriteLog } from '../../../lib/base/log-codes.js'
import { now, SECOND } from '../../../lib/base/time.js'

/** Lines of one second; further ones are counted, and the next line has their number in `unlogged`. */
const MOST_A_SECOND = 20

/** What visitors can cause without being anybody goes through here. */
export function limitLines(log: WriteLog, clock: () => number = now): WriteLog {
  let second = 0
  let lines = 0
  let unlogged = 0
  return (level, code, fields) => {
    const current = Math.floor(clock() / SECOND)
    if (current !== second) [second, lines] = [current, 0]
    lines += 1
    if (lines > MOST_A_SECOND) {
      unlogged += 1
      return
    }
    const more = unlogged > 0 ? { unlogged } : {}
    unlogged = 0
    log(level, code, { ...fields, ...more })
  }
}
