// Connections to databases: one session, hard deadlines, no domain terms.
import type { Result } from '../../base/result.js'
import type { SeenInstance } from '../../model/server/instance.js'
import type { KnownKeys } from './known-keys.js'

export interface SqlTarget {
  readonly host: string
  readonly port: number
  /** `host:port` of the server whose replies are counted together, where this is another port of it. */
  readonly server?: string
  readonly user: string
  readonly password: string
  /** TLS is used when present. */
  readonly tls?: SqlTls
  /** File of public keys (PEM) that the password may be sealed for without TLS. */
  readonly publicKeys?: string
  /** Without TLS and `publicKeys`: seals the password for whatever key the server offers. */
  readonly anyKey?: boolean
  /** Without TLS, `publicKeys` and `anyKey`: seals it for the key that this address showed first. Absent: it is not sent. */
  readonly knownKeys?: KnownKeys
  /** Timeout until the end of the login, milliseconds. */
  readonly connectTimeoutMs: number
  /** Nothing is set for the session: for programs that speak the protocol but are no database. */
  readonly bare?: true
  /** The server that the session is for: a session with another one is not opened. Absent: with whichever answers. */
  readonly expected?: SeenInstance
}

/** PEM texts. The certificate's chain is verified, its name is not: certificates of database servers rarely match the host name. */
export interface SqlTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Accepts any certificate. */
  readonly skipVerify?: boolean
  /** Paths of the texts, for programs that read the files themselves. */
  readonly files?: TlsFiles
  /** Why the files cannot be read again; the texts are the previous ones. */
  readonly outdated?: string
  /** TLS is configured, but its files are unusable: no session is opened, not even an unencrypted one. */
  readonly unusable?: string
}

/** Paths of PEM files; the key belongs to the certificate. */
export interface TlsFiles {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export type Row = Readonly<Record<string, unknown>>

export interface SqlSession {
  /** The connection id on the server. */
  readonly threadId: number
  /** The server's version text from the handshake. */
  readonly serverVersion: string
  readonly open: boolean
  /**
   * Runs a statement (or several, separated by `;`) and returns one row list per executed statement, empty for one that
   * returns no rows (SET, STOP SLAVE). `?` in the text are replaced by the quoted values. Settles within
   * `timeoutMs`; when that passes the session is destroyed, since its state is unknown: `sql-silent`. A lost
   * connection is `sql-refused`, a refused statement `sql-failed` with the server's error number in the message.
   */
  run(sql: string, values: readonly unknown[], timeoutMs: number): Promise<Result<readonly (readonly Row[])[]>>
  /** Called once, as soon as the socket is closed for any reason. */
  onClose(listener: (reason: string) => void): void
  /** Destroys the socket at once; never waits. */
  close(): void
}

export type OpenSession = (target: SqlTarget) => Promise<Result<SqlSession>>

export { errorNumber, isLoginRefused } from './failures.js'
