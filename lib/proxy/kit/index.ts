// One face for every kind of proxy: the cluster tells it what should be, the adapter makes it so and reads it back.
import type { Result } from '../../base/result.js'
import type { DatabaseAccount } from '../../model/server/database-account.js'
import type { ServerAddress, ServerId } from '../../model/server/server.js'

/** What a proxy should do, derived from a snapshot. */
export interface ProxyTarget {
  readonly primary?: ServerAddress & { readonly id: ServerId }
  readonly readers: readonly (ServerAddress & { readonly id: ServerId; readonly state: 'ready' | 'drain' | 'maint' })[]
}

export interface ProxyBackend {
  readonly host: string
  readonly port: number
  readonly state: string
  readonly group: 'write' | 'read'
  readonly connections: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly latencyMs: number
}

/** One rule by which a proxy routes statements; what is absent is not looked at. */
export interface QueryRule {
  readonly id: number
  readonly active: boolean
  readonly user?: string
  readonly schema?: string
  readonly digest?: string
  readonly matchDigest?: string
  readonly matchPattern?: string
  readonly hostgroup?: number
  readonly mirrorHostgroup?: number
  readonly multiplex?: number
}

/** What clients use of a proxy: its ports, and the groups it sorts databases into. */
export interface ProxyDoors {
  readonly write?: number
  readonly read?: number
  /** Tells reads and writes apart by itself. */
  readonly readWrite?: number
  readonly writerGroup?: number
  readonly readerGroup?: number
}

export interface ProxyReading {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly host: string
  readonly port: number
  readonly at: number
  readonly alive: boolean
  readonly error?: string
  readonly version: string
  readonly backends: readonly ProxyBackend[]
  /** What it did otherwise than it was told, when it was told last. */
  readonly differs?: string
  readonly doors?: ProxyDoors
  /** What was wrong when it was filled with users and rules last. */
  readonly troubles?: readonly ProxyTrouble[]
  /** Absent where the proxy has no such rules. */
  readonly rules?: readonly QueryRule[]
}

/** The accounts whose passwords change while old and new ones are both good. */
export interface ProxyRenewal {
  readonly logins: readonly ProxyLogin[]
  /** All of the cluster. Those that answer the manager (`reached`) must let the proxy in with the new passwords, too. */
  readonly servers: readonly (ServerAddress & { readonly reached: boolean })[]
}

export interface ProxyLogin {
  readonly user: string
  /** In clear; the new one. */
  readonly password: string
}

/** Who may come through a proxy. */
export interface ProxyFilling {
  readonly accounts: readonly DatabaseAccount[]
  /** Names of accounts that the manager logs in with: they are told to no proxy, but kept right where they are. */
  readonly own: readonly string[]
}

/** Something about a proxy that is wrong and keeps it from nothing else. */
export interface ProxyTrouble {
  readonly code: 'ERR00053' | 'ERR00054' | 'ERR00057' | 'WARN0092'
  readonly detail: string
}

export interface Proxy {
  readonly id: string
  readonly name: string
  readonly kind: string
  /** Looks at the proxy; never throws. */
  read(signal: AbortSignal): Promise<ProxyReading>
  /** Makes the proxy match the target and verifies it by reading back; the failure says what still differs. */
  apply(target: ProxyTarget, signal: AbortSignal): Promise<Result<void>>
  /**
   * Makes the proxy log in to the servers with the new passwords, where it does so with one of the accounts, and reads
   * back that it does; safe to repeat. Absent: this kind never logs in to them. Failure: `proxy-failed`.
   */
  renewLogin?(renewal: ProxyRenewal, signal: AbortSignal): Promise<Result<void>>
  /**
   * Makes the proxy let in the users of the databases, and reads back that it does; safe to repeat. Answers what is wrong
   * with single users. Absent: this kind asks the databases, or is to be left alone. Failure: `proxy-failed`.
   */
  fillUsers?(filling: ProxyFilling, signal: AbortSignal): Promise<Result<readonly ProxyTrouble[]>>
  /** Makes the rules by which the proxy splits reads from writes; else as `fillUsers`. Absent: it needs none, or is left alone. */
  fillRules?(signal: AbortSignal): Promise<Result<readonly ProxyTrouble[]>>
  close(): Promise<void>
}
