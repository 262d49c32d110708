// Requests refused for who made them, as log lines: a few a second, so that nobody fills the log by asking.
import type { FailureCode } from '../../lib/base/failures.js'
import type { Failure } from '../../lib/base/result.js'
import { now, SECOND } from '../../lib/base/time.js'
import type { GatewayContext } from './context.js'
import type { Match } from './match.js'
import type { GatewayLog } from './options.js'

/** Lines of one second; further ones are counted, and the next line tells how many. */
const MOST_A_SECOND = 20

const told: readonly FailureCode[] = ['not-logged-in', 'no-grant']

export type RefusalNote = (ctx: GatewayContext, failure: Failure, match: Match) => void

export function createRefusalLog(log: GatewayLog, clock: () => number = now): RefusalNote {
  let second = 0
  let lines = 0
  let unlogged = 0
  return ({ req, state }, { code, message }, { route, params }) => {
    const isTold = told.includes(code) && (code !== 'not-logged-in' || req.headers.authorization !== undefined)
    if (!isTold) return
    const current = Math.floor(clock() / SECOND)
    if (current !== second) [second, lines] = [current, 0]
    lines += 1
    if (lines > MOST_A_SECOND) {
      unlogged += 1
      return
    }
    const who = { user: state.caller?.user, address: req.socket.remoteAddress, request: state.id }
    const more = unlogged > 0 ? { unlogged } : {}
    unlogged = 0
    log('warn', 'refused', {
      ...who,
      action: route.id,
      cluster: params.cluster,
      server: params.server,
      why: message,
      ...more,
    })
  }
}
