// What a transfer is asked to do, and what it reports: plain data and secrets.
import type { Result } from '../../../base/result.js'
import type { Secret } from '../../../base/secret.js'
import type { Compression, Encryption } from '../../../model/backup.js'
import type { PlaceConfig } from '../../place/place.js'

/** Bytes from a source to a sink. What is stored is compressed and encrypted on the way in, and the reverse on the way out. */
export interface TransferSpec {
  readonly source: TransferSource
  readonly sink: TransferSink
  /** Of the whole, milliseconds. */
  readonly deadlineMs: number
  /** Fails when no byte moved for so long, milliseconds; ten minutes when absent. */
  readonly stallMs?: number
  /** Bytes a second, before compression; absent: as fast as it goes. */
  readonly limit?: number
}

export type TransferSource = ProgramSource | ReceiveSource | StoredSource | DirectoryEnd

export type TransferSink = ProgramEnd | SendSink | StoredSink | DirectoryEnd | DiscardSink

/** A program on the manager's host. Nothing of the manager's environment reaches it beside PATH, HOME and LANG. */
export interface ProgramEnd {
  readonly type: 'program'
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string | Secret>>
  readonly cwd?: string
}

/** Its standard output is the stream; its standard error is reported as lines. */
export interface ProgramSource extends ProgramEnd {
  /** Written to its standard input, which then ends. */
  readonly stdin?: string | Secret
}

/** A connection from another host; the first line is the secret, what follows is the stream. */
export interface ReceiveSource {
  readonly type: 'receive'
  /** Address to listen on, one that the sender can reach. */
  readonly host: string
  /** The first free one of them is used; empty: any free port. */
  readonly ports: readonly number[]
  /** Accepted once. */
  readonly secret: Secret
  /** Wait for a connection that knows the secret, milliseconds. */
  readonly acceptMs: number
  readonly tls?: ReceiveTls
}

export interface ReceiveTls {
  readonly cert: string
  readonly key: Secret
  /** A connection without TLS is closed; otherwise the first byte of a connection decides. */
  readonly required: boolean
}

/** A connection to another host, which then reads to the end. */
export interface SendSink {
  readonly type: 'send'
  readonly host: string
  readonly port: number
  /** Sent as the first line. */
  readonly secret?: Secret
  readonly tls?: SendTls
  /** Bytes written at a time. */
  readonly bufferBytes: number
  readonly connectMs: number
}

export interface SendTls {
  /** The certificate of the receiver or its authority, PEM: it is the only one trusted, whatever name it carries. */
  readonly ca: string
}

export interface StoredEnd {
  readonly type: 'stored'
  readonly place: PlaceConfig
  /** Below the root of the place. */
  readonly path: string
  readonly compression: Compression
  readonly encryption?: StoredEncryption
}

export interface StoredEncryption {
  /** The cluster's keys; a stream is encrypted with the newest. */
  readonly keyFile: string
  /** Public keys that can decrypt it, too: those of people, kept elsewhere. */
  readonly recipients?: readonly string[]
}

export interface StoredSource extends StoredEnd {
  /** What the record says: compared while it is read. */
  readonly checksum?: string
  readonly chunks?: readonly string[]
}

export interface StoredSink extends StoredEnd {
  /** Words by which a person finds it in a repository. */
  readonly tags?: readonly string[]
}

/** As a tar stream: of a directory, or into one that is empty or missing. */
export interface DirectoryEnd {
  readonly type: 'directory'
  readonly path: string
}

/** Reads everything and keeps nothing: what is stored is compared with its record. */
export interface DiscardSink {
  readonly type: 'discard'
}

export interface TransferHooks {
  readonly signal: AbortSignal
  /** Once a second. */
  readonly progress?: (progress: TransferProgress) => void
  /** Each line that a program writes to its standard error, and a sink to its standard output. */
  readonly line?: (program: string, line: string) => void
  readonly listening?: (at: { readonly port: number }) => void
  /** A sender has proven the secret. */
  readonly accepted?: (from: { readonly address: string }) => void
}

export interface TransferProgress {
  /** Before compression. */
  readonly rawBytes: number
  /** As stored; 0 where nothing is. */
  readonly storedBytes: number
  /** Of the raw bytes since the last report, bytes a second. */
  readonly rate: number
}

export interface Transfer {
  /** Settles when all programs have ended and, where something was stored, its bytes are durable. Never rejects. */
  readonly done: Promise<Result<TransferReport>>
  /** Changes the limit while it runs, bytes a second; undefined: none. */
  limit(bytesPerSecond: number | undefined): void
  /** The child process, which leads a process group with its programs; undefined when it could not be started. */
  readonly pid: number | undefined
}

export interface TransferReport {
  readonly rawBytes: number
  readonly storedBytes: number
  /** SHA-256 of the stored bytes, hexadecimal; of the raw bytes where nothing is stored. */
  readonly checksum: string
  /** The same of everything up to the end of each chunk: the first that differs names where. */
  readonly chunks: readonly string[]
  readonly chunkBytes: number
  readonly programs: readonly ProgramReport[]
  /** Of the raw bytes: the first 16 KiB and the last 4 KiB, as text. */
  readonly head: string
  readonly tail: string
  readonly durationMs: number
  /** Of what was stored. */
  readonly encryption?: Encryption
}

export interface ProgramReport {
  readonly file: string
  readonly status: number
  readonly lastLines: readonly string[]
}

/** Bytes between two running checksums. */
export const CHUNK_BYTES = 64 * 1024 * 1024
