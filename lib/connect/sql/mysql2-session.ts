// Opens SQL sessions under hard deadlines. mysql2 logs in (TLS, plugins of the login); what is said on the wire after that
// is written and read here, since a manager holds thousands of sessions and looks at them all the time: a session keeps
// its socket and the short lists that it was told last, and a reply costs little more than what is new in it. The socket is
// ours, so its end is known at once.
import net from 'node:net'
import { Duplex } from 'node:stream'
import mysql, { type Connection } from 'mysql2'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { loginFailure, statementFailure } from './failures.js'
import { loginOptions } from './login-options.js'
import { errorOf, type KnownLists, type Reply, ReplyReader } from './reply-reader.js'
import type { OpenSession, Row, SqlSession, SqlTarget } from './session.js'
import { packetAt, packetOf, quitPacket, wantedAt } from './wire-packets.js'

type Answer = Result<readonly (readonly Row[])[]>

interface Statement {
  readonly sql: string
  readonly settle: (answer: Answer) => void
}

/** How long a farewell may take to leave. */
const LEAVE_MS = SECOND

/** What mysql2 listens to on the socket. */
const heardByMysql2 = ['data', 'error', 'end', 'close'] as const

/**
 * Where bytes of sessions without TLS arrive, one after the other: a read of its own memory for each of thousands of
 * replies a second costs more than what is done with them. What outlives the read is copied.
 */
const arrivals = Buffer.allocUnsafeSlow(65_536)

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
  const session = new Session(target)
  const login = await session.login(target)
  if (!login.ok) return login
  const left = target.connectTimeoutMs - (performance.now() - startedAt)
  const { opening = sessionStart } = target
  if (opening === '') return ok(session)
  const prepared = await session.run(opening, [], Math.max(left, 1))
  if (prepared.ok) return ok(session)
  session.close()
  return prepared
}

class Session implements SqlSession {
  readonly #address: string
  readonly #timeoutMs: number
  readonly #socket: net.Socket
  #loggedIn = false
  /** While it logs in. */
  #connection: Connection | undefined
  /** The socket, or TLS over it. */
  #stream: Duplex
  /** What waits for an answer: the login, then statements. Each settles once, at the latest when the session ends. */
  readonly #pending = new Set<(failure: Result<never>) => void>()
  /** In the order they were given; the first one was sent. */
  readonly #statements: Statement[] = []
  /** Reads the answer to the statement that was sent. */
  #reader: ReplyReader | undefined
  /** What it was told before: looks ask the same all the time, and mostly hear the same. */
  readonly #known: KnownLists = []
  /** Bytes of a packet that has not arrived in full, and how many are wanted. */
  #incomplete: { readonly parts: Buffer[]; length: number; readonly wanted: number } | undefined
  #listeners: readonly ((reason: string) => void)[] = []
  #endedBy: string | undefined
  /** The last packet is on its way; the socket is cut when it has left. */
  #leaving = false
  threadId = 0
  serverVersion = ''

  constructor(target: SqlTarget) {
    this.#address = `${target.host}:${target.port}`
    this.#timeoutMs = target.connectTimeoutMs
    const callback = (length: number) => this.#arrived(arrivals.subarray(0, length))
    this.#socket = net.connect({
      ...{ host: target.host, port: target.port, noDelay: true, keepAlive: true },
      ...(target.tls === undefined ? { onread: { buffer: arrivals, callback } } : {}),
    })
    this.#stream = this.#socket
    this.#socket.on('error', (error) => this.#break(error))
    this.#socket.on('end', () => this.#break({ code: 'ECONNRESET', message: 'closed by the server' }))
    this.#socket.on('close', () => this.#break({ code: 'ECONNRESET', message: 'closed' }))
  }

  get open(): boolean {
    return this.#endedBy === undefined
  }

  /** mysql2 is called when somebody listens: to be refused costs no more than the system's answer. */
  login(target: SqlTarget): Promise<Result<void>> {
    return this.#within<void>(this.#timeoutMs, (settle) => {
      this.#socket.once('connect', () => this.#greet(target, () => settle(ok(undefined))))
    })
  }

  run(sql: string, values: readonly unknown[], timeoutMs: number): Promise<Answer> {
    if (this.#endedBy !== undefined) return Promise.resolve(this.#lost(this.#endedBy))
    return this.#within<readonly (readonly Row[])[]>(timeoutMs, (settle) => {
      this.#statements.push({ sql: textOf(sql, values), settle })
      if (this.#statements.length === 1) this.#send()
    })
  }

  onClose(listener: (reason: string) => void): void {
    const reason = this.#endedBy
    if (reason === undefined) this.#listeners = [...this.#listeners, listener]
    else queueMicrotask(() => listener(reason))
  }

  /** Between two statements it takes leave of the server, which otherwise counts and logs an aborted connection. */
  close(): void {
    if (this.#loggedIn && this.#endedBy === undefined && this.#statements.length === 0) this.#takeLeave()
    this.#end('closed by the manager', this.#lost('closed by the manager'))
  }

  #takeLeave(): void {
    const late = setTimeout(() => this.#cut(), LEAVE_MS)
    this.#leaving = true
    this.#stream.end(quitPacket, () => {
      clearTimeout(late)
      this.#cut()
    })
  }

  #cut(): void {
    this.#connection?.destroy()
    this.#stream.destroy()
    this.#socket.destroy()
  }

  #greet(target: SqlTarget, done: () => void): void {
    const before = heardByMysql2.map((event) => this.#socket.listenerCount(event))
    const connection = mysql.createConnection(loginOptions(target, this.#socket))
    this.#connection = connection
    // mysql2 reports a lost connection as an 'error' event when no statement runs; unheard it would end the process.
    connection.on('error', (error: unknown) => this.#break(error))
    connection.once('connect', (greeting: { serverVersion?: string }) => {
      this.threadId = connection.threadId
      this.serverVersion = greeting.serverVersion ?? ''
      this.#takeOver(connection, before)
      done()
    })
  }

  /** mysql2 has done its part: nothing of it is kept for a plain socket; under TLS its stream and what that holds are. */
  #takeOver(connection: Connection, before: readonly number[]): void {
    this.#stream = streamOf(connection)
    this.#connection = undefined
    this.#loggedIn = true
    if (this.#stream === this.#socket)
      for (const [index, event] of heardByMysql2.entries())
        for (const listener of this.#socket.listeners(event).slice(before[index]))
          this.#socket.removeListener(event, listener as () => void)
    if (this.#stream === this.#socket) return
    this.#stream.removeAllListeners('data')
    this.#stream.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  /** Answers that more is wanted. */
  #arrived(bytes: Buffer): boolean {
    if (this.#connection) this.#socket.emit('data', Buffer.from(bytes))
    else this.#take(bytes)
    return true
  }

  #send(): void {
    const [statement] = this.#statements
    if (!statement || this.#endedBy !== undefined) return
    this.#reader = new ReplyReader(this.#known)
    this.#stream.write(packetOf(statement.sql))
  }

  #take(chunk: Buffer): void {
    const bytes = this.#completed(chunk)
    try {
      if (bytes) this.#read(bytes)
    } catch (error) {
      this.#break(error)
    }
  }

  /** The chunk with what was left of the ones before; undefined while that is still known to be too little. */
  #completed(chunk: Buffer): Buffer | undefined {
    const incomplete = this.#incomplete
    if (!incomplete) return chunk
    incomplete.parts.push(Buffer.from(chunk))
    incomplete.length += chunk.length
    if (incomplete.length < incomplete.wanted) return undefined
    this.#incomplete = undefined
    return Buffer.concat(incomplete.parts)
  }

  #read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && this.#endedBy === undefined) {
      if (!this.#reader) {
        this.#hearUnasked(bytes.subarray(at))
        return
      }
      at = this.#reader.read(bytes, at)
      const { reply } = this.#reader
      if (!reply) break
      this.#answer(reply)
    }
    const length = bytes.length - at
    if (length > 0) this.#incomplete = { parts: [Buffer.from(bytes.subarray(at))], length, wanted: wantedAt(bytes, at) }
  }

  #answer(reply: Reply): void {
    const statement = this.#statements.shift()
    this.#reader = undefined
    this.#send()
    statement?.settle('rows' in reply ? ok(reply.rows) : statementFailure(reply.error, this.#address))
  }

  /** A server that speaks unasked says why it ends the session. */
  #hearUnasked(bytes: Buffer): void {
    const packet = packetAt(bytes, 0)
    const text = packet && bytes[packet.start] === 0xff ? errorOf(packet).sqlMessage : 'an answer to nothing came'
    this.#break(new Error(text))
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
    if (!this.#leaving) this.#cut()
    this.#incomplete = undefined
    this.#statements.length = 0
    for (const settle of [...this.#pending]) settle(failure)
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener(reason)
  }
}

/** What the connection runs on. Not in mysql2's documents, hence checked. */
function streamOf(connection: Connection): Duplex {
  if ('stream' in connection && connection.stream instanceof Duplex) return connection.stream
  throw new TypeError('this version of mysql2 keeps its stream elsewhere')
}

/** Objects are values too: as text, never as assignments. */
const textOf = (sql: string, values: readonly unknown[]): string =>
  values.length === 0 ? sql : mysql.format(sql, [...values] as Parameters<typeof mysql.format>[1], true)
