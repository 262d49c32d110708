// What a server says of its own configuration: variables, plugins, and where values come from.
import type { ServerId, ServerIdentity } from './server.js'

export interface ServerConfiguration {
  readonly server: ServerId
  /** `now()` when it was read. */
  readonly at: number
  readonly identity: ServerIdentity
  /** Global values by name in lower case, as `SHOW GLOBAL VARIABLES` prints them. */
  readonly variables: Readonly<Record<string, string>>
  readonly plugins: readonly ServerPlugin[]
  /** Where values come from, by variable; defaults are left out, and everything where the server does not tell. */
  readonly origins: Readonly<Record<string, ValueOrigin>>
}

export interface ServerPlugin {
  readonly name: string
  /** `ACTIVE` when it works. */
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

/** How one statement that was asked for ended. */
export interface StatementOutcome {
  readonly sql: string
  /** The server's refusal; absent when it was carried out. */
  readonly refused?: string
}
