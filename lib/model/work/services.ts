// What an orchestrator acts on: a database server or a proxy of a cluster, and what can be done with it.
import type { ServerAddress, ServerId } from '../server/server.js'

/** Everything that can be asked of a service's orchestrator. */
export const serviceActions = ['provision', 'unprovision', 'start', 'stop', 'restart', 'apply'] as const

export type ServiceAction = (typeof serviceActions)[number]

/** A service by configuration: nothing here is observed. */
export interface ServiceSpec extends ServerAddress {
  readonly kind: 'database' | 'proxy'
  /** Id of the server or the proxy. */
  readonly id: ServerId
  readonly name: string
  /** What a proxy is: `haproxy` and its kin; absent for a database. */
  readonly software?: string
}

/** What an orchestrator cannot undo, or what keeps clients waiting: done only when nothing speaks against it. */
export const stopsService: Readonly<Record<ServiceAction, boolean>> = {
  provision: false,
  unprovision: true,
  start: false,
  stop: true,
  restart: true,
  apply: false,
}

/** How far a renewal has come on its host. `none`: the data folder is the old one; `begun`: the old one lies aside. */
export type RenewalState = 'none' | 'started' | 'filled'
