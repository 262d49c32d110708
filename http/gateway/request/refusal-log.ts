// Log lines of requests that were refused because of their token or its grants.

import type { FailureCode } from '../../../lib/base/failures.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import type { Failure } from '../../../lib/base/result.js'
import type { GatewayContext } from '../kit/context.js'
import { limitLines } from '../kit/line-limit.js'

const logged: readonly FailureCode[] = ['not-logged-in', 'no-grant']

export type LogRefusal = (ctx: GatewayContext, failure: Failure) => void

/** A request without any token is a browser before its login, and not logged. */
export function createRefusalLog(log: WriteLog): LogRefusal {
  const limited = limitLines(log)
  return ({ req, state }, { code, message }) => {
    const isLogged = logged.includes(code) && (code !== 'not-logged-in' || req.headers.authorization !== undefined)
    if (!isLogged) return
    const { user, apiToken } = state.caller ?? {}
    const { cluster, server } = state.params ?? {}
    const who = { user, apiToken, address: state.address, request: state.id }
    limited('warn', 'refused', { ...who, action: state.route?.id, cluster, server, why: message })
  }
}
