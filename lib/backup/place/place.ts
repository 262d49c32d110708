// Where backups are kept: files by path below a root, whatever keeps them.
import type { Readable } from 'node:stream'
import type { Result } from '../../base/result.js'
import type { Secret } from '../../base/secret.js'

/** Plain data and secrets: it crosses into the process that moves the bytes. */
export type PlaceConfig = DirectoryConfig | ResticConfig | S3Config

export interface DirectoryConfig {
  readonly kind: 'directory'
  readonly root: string
}

export interface ResticConfig {
  readonly kind: 'restic'
  readonly binary: string
  /** As restic spells it: a path, `s3:…`, `rest:…`, `sftp:…`. */
  readonly repository: string
  readonly password: Secret
  /** What its backend reads: `AWS_ACCESS_KEY_ID` and the like. */
  readonly env?: Readonly<Record<string, string | Secret>>
  /** Of every command that does not move a backup, milliseconds. */
  readonly timeoutMs: number
}

export interface S3Config {
  readonly kind: 's3'
  /** Empty: that of the region. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Before every path; empty: none. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  /** The bucket keeps every object unchanged for so long; 0: until it is removed. Days. */
  readonly lockDays: number
  /** Of every request that does not move a backup, milliseconds. */
  readonly timeoutMs: number
}

export interface PutOptions {
  readonly signal: AbortSignal
  readonly tags?: readonly string[]
}

export interface PlacedFile {
  readonly path: string
  /** Absent where the place does not tell. */
  readonly bytes?: number
  /** When it was stored, milliseconds since the epoch. */
  readonly at?: number
}

export interface Space {
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Paths are relative to the root, with `/`, and have no `..`. Failures: `place-failed`. */
export interface Place {
  readonly kind: PlaceConfig['kind']
  /** Stores a stream. When it answers ok the bytes are durable under the path; else nothing is there. */
  put(path: string, bytes: Readable, options: PutOptions): Promise<Result<void>>
  /** The same of a short text. */
  putText(path: string, text: string, options: PutOptions): Promise<Result<void>>
  /** A stream of what is stored; it fails where the place does. */
  get(path: string, signal: AbortSignal): Promise<Result<Readable>>
  getText(path: string, signal: AbortSignal): Promise<Result<string>>
  /** Files below a path, in no order. */
  list(prefix: string): Promise<Result<readonly PlacedFile[]>>
  /** Removes files; those that are gone already are no failure. */
  remove(paths: readonly string[]): Promise<Result<void>>
  /** Removes what interrupted transfers left below a path: parts, uploads, locks. Only while no transfer runs there. */
  tidy(prefix: string): Promise<Result<void>>
  /** Whether it can be used: reached, writable, opened with the password. It creates what is missing and can be created. */
  check(): Promise<Result<void>>
  /** Of its file system; undefined where that is not known. */
  free(): Promise<Result<Space | undefined>>
}
