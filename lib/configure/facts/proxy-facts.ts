// Input of the files of a proxy, from the settings of its cluster.
import type { ServerAddress } from '../../model/server/server.js'
import type { ProxySoftware } from './gates.js'
import type { ConfiguredServer, PathContext } from './paths.js'

/** A proxy by the settings of its cluster. */
export interface ConfiguredProxy extends ConfiguredServer {
  readonly name: string
  readonly software: ProxySoftware
  /** Its place among the cluster's proxies of its kind, from 0. */
  readonly position: number
}

export interface Account {
  readonly user: string
  readonly password: string
}

/** Settings of a proxy; a variable without a value here is a fault of the settings where a rule names it. */
export interface ProxyFacts {
  readonly ports: Readonly<
    Record<'write' | 'read' | 'readWrite' | 'binlog' | 'stats' | 'admin' | 'maxinfo', number | undefined>
  >
  /** Addresses that it listens on. */
  readonly binds: Readonly<Record<'write' | 'read', string>>
  /** Names of its backends. */
  readonly backends: Readonly<Record<'write' | 'read', string>>
  readonly groups: Readonly<Record<'writer' | 'reader', number>>
  /** The account that monitors the databases. */
  readonly monitor: Account
  /** The account of its administration. */
  readonly admin: Account
  readonly maxConnections: number
  /** Seconds. */
  readonly maxLag: number
  readonly compression: boolean
  /** MB. */
  readonly memoryMb: number
  readonly cores: number
  /** Address of the manager for HAProxy's checks. */
  readonly manager: ServerAddress
  /** The address that the proxies share. */
  readonly route: { readonly address: string; readonly netmask: string; readonly interface: string }
  /** System user that it changes to when started by root; empty: no change. */
  readonly systemUser: string
}

export interface ProxyValues {
  readonly cluster: string
  readonly proxy: ConfiguredProxy
  readonly databases: readonly ConfiguredServer[]
  readonly context: PathContext
  readonly facts: ProxyFacts
  /** All that hold, those included and implied too. */
  readonly tags: ReadonlySet<string>
}
