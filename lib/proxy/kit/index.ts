// One interface for every kind of proxy: the cluster gives the target, the adapter applies it and reads it back.
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
  /** Its share of the connections, where the proxy reports one. */
  readonly weight?: number
}

/** One rule by which a proxy routes statements; absent fields are not matched. */
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

/** What clients use of a proxy: its ports, and its groups of databases. */
export interface ProxyDoors {
  readonly write?: number
  readonly read?: number
  /** Splits reads from writes automatically. */
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
  /** Absent while it does not answer. */
  readonly process?: ProxyProcess
  readonly backends: readonly ProxyBackend[]
  /** What differed from the target after the last change. */
  readonly differs?: string
  readonly doors?: ProxyDoors
  /** What was wrong when users and rules were last written to it. */
  readonly troubles?: readonly ProxyTrouble[]
  /** Absent where the proxy has no such rules. */
  readonly rules?: readonly QueryRule[]
}

/** Which process of the proxy answered, as far as it says so. */
export interface ProxyProcess {
  /** Differs between two processes. */
  readonly id?: string
  /** Milliseconds since its start. */
  readonly upMs?: number
}

/** The accounts whose passwords change while old and new ones are both valid. */
export interface ProxyRenewal {
  readonly logins: readonly ProxyLogin[]
  /** All of the cluster. Those that the manager reaches (`reached`) must accept the proxy's login with the new passwords, too. */
  readonly servers: readonly (ServerAddress & { readonly reached: boolean })[]
}

export interface ProxyLogin {
  readonly user: string
  /** In clear text; the new one. */
  readonly password: string
}

/** The users that may connect through a proxy. */
export interface ProxyFilling {
  readonly accounts: readonly DatabaseAccount[]
  /** Names of accounts that the manager logs in with: never added to a proxy, but kept up to date where they exist. */
  readonly own: readonly string[]
}

/** A problem of a proxy that does not prevent anything else. */
export interface ProxyTrouble {
  readonly code: 'ERR00053' | 'ERR00054' | 'ERR00057' | 'WARN0092'
  readonly detail: string
}

export interface Proxy {
  readonly id: string
  readonly name: string
  readonly kind: string
  /** Reads the proxy; never throws. */
  read(signal: AbortSignal): Promise<ProxyReading>
  /** Applies the target to the proxy and verifies it by reading back; the failure says what still differs. */
  apply(target: ProxyTarget, signal: AbortSignal): Promise<Result<void>>
  /**
   * Makes the proxy log in to the servers with the new passwords, where it uses one of the accounts, and reads the result
   * back; safe to repeat. Absent: this kind never logs in to them. Failure: `proxy-failed`.
   */
  renewLogin?(renewal: ProxyRenewal, signal: AbortSignal): Promise<Result<void>>
  /**
   * Adds the users of the databases to the proxy, and reads the result back; safe to repeat. Returns what is wrong
   * with single users. Absent: this kind asks the databases, or must not be changed. Failure: `proxy-failed`.
   */
  fillUsers?(filling: ProxyFilling, signal: AbortSignal): Promise<Result<readonly ProxyTrouble[]>>
  /** Creates the rules by which the proxy splits reads from writes; otherwise like `fillUsers`. Absent: it needs none, or must not be changed. */
  fillRules?(signal: AbortSignal): Promise<Result<readonly ProxyTrouble[]>>
  close(): Promise<void>
}
