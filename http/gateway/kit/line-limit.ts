// Limits the log lines that requests can cause: a few a second are written, the rest is counted.
import { now, SECOND } from '../../../lib/base/time.js'
import type { GatewayLog } from './options.js'

/** Lines of one second; further ones are counted, and the next line has their number in `unlogged`. */
const MOST_A_SECOND = 20

/** What visitors can cause without being anybody goes through here. */
export function limitLines(log: GatewayLog, clock: () => number = now): GatewayLog {
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
