// Wires to databases: one session, hard deadlines, no domain words.
import type { Result } from '../../base/result.js'

export interface SqlTarget {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** TLS is used when present. */
  readonly tls?: SqlTls
  /** Longest time until the login is done, milliseconds. */
  readonly connectTimeoutMs: number
  /** What is said first in the session; `''`: nothing, for what speaks the protocol but is no database. */
  readonly opening?: string
}

/** PEM texts. The certificate's chain is checked, its name is not: database servers rarely have one of their own name. */
export interface SqlTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Accepts any certificate. */
  readonly skipVerify?: boolean
  /** Where the texts were read, for programs that read them by themselves. */
  readonly files?: TlsFiles
  /** Why the files cannot be read anew; the texts are those of before. */
  readonly outdated?: string
  /** TLS is wanted, but its files cannot be used: no session is opened, in clear neither. */
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
   * Runs a statement (or several, `;` between them) and answers one row list per statement that ran, empty for one that
   * returns no rows (SET, STOP SLAVE). `?` in the text are replaced by the quoted values. Settles within
   * `timeoutMs`; when that passes the session is destroyed, since its state is unknown: `sql-silent`. A lost
   * connection is `sql-refused`, a refused statement `sql-failed` with the server's error number in the message.
   */
  run(sql: string, values: readonly unknown[], timeoutMs: number): Promise<Result<readonly (readonly Row[])[]>>
  /** Called once, as soon as the socket is gone for whatever reason. */
  onClose(listener: (reason: string) => void): void
  /** Destroys the socket at once; never waits. */
  close(): void
}

export type OpenSession = (target: SqlTarget) => Promise<Result<SqlSession>>

export { errorNumber } from './failures.js'
