// The configuration that a server reports: variables, plugins, and the origins of values.
import type { ServerId, ServerIdentity } from './server.js'

export interface ServerConfiguration {
  readonly server: ServerId
  /** `now()` when it was read. */
  readonly at: number
  readonly identity: ServerIdentity
  /** Global values by name in lower case, as `SHOW GLOBAL VARIABLES` prints them. */
  readonly variables: Readonly<Record<string, string>>
  readonly plugins: readonly ServerPlugin[]
  /** Origins of values by variable, without defaults; empty where the server does not report origins. */
  readonly origins: Readonly<Record<string, ValueOrigin>>
}

export interface ServerPlugin {
  readonly name: string
  /** `ACTIVE` when it is loaded. */
  readonly status: string
  /** File name of its library; empty when it is built in. */
  readonly library: string
}

export interface ValueOrigin {
  /** `statement`: set at run time; lost at the next start unless the server keeps it itself. */
  readonly from: 'file' | 'command-line' | 'statement' | 'server'
  /** The option file, where it is known. */
  readonly path?: string
}

/** Outcome of one requested statement. */
export interface StatementOutcome {
  readonly sql: string
  /** The server's refusal; absent when it was carried out. */
  readonly refused?: string
}
