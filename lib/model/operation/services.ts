// Services that an orchestrator manages (a database server or a proxy of a cluster), and their actions.
import type { ServerAddress, ServerId } from '../server/server.js'

/** Actions that an orchestrator offers for a service. */
export const serviceActions = ['provision', 'unprovision', 'start', 'stop', 'restart', 'apply'] as const

export type ServiceAction = (typeof serviceActions)[number]

/** A service by configuration: nothing here is observed. */
export interface ServiceSpec extends ServerAddress {
  readonly kind: 'database' | 'proxy'
  /** Id of the server or the proxy. */
  readonly id: ServerId
  readonly name: string
  /** Software of a proxy, such as `haproxy`; absent for a database. */
  readonly software?: string
}

/** Actions that cannot be undone, or that interrupt clients: refused while a check fails. */
export const stopsService: Readonly<Record<ServiceAction, boolean>> = {
  provision: false,
  unprovision: true,
  start: false,
  stop: true,
  restart: true,
  apply: false,
}

/** Progress of a rebuild on its host. `none`: the data folder is the old one; `started`: the old one was moved aside. */
export type ReprovisionState = 'none' | 'started' | 'filled'
