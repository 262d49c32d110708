// Replication that an action stops temporarily: recorded, so that the successor of a killed manager starts it again.
import type { Result } from '../../base/result.js'
import type { ServerId } from '../../model/server/server.js'

export interface Pauses {
  /** Resolves when it is kept that these channels of the server are stopped. Failure: it cannot be, so stop nothing. */
  begin(server: ServerId, channels: readonly string[]): Promise<Result<void>>
  /** They run again or are gone. With `left` they could not be started, and that is tried on. */
  end(server: ServerId, left?: readonly string[]): void
}
