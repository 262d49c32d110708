// What the book of sessions and those who fill it work with.

import type { Access } from '../../../lib/access/index.js'
import type { WriteLog } from '../../../lib/base/log-codes.js'
import type { ApiTokens, BrowserSessions } from '../../../lib/store/index.js'
import type { LiveOptions } from '../kit/options.js'
import type { TokenSeal } from './token-seal.js'

/** What may change of the access between two requests. */
export interface LiveAccess extends Omit<LiveOptions, 'access'> {
  readonly access: Access
}

export interface SessionParts {
  readonly seal: TokenSeal
  readonly log: WriteLog
  readonly tokens: ApiTokens
  readonly browsers: BrowserSessions
  /** Where one-time codes of logins lie. */
  readonly workingDir: string
  /** As configured now. */
  readonly live: () => LiveAccess
  /** Every cluster there is. */
  readonly clusters: () => readonly string[]
}
