// What a session runs on once mysql2 has logged in: something that sends statements and hands over their replies.

import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Connection } from 'mysql2'
import type { ServerError } from './failures.js'
import type { Row } from './session.js'

/** One row list per statement that ran, or the server's error. */
export type Reply = { readonly rows: readonly (readonly Row[])[] } | { readonly error: ServerError }

/** What the session wants to know. */
export interface WireEvents {
  /** The reply to the statement that was sent last. */
  replied(reply: Reply): void
  /** The connection cannot be used any longer. */
  broke(error: unknown): void
  /** Decrypted bytes have arrived; answers false when a bound is broken: they are not to be read then. */
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
  /** Bytes of the socket, when the session reads it into a buffer of its own. */
  take(bytes: Buffer): void
  /** Says goodbye; `done` may be called when that has left. The socket is destroyed after a second at the latest. */
  leave(done: () => void): void
  /** True when `arrived` is called with every byte of the session; else the session counts on the socket. */
  readonly isGuarded: boolean
}

export interface WireKind {
  /** Where the bytes of sockets without TLS arrive; when absent the socket makes a buffer for each read. */
  readonly buffer?: Buffer
  attach(login: LoggedIn, events: WireEvents): Wire
}

/**
 * The stream that mysql2 uses: the socket, or TLS on top of it. Not in mysql2's documents, hence undefined when a
 * version keeps it elsewhere.
 */
export const streamOf = (connection: Connection): Duplex | undefined =>
  'stream' in connection && connection.stream instanceof Duplex ? connection.stream : undefined
