// The options of the on-premise orchestrator: how to reach the hosts of its cluster and what runs on them.
import type { Result } from '../../base/result.js'
import type { Timer } from '../../base/time.js'
import type { SshSession } from '../../connect/ssh/session.js'
import type { SshPool, SshTarget } from '../../connect/ssh/ssh.js'
import type { ServiceSpec } from '../../model/operation/services.js'
import type { Login } from '../database-login.js'

/** The scripts that hosts can also download, by name. */
export type BuiltInScript = 'debian-bootstrap' | 'debian-start' | 'redhat-bootstrap' | 'redhat-start' | 'package-start'

/** Scripts that only the manager runs on hosts. */
export type HostPart = 'host' | 'fill'

export interface OnPremiseOptions {
  readonly cluster: string
  readonly pool: SshPool
  /** A connection of its own, for what takes hours: actions on the host do not wait for it; absent: no scripts beside actions. */
  readonly open?: (target: SshTarget) => Promise<Result<SshSession>>
  /** Account and port of SSH, without the host; read again for each action, since keys are files. */
  readonly account: () => Promise<Result<Omit<SshTarget, 'host'>>>
  /** Scripts run as root through `sudo -n`: the account is not root. */
  readonly sudo: boolean
  /** The monitor's account in the databases. */
  readonly login: Login
  /** The environment of scripts for a service; `client` is the manager's address as the host sees it. */
  readonly environment: (service: ServiceSpec, client: string) => Promise<Result<Readonly<Record<string, string>>>>
  /** The data folder of a database on its host. */
  readonly dataDir: (service: ServiceSpec) => string
  /** The path of my.cnf there. */
  readonly configDir: (service: ServiceSpec) => string
  /** The folder of a server whose programs come from a tarball below it; '' for packages of the distribution. */
  readonly baseDir: (service: ServiceSpec) => string
  /** Files on the host with which the programs that fill a database verify and log in; missing ones are not used. */
  readonly tlsFiles: (service: ServiceSpec) => { readonly ca: string; readonly cert: string; readonly key: string }
  /** Text of a built-in script, or of `host.sh` (its small steps) and `fill.sh` of share/scripts/onpremise. */
  readonly builtIn: (script: BuiltInScript | HostPart) => Promise<Result<string>>
  /** Files on this machine that replace built-in scripts; empty for none. */
  readonly startScript: string
  readonly stopScript: string
  /** Longest time of one action on one host, the wait for its turn excluded, milliseconds. */
  readonly deadlineMs: number
  /** What ends an action at that time; the machine's when absent. */
  readonly timer?: Timer
  /** Longest time of filling a new server from another one (`prov-db-fill-timeout`), milliseconds. */
  readonly fillMs: number
}
