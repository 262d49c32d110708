// The transport of a session once mysql2 has logged in: it sends statements and delivers their replies.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Connection } from 'mysql2'
import type { ServerError } from './failures.js'
import type { Row } from './session.js'

/** One row list per statement that ran, or the server's error. */
export type Reply = { readonly rows: readonly (readonly Row[])[] } | { readonly error: ServerError }

/** Callbacks of the session. */
export interface WireEvents {
  /** The reply to the latest statement. */
  replied(reply: Reply): void
  /** The connection cannot be used any longer. */
  broke(error: unknown): void
  /** Decrypted bytes have arrived; returns false when a limit is exceeded: they must not be read then. */
  arrived(bytes: Buffer): boolean
}

export interface LoggedIn {
  readonly connection: Connection
  readonly socket: Socket
  /** TLS is on top of the socket. */
  readonly isEncrypted: boolean
  /** Listeners of the socket, by event, that were there before mysql2's. */
  readonly listenersBefore: Readonly<Record<string, number>>
}

export interface Wire {
  /** Sends one statement text; the next one follows when the reply is complete. */
  send(sql: string): void
  /** Bytes of the socket, when the session reads it into a separate buffer. */
  take(bytes: Buffer): void
  /** Sends COM_QUIT; `done` may be called when it is sent. The socket is destroyed after a second at the latest. */
  leave(done: () => void): void
  /** True when `arrived` is called with every byte of the session; else the session counts on the socket. */
  readonly isGuarded: boolean
}

export interface WireKind {
  /** Buffer for the bytes of sockets without TLS; when absent the socket allocates a buffer for each read. */
  readonly buffer?: Buffer
  attach(login: LoggedIn, events: WireEvents): Wire
}

/**
 * The stream that mysql2 uses: the socket, or TLS on top of it. Not documented by mysql2, hence undefined when a
 * version keeps it elsewhere.
 */
export const streamOf = (connection: Connection): Duplex | undefined =>
  'stream' in connection && connection.stream instanceof Duplex ? connection.stream : undefined
