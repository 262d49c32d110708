// What the book of sessions and those who fill it work with.
import type { Access } from '../../../lib/access/index.js'
import type { ApiTokens } from '../../../lib/store/index.js'
import type { GatewayLog, LiveOptions } from '../kit/options.js'
import type { TokenSeal } from './token-seal.js'

/** What may change of the access between two requests. */
export interface LiveAccess extends Omit<LiveOptions, 'access'> {
  readonly access: Access
}

export interface SessionParts {
  readonly seal: TokenSeal
  readonly log: GatewayLog
  readonly tokens: ApiTokens
  /** As configured now. */
  readonly live: () => LiveAccess
  /** Every cluster there is. */
  readonly clusters: () => readonly string[]
}
