// A backup: what was copied from which server, at which position, where it is, and whether it was proven to restore.
import type { ServerId } from './server/server.js'
import type { Flavour } from './server/version.js'

export type BackupKind = 'logical' | 'physical'

/** How a backup is made, by its name in settings and on the wire; one row each in lib/backup/method. */
export const backupTools = ['mysqldump', 'mydumper', 'script', 'mariabackup', 'xtrabackup'] as const

export type BackupTool = (typeof backupTools)[number]

/** Where a backup is kept; one row each in lib/backup/place. */
export const backupPlaces = ['directory', 'restic', 's3'] as const

export type BackupPlace = (typeof backupPlaces)[number]

export const compressions = ['none', 'gzip', 'zstd'] as const

export type Compression = (typeof compressions)[number]

export type BackupState = 'running' | 'valid' | 'failed'

/** The instant of a server's history that a copy shows: nothing before it is missing, nothing after it is in it. */
export interface BackupPosition {
  /** MariaDB: a position such as `0-1-150`; MySQL: an executed set. Empty when the server logs no transactions. */
  readonly gtid: string
  /** Binary log of the source, and the offset in it, bytes. */
  readonly file: string
  readonly offset: number
}

export interface Encryption {
  /** The format, by the name that a person would search for to decrypt it without the manager. */
  readonly format: string
  /** Which key of the cluster's key file decrypts it. */
  readonly key: string
}

export interface Backup {
  /** Unique in its cluster: the second in which it began, since the epoch; raised by one where that is taken. */
  readonly id: number
  readonly cluster: string
  readonly kind: BackupKind
  readonly tool: BackupTool
  /** As the tool prints it; empty when it does not. */
  readonly toolVersion: string
  readonly strategy: 'full' | 'incremental'
  /** The backup that an incremental one continues. */
  readonly previous?: number
  /** The server that was read, and its software. */
  readonly server: ServerId
  readonly host: string
  readonly port: number
  readonly flavour: Flavour
  /** As the server names it: `10.11.19-MariaDB-log`. */
  readonly version: string
  readonly state: BackupState
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt?: number
  readonly place: BackupPlace
  /** Other places that have it, too: known of a list, not a part of its record. */
  readonly also?: readonly BackupPlace[]
  /** A directory, an object prefix, or a snapshot of a repository, as the place names it. */
  readonly path: string
  /** Bytes stored, and bytes before compression. */
  readonly size: number
  readonly rawSize: number
  readonly compression: Compression
  readonly encryption?: Encryption
  /** Of all stored bytes: SHA-256, hexadecimal; of the first file where there are several. */
  readonly checksum?: string
  /** What it consists of, below its path; absent where an earlier system made it. */
  readonly files?: readonly BackupFile[]
  /** Absent until it is known, and for a script that does not say. */
  readonly position?: BackupPosition
  /** Physical copies: the log sequence numbers between which it has changes; decimal text, since they exceed doubles. */
  readonly lsn?: { readonly from: string; readonly to: string }
  /** Why it failed: one line. */
  readonly failure?: string
  /** A recovery began from it: no retention removes it until then, milliseconds since the epoch. */
  readonly keptUntil?: number
  readonly proof?: BackupProof
}

/** One stored stream. */
export interface BackupFile {
  /** `mysqldump.sql.zst.age`: what it is, then how it was compressed and encrypted. */
  readonly name: string
  /** Bytes stored. */
  readonly size: number
  /** Of all stored bytes: SHA-256, hexadecimal. */
  readonly checksum: string
}

/** What a restore into a scratch server showed. */
export interface BackupProof {
  /** When it ended, milliseconds since the epoch. */
  readonly at: number
  readonly result: 'proven' | 'refuted'
  /** Duration until the restored server answered with everything replayed, milliseconds. */
  readonly restoreMs: number
  /** The last instant that binary logs were replayed to, milliseconds since the epoch; absent: none were. */
  readonly replayedTo?: number
  /** One line per check, with its figures. */
  readonly checks: readonly ProofCheck[]
}

export interface ProofCheck {
  readonly name: string
  readonly passed: boolean
  readonly detail: string
}

/** What a cluster is to have, from its settings; a bound of 0 is not judged. Milliseconds. */
export interface BackupPolicy {
  /** Longest age of the newest valid backup. */
  readonly maxAgeMs: number
  /** Recovery point: how far stored binary logs may be behind the primary. */
  readonly recoveryPointMs: number
  /** Recovery time: how long the newest proof may have taken. */
  readonly recoveryTimeMs: number
  /** Longest age of the newest proof. */
  readonly proofAgeMs: number
}

/** How binary logs are stored at the moment: what the storing process reports. */
export interface LogStorage {
  /** The log of the primary is being read. */
  readonly connected: boolean
  /** Why not, and since when; milliseconds since the epoch. */
  readonly problem?: string
  readonly problemSince?: number
  /** Names the directory of what is stored from the present primary, and that primary. */
  readonly term?: string
  readonly server?: ServerId
  readonly termBeganAt?: number
  /** The last file and the end of what is stored of it, bytes. */
  readonly file?: string
  readonly offset?: number
  /** The last complete transaction. */
  readonly gtid?: string
  /** Everything that the primary had written at this instant is stored; milliseconds since the epoch. */
  readonly completeAt?: number
  /** Transactions that were missing where the storing of this term began. */
  readonly gap?: string
  /** Stored transactions of the former primary that this one does not have. */
  readonly tail?: string
  /** Of all terms; bytes on disk. */
  readonly files: number
  readonly storedBytes: number
  /** The copies in other places; absent where none is configured. */
  readonly elsewhere?: readonly LogCopyState[]
}

/** How far the copy of stored binary logs in one place is. */
export interface LogCopyState {
  readonly place: BackupPlace
  /** Everything that the primary had written at this instant is there; milliseconds since the epoch. */
  readonly completeAt?: number
  /** Why nothing is copied at the moment, and since when; milliseconds since the epoch. */
  readonly problem?: string
  readonly problemSince?: number
}
