// Opens SQL sessions with mysql2 under hard deadlines. The socket is ours, so its end is known the moment it happens.
import net from 'node:net'
import mysql, { type Connection, type ConnectionOptions, type FieldPacket } from 'mysql2'
import { fail, ok, type Result } from '../base/result.js'
import type { OpenSession, Row, SqlSession, SqlTarget } from './sql.js'
import { loginFailure, statementFailure } from './sql-failures.js'

type Answer = Result<readonly (readonly Row[])[]>

/**
 * Removes what a server's defaults may put into a session: modes that change quoting or the grammar
 * (NO_BACKSLASH_ESCAPES, ANSI_QUOTES, ORACLE), an implicit transaction, and a time zone that differs from the one in
 * which system tables tell times.
 */
const sessionStart = `SET SESSION sql_mode='', autocommit=1, time_zone='SYSTEM'`

/**
 * Opens a session: TCP, TLS, login and session defaults within `connectTimeoutMs`. Failures: `sql-refused` (nothing
 * listens, or the socket was closed), `sql-silent` (deadline passed, host unreachable), `sql-rejected` (the server
 * answered but refused the login: alive; or TLS is wanted and its files cannot be used).
 */
export const openSession: OpenSession = async (target) => {
  const { host, port, tls } = target
  if (tls?.unusable !== undefined) return fail('sql-rejected', `${host}:${port}: not connected: ${tls.unusable}`)
  const startedAt = performance.now()
  const session = new Mysql2Session(target)
  const login = await session.login()
  if (!login.ok) return login
  const left = target.connectTimeoutMs - (performance.now() - startedAt)
  const prepared = await session.run(sessionStart, [], Math.max(left, 1))
  if (prepared.ok) return ok(session)
  session.close()
  return prepared
}

class Mysql2Session implements SqlSession {
  readonly #address: string
  readonly #timeoutMs: number
  readonly #socket: net.Socket
  readonly #connection: Connection
  /** What waits for an answer: the login, then statements. Each settles once, at the latest when the session ends. */
  readonly #pending = new Set<(failure: Result<never>) => void>()
  readonly #listeners: ((reason: string) => void)[] = []
  #loggedIn = false
  #endedBy: string | undefined
  threadId = 0
  serverVersion = ''

  constructor(target: SqlTarget) {
    this.#address = `${target.host}:${target.port}`
    this.#timeoutMs = target.connectTimeoutMs
    this.#socket = net.connect({ host: target.host, port: target.port, noDelay: true, keepAlive: true })
    this.#connection = mysql.createConnection(options(target, this.#socket))
    // mysql2 reports a lost connection as an 'error' event when no statement runs; unheard it would end the process.
    this.#connection.on('error', (error: unknown) => this.#break(error))
    this.#socket.on('error', (error) => this.#break(error))
    this.#socket.on('end', () => this.#break({ code: 'ECONNRESET', message: 'closed by the server' }))
    this.#socket.on('close', () => this.#break({ code: 'ECONNRESET', message: 'closed' }))
  }

  get open(): boolean {
    return this.#endedBy === undefined
  }

  login(): Promise<Result<void>> {
    return this.#within<void>(this.#timeoutMs, (settle) =>
      this.#connection.once('connect', (greeting: { serverVersion?: string }) => {
        this.threadId = this.#connection.threadId
        this.serverVersion = greeting.serverVersion ?? ''
        this.#loggedIn = true
        settle(ok(undefined))
      }),
    )
  }

  run(sql: string, values: readonly unknown[], timeoutMs: number): Promise<Answer> {
    if (this.#endedBy !== undefined) return Promise.resolve(this.#lost(this.#endedBy))
    return this.#within<readonly (readonly Row[])[]>(timeoutMs, (settle) =>
      this.#connection.query({ sql, values: [...values] }, (error, rows, fields) =>
        settle(error ? statementFailure(error, this.#address) : ok(resultSets(rows, fields))),
      ),
    )
  }

  onClose(listener: (reason: string) => void): void {
    const reason = this.#endedBy
    if (reason === undefined) this.#listeners.push(listener)
    else queueMicrotask(() => listener(reason))
  }

  close(): void {
    this.#end('closed by the manager', this.#lost('closed by the manager'))
  }

  /** Starts something that settles by itself, by the end of the session, or by the deadline, which ends the session. */
  #within<T>(timeoutMs: number, start: (settle: (result: Result<T>) => void) => void): Promise<Result<T>> {
    return new Promise((resolve) => {
      const settle = (result: Result<T>) => {
        clearTimeout(timer)
        this.#pending.delete(settle)
        resolve(result)
      }
      const timer = setTimeout(() => {
        const reason = `no ${this.#loggedIn ? 'answer' : 'login'} within ${Math.round(timeoutMs)} ms`
        this.#end(reason, fail('sql-silent', `${this.#address}: ${reason}`))
      }, timeoutMs)
      this.#pending.add(settle)
      start(settle)
    })
  }

  #lost(reason: string): Result<never> {
    return fail('sql-refused', `${this.#address}: connection lost: ${reason}`)
  }

  #break(error: unknown): void {
    const reason = error instanceof Error && error.message ? error.message : 'closed by the server'
    this.#end(reason, this.#loggedIn ? this.#lost(reason) : loginFailure(error, this.#address))
  }

  /** Ends the session once, whatever ends it first: nobody waits on a dead socket. */
  #end(reason: string, failure: Result<never>): void {
    if (this.#endedBy !== undefined) return
    this.#endedBy = reason
    this.#connection.destroy()
    this.#socket.destroy()
    for (const settle of [...this.#pending]) settle(failure)
    for (const listener of this.#listeners.splice(0)) listener(reason)
  }
}

function options({ user, password, host, port, tls }: SqlTarget, socket: net.Socket): ConnectionOptions {
  return {
    host,
    port,
    user,
    password,
    stream: () => socket,
    connectTimeout: 0, // the deadline is ours: it covers the login, mysql2's does not
    multipleStatements: true,
    maxPreparedStatements: 16, // the default allocates half a megabyte per connection
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true, // beyond 2^53 as text, never rounded
    stringifyObjects: true,
    ...(tls === undefined ? {} : { ssl: tlsOptions(tls) }),
  }
}

const tlsOptions = ({ ca, cert, key, skipVerify = false }: NonNullable<SqlTarget['tls']>) => ({
  ...(ca === undefined ? {} : { ca }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
  rejectUnauthorized: !skipVerify,
})

/** mysql2 answers one result bare and several as lists; without columns (an OK packet) there is no field list. */
function resultSets(rows: unknown, fields: FieldPacket[] | undefined): readonly (readonly Row[])[] {
  const lists: readonly unknown[] = isSeveral(fields) ? (rows as unknown[]) : [rows]
  return lists.map((list) => (Array.isArray(list) ? (list as readonly Row[]) : []))
}

const isSeveral = (fields: readonly unknown[] | undefined): boolean =>
  fields !== undefined && (fields[0] === undefined || Array.isArray(fields[0]))
