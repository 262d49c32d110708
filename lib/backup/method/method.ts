// What every way to copy a server has in common.
import type { Result } from '../../base/result.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import type { Backup, BackupKind, BackupPosition, BackupTool } from '../../model/backup.js'
import type { ServerAddress } from '../../model/server/server.js'
import type { Flavour, Version } from '../../model/server/version.js'
import type { Settings } from '../../settings/index.js'
import type { TransferReport, TransferSource } from '../stream/index.js'

export type MethodSettings = Pick<
  Settings,
  | 'backup-mysqldump-path'
  | 'backup-mysqldump-options'
  | 'backup-mydumper-path'
  | 'backup-mydumper-options'
  | 'backup-mydumper-regex'
  | 'backup-logical-dump-threads'
  | 'backup-save-script'
>

/** Runs a tool on the server's host; the stream comes to `store`. */
export interface HostRunner {
  receive(
    tool: 'mariabackup' | 'xtrabackup',
    store: (end: TransferSource, options: StoreOptions) => Promise<Result<TransferReport>>,
  ): Promise<Result<Received>>
}

export interface StoreOptions {
  /** Of a receiving end: the port that was free. */
  readonly listening?: (at: { readonly port: number }) => void
  /** In place of that of the whole copy. */
  readonly signal?: AbortSignal
}

/** What came from a host. */
export interface Received {
  readonly report: TransferReport
  /** As counted on the host. */
  readonly bytes?: number
  readonly position?: BackupPosition
}

export interface CopySource extends ServerAddress {
  readonly target: SqlTarget
  readonly name: string
  readonly flavour: Flavour
  readonly version: Version
  /** It writes a binary log: there is a position. */
  readonly binlog: boolean
  /** The primary that it follows, or itself. */
  readonly primary: ServerAddress
}

export interface Copying {
  readonly source: CopySource
  readonly cluster: string
  readonly settings: MethodSettings
  /** Changes of tables are to wait (`backup-lockddl`): heeded by methods that lock themselves. */
  readonly lockDdl: boolean
  /** A private directory for files that are not the backup; removed afterwards. */
  readonly scratch: string
  /** The backup that an incremental one continues. */
  readonly previous?: Backup
  /** Bytes into a file of the backup. */
  readonly store: (source: TransferSource, file: string, options?: StoreOptions) => Promise<Result<TransferReport>>
  readonly host: HostRunner
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly progress: (bytes: number) => void
  /** Milliseconds that are left. */
  readonly deadlineMs: number
}

/** What was copied besides the bytes. */
export interface Copied {
  /** As the program names itself; empty when it does not. */
  readonly toolVersion: string
  readonly position?: BackupPosition
  readonly lsn?: { readonly from: string; readonly to: string }
}

export interface Method {
  readonly tool: BackupTool
  readonly kind: BackupKind
  readonly flavours: readonly Flavour[]
  /** It can continue an earlier backup. */
  readonly incremental: boolean
  /** It locks changes of tables itself, or needs no lock. */
  readonly locksItself: boolean
  /** Its program reads rows with SELECT, in sessions that begin with the server's defaults. */
  readonly selectsRows: boolean
  copy(copying: Copying): Promise<Result<Copied>>
}
