// One face for every orchestrator: what makes, starts, stops and removes the database services of a cluster.
import type { Result } from '../base/result.js'
import type { ServerSpec } from '../model/server.js'

export interface Orchestrator {
  readonly kind: string
  /** Makes the server from its configuration archive and starts it; done already is success. */
  provision(server: ServerSpec, signal: AbortSignal): Promise<Result<void>>
  start(server: ServerSpec, signal: AbortSignal): Promise<Result<void>>
  /** Stops cleanly; not running already is success. */
  stop(server: ServerSpec, signal: AbortSignal): Promise<Result<void>>
  /** Stops and removes the server with its data. */
  unprovision(server: ServerSpec, signal: AbortSignal): Promise<Result<void>>
}
