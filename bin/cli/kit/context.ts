// What a command of the client is given to work with.
import type { Session } from '../../../http/client/session.js'
import type { CommonFlags } from './flags.js'

export interface Context {
  /** The flags as given, those of the environment among them. */
  flags(): CommonFlags
  /** The session that all calls of this run share; nothing is sent before the first call. */
  session(): Session
}
