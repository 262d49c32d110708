// What a scan of the schema found: changes since the one before, and differences between the servers. Plain data.
import type { ServerId } from '../server/server.js'

/** A table on a server, or since the scan before; the lines as in a diff: `-` what was or what the primary has, `+` what is there. */
export interface TableChange {
  readonly schema: string
  readonly table: string
  readonly kind: 'created' | 'dropped' | 'altered'
  readonly lines: readonly string[]
}

export interface NotedChange extends TableChange {
  /** `now()` of the scan that noticed it. */
  readonly at: number
}

/** A table of a replica that is not as the primary's: `created` only there, `dropped` missing there. */
export interface SchemaDifference extends TableChange {
  readonly server: ServerId
  readonly name: string
}

export interface SchemaReport {
  /** `now()` of the latest scan; absent before the first. */
  readonly at?: number
  readonly primary?: ServerId
  readonly tables: number
  /** Tables that were locked by a statement which changes them, and servers that did not answer, in words. */
  readonly unread: readonly string[]
  /** Oldest first; the latest ones of many. */
  readonly changes: readonly NotedChange[]
  readonly differences: readonly SchemaDifference[]
}

export const noReport: SchemaReport = { tables: 0, unread: [], changes: [], differences: [] }
