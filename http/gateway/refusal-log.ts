// Requests refused for who made them, as log lines.
import type { FailureCode } from '../../lib/base/failures.js'
import type { Failure } from '../../lib/base/result.js'
import type { GatewayContext } from './context.js'
import { limitLines } from './line-limit.js'
import type { Match } from './match.js'
import type { GatewayLog } from './options.js'

const told: readonly FailureCode[] = ['not-logged-in', 'no-grant']

export type RefusalNote = (ctx: GatewayContext, failure: Failure, match: Match) => void

export function createRefusalLog(log: GatewayLog): RefusalNote {
  const limited = limitLines(log)
  return ({ req, state }, { code, message }, { route, params }) => {
    const isTold = told.includes(code) && (code !== 'not-logged-in' || req.headers.authorization !== undefined)
    if (!isTold) return
    const { user, apiToken } = state.caller ?? {}
    const who = { user, apiToken, address: req.socket.remoteAddress, request: state.id }
    const what = { action: route.id, cluster: params.cluster, server: params.server, why: message }
    limited('warn', 'refused', { ...who, ...what })
  }
}
