// What the storing process is asked to do, and what it reports: plain data that crosses its channel.

import type { SqlTarget } from '../../connect/sql/session.js'
import type { LogStorage } from '../../model/backup.js'
import type { ServerId } from '../../model/server/server.js'
import type { Flavour } from '../../model/server/version.js'
import type { CopyKeys } from './copy-seal.js'
import type { CopyTarget } from './log-copy.js'

/** The primary whose binary log is stored. */
export interface LogSource {
  readonly id: ServerId
  readonly target: SqlTarget
  readonly flavour: Flavour
  readonly version: string
}

export interface StoringSettings {
  /** `logsDirectory` of the cluster. */
  readonly directory: string
  /** Of the reader, unique in the cluster. */
  readonly serverId: number
  /** Closed files that are kept at least. */
  readonly keep: number
  /** Files with events after this are kept, too: a backup needs them. Milliseconds since the epoch. */
  readonly neededFrom?: number
  readonly compress: boolean
  /** Files are got one by one when the server has closed them, not read as they are written. */
  readonly closedOnly?: true
  /** Closed files are read by the binary log tool as well: its path, '' for that of the flavour. */
  readonly verifyBy?: string
  /** Where it is copied to while it is written, and read back from when the directory is lost. */
  readonly elsewhere?: Elsewhere
}

export interface Elsewhere {
  readonly cluster: string
  readonly keys: CopyKeys
  readonly targets: readonly CopyTarget[]
}

export type StoringOrder =
  /** `settings`: disclosed, since secrets do not cross a channel. */
  | { readonly type: 'configure'; readonly settings: unknown }
  /** Absent: no primary is known; what is stored stays. */
  | { readonly type: 'follow'; readonly source?: LogSource }
  /** The end of a `fetch`. */
  | { readonly type: 'fetched'; readonly id: number; readonly failure?: string }
  | { readonly type: 'close' }

export type StoringReport =
  | { readonly type: 'state'; readonly state: LogStorage }
  | { readonly type: 'line'; readonly level: 'INFO' | 'WARN' | 'ERROR'; readonly text: string }
  /** A file that the server has closed is wanted: from this path on its host to this one here. */
  | {
      readonly type: 'fetch'
      readonly id: number
      readonly server: ServerId
      readonly from: string
      readonly to: string
    }
  /** A file of the server is stored completely. */
  | {
      readonly type: 'rotated'
      readonly server: ServerId
      readonly file: string
      readonly previous: string
      readonly oldest: string
    }
