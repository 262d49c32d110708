// A database server as configured: identity, address, and the operator's settings for it.
import type { ServerInstance } from './instance.js'
import type { Flavour, Version } from './version.js'

/** `db` + decimal CRC-64 of cluster and address; stable over restarts, unique over clusters. */
export type ServerId = string

export interface ServerAddress {
  readonly host: string
  readonly port: number
}

/** How the operator ranks a server in elections. */
export type Rating = 'preferred' | 'ignored' | 'unrated'

/** A member of a cluster by configuration: nothing here is observed. */
export interface ServerSpec extends ServerAddress {
  readonly id: ServerId
  /** The host when it is unique in the cluster, else `host:port`: used in messages and paths. */
  readonly name: string
  readonly rating: Rating
  /** Excluded from decisions on request (setting or API); survives restarts. */
  readonly maintenance: boolean
  /** Read-only state is never changed here (`db-servers-ignored-readonly`). */
  readonly readOnlyIgnored: boolean
  /** Configured delay of a delayed replica, seconds; 0 for none. */
  readonly delaySeconds: number
}

export const addressText = ({ host, port }: ServerAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

const loopback = new Set(['localhost', '127.0.0.1', '::1'])

/** The names of this machine count as one. */
export function isSameAddress(left: ServerAddress, right: ServerAddress): boolean {
  const [one, other] = [left.host.toLowerCase(), right.host.toLowerCase()]
  return left.port === right.port && (one === other || (loopback.has(one) && loopback.has(other)))
}

/** Identity that the server reports; known after the first answered slow probe. */
export interface ServerIdentity {
  readonly flavour: Flavour
  readonly version: Version
  readonly versionText: string
  /** System variables that come with a plugin (semi-sync); flavour and version determine the rest. */
  readonly optionalVariables?: readonly string[]
  /** It is configured as a member of a Galera cluster: `wsrep_on`, with a provider. */
  readonly galera?: true
  /** MariaDB's extra port, MySQL's admin address: answers when all connections are taken. Host of the main address by default. */
  readonly reserved?: { readonly port: number; readonly host?: string }
  /** Which server it is, as read when the session began; absent where it does not say it. */
  readonly instance?: ServerInstance
}
