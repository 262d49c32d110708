// Sessions on mysql2: it logs in, writes statements and reads replies. The default.
import type { Duplex } from 'node:stream'
import type { Connection, QueryError } from 'mysql2'
import { openConnection } from './connection.js'
import type { SqlLimits } from './limits.js'
import type { OpenSession, Row, SqlTarget } from './session.js'
import { type LoggedIn, streamOf, type Wire, type WireEvents, type WireKind } from './wire.js'

/** Opens a session on mysql2; failures as in `openConnection`. */
export const openSession: OpenSession = (target) => openConnection(target, mysql2)

/** The same with other limits, for specs. */
export const openBoundedSession = (target: SqlTarget, limits: SqlLimits): ReturnType<OpenSession> =>
  openConnection(target, mysql2, limits)

/** `find` finds mysql2's stream; specs pass another function to simulate another version of mysql2. */
export const mysql2With = (find: typeof streamOf): WireKind => ({
  attach: (login, events) => new Mysql2Wire(login, events, find(login.connection)),
})

const mysql2 = mysql2With(streamOf)

class Mysql2Wire implements Wire {
  readonly #connection: Connection
  readonly #socket: LoggedIn['socket']
  readonly #events: WireEvents
  readonly isGuarded: boolean

  constructor({ connection, socket, isEncrypted }: LoggedIn, events: WireEvents, stream: Duplex | undefined) {
    this.#connection = connection
    this.#socket = socket
    this.#events = events
    // Without TLS the session sees the bytes on its own socket; where mysql2 hides its TLS stream they are only counted.
    this.isGuarded = !isEncrypted || (stream !== undefined && stream !== socket)
    if (isEncrypted && this.isGuarded) stream?.prependListener('data', (bytes: Buffer) => events.arrived(bytes))
  }

  send(sql: string): void {
    this.#connection.query<never>({ sql }, (error: QueryError | null, rows: unknown, fields: unknown) => {
      if (error === null) this.#events.replied({ rows: listsOf(rows, fields) })
      else if (isServerError(error)) this.#events.replied({ error: { errno: error.errno, sqlMessage: error.message } })
      else this.#events.broke(error)
    })
  }

  /** For sessions that read into a separate buffer but run on mysql2. */
  take(bytes: Buffer): void {
    this.#socket.emit('data', Buffer.from(bytes))
  }

  /** The server closes the connection on receipt of the packet. */
  leave(): void {
    this.#connection.end()
  }
}

const isServerError = (error: QueryError): error is QueryError & { errno: number } =>
  typeof error.errno === 'number' && error.errno > 0 && !error.fatal

/** mysql2 gives the rows of one result as they are, and a header instead of rows where a statement has none. */
function listsOf(rows: unknown, fields: unknown): readonly (readonly Row[])[] {
  const isSeveral = Array.isArray(fields) && (fields[0] === undefined || Array.isArray(fields[0]))
  const results: readonly unknown[] = isSeveral && Array.isArray(rows) ? rows : [rows]
  return results.map((result) => (Array.isArray(result) ? (result as readonly Row[]) : []))
}
