// The options of the local orchestrator: the folder of its cluster, its accounts, its time limits.
import type { Flavour } from '../../../model/server/version.js'
import type { Login } from '../../database-login.js'
import type { Programs } from './programs.js'

export interface HaproxyOptions {
  /** `haproxy-binary-path`. */
  readonly program: string
  /** `prov-proxy-start-fetch-config`: a start applies a newer archive; true when absent. */
  readonly fetchOnStart?: boolean
}

export interface LocalOptions {
  /** The working folder that holds `{cluster}/{host}_{port}/config.tar.gz`. */
  readonly workingDir: string
  readonly cluster: string
  /** Accounts that every new server gets. */
  readonly monitor: Login
  readonly replication: Login
  /** System user that servers run as when the manager is root; root when absent. Otherwise they run as the manager's user. */
  readonly user?: string
  /** A start applies a newer archive (`prov-db-start-fetch-config`); true when absent. */
  readonly fetchOnStart?: boolean
  /** How HAProxy is run; no HAProxy when absent. */
  readonly haproxy?: HaproxyOptions
  /** The software of new servers; MariaDB when absent. */
  readonly flavour?: Flavour
  /** Programs to use instead of those found on this machine. */
  readonly programs?: Partial<Programs>
  /** Longest times, milliseconds: a start until the first login (60 s), a clean stop before SIGKILL (30 s). */
  readonly startMs?: number
  readonly stopMs?: number
  /** Longest time of filling a new server from another one (`prov-db-fill-timeout`); a day when absent. */
  readonly fillMs?: number
  /** Files of TLS that programs use when the monitor's account has TLS. */
  readonly tlsFiles?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}
