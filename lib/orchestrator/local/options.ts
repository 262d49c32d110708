// What the local orchestrator is told once: where its cluster lies, whom it lets in, how long it may take.
import type { ServiceSpec } from '../../model/services.js'
import type { Login } from '../database-login.js'
import type { Programs } from './programs.js'

export interface HaproxyOptions {
  /** `haproxy-binary-path`. */
  readonly program: string
  /** The text of its configuration file; `socket` is where it listens for questions of this machine. */
  readonly configuration: (service: ServiceSpec, socket: string) => string
}

export interface LocalOptions {
  /** The working folder that holds `{cluster}/{host}_{port}/config.tar.gz`. */
  readonly workingDir: string
  readonly cluster: string
  /** Accounts that every new server gets. */
  readonly monitor: Login
  readonly replication: Login
  /** System user that servers run as when the manager is root; root when absent. Others run them as themselves. */
  readonly user?: string
  /** A start takes over a newer archive (`prov-db-start-fetch-config`); true when absent. */
  readonly fetchOnStart?: boolean
  /** How HAProxy is run; none is when absent. */
  readonly haproxy?: HaproxyOptions
  /** Programs to use instead of those found on this machine. */
  readonly programs?: Partial<Programs>
  /** Longest times, milliseconds: a start until the first login (60 s), a clean stop before SIGKILL (30 s). */
  readonly startMs?: number
  readonly stopMs?: number
}
