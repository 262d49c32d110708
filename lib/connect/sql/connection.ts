// One SQL session: connects, logs in with mysql2, runs statements one after the other, each with a hard deadline and
// within limits. The session owns the socket, so its end is noticed at once. A wire sends statements and reads replies.
import net from 'node:net'
import mysql, { type Connection } from 'mysql2'
import { fail, ok, type Result } from '../../base/result.js'
import { SECOND } from '../../base/time.js'
import { identify } from '../../dialect/index.js'
import { addressText } from '../../model/server/server.js'
import { judgeExpected } from './expected.js'
import { loginFailure, rejectedAtStart, statementFailure } from './failures.js'
import { ReplyGuard, type SqlLimits, sqlLimits } from './limits.js'
import { loginOptions } from './login-options.js'
import { type Holder, joinAccount, type ReplyAccount } from './reply-account.js'
import type { Row, SqlSession, SqlTarget } from './session.js'
import { startSession } from './session-start.js'
import type { Reply, Wire, WireEvents, WireKind } from './wire.js'

type Answer = Result<readonly (readonly Row[])[]>

interface Statement {
  readonly sql: string
  readonly settle: (answer: Answer) => void
}

/** Timeout of sending COM_QUIT. */
const LEAVE_MS = SECOND

/** Interval of counting bytes that only the socket sees, milliseconds. */
const COUNT_MS = 10

/** Socket events that mysql2 listens to. */
const socketEvents = ['data', 'error', 'end', 'close'] as const

/**
 * Opens a session: TCP, TLS, login and session defaults within `connectTimeoutMs`. Failures: `sql-refused` (nothing
 * listens, or the socket was closed), `sql-silent` (deadline passed, host unreachable, no database greets), `sql-unresolved`
 * (the host name has no address, or not in time: nothing is known of the server), `sql-rejected`
 * (the server answered but refused the login: alive; TLS is required and its files cannot be used; or another server than
 * the expected one answers).
 */
export async function openConnection(
  target: SqlTarget,
  kind: WireKind,
  limits?: SqlLimits,
): Promise<Result<SqlSession>> {
  const { host, port, tls } = target
  if (tls?.unusable !== undefined) return fail('sql-rejected', `${host}:${port}: not connected: ${tls.unusable}`)
  const startedAt = performance.now()
  const session = new SqlConnection(target, kind, limits)
  const login = await session.login(target)
  if (!login.ok) return login
  const { bare = false, expected } = target
  if (bare) return ok(session)
  // Who answers is asked in the same round trip.
  const asking = expected === undefined ? '' : textOf(identify.sql, identify.values)
  const left = () => Math.max(1, target.connectTimeoutMs - (performance.now() - startedAt))
  // A server that does not know a name is asked again: all of it within the one time.
  const ask = (text: string) => session.run(text, [], left())
  const prepared = await startSession(session.serverVersion, asking, ask)
  const admitted = prepared.ok && expected ? judgeExpected(prepared.value, expected) : rejectedAtStart(prepared)
  if (admitted.ok) return ok(session)
  session.close()
  return admitted
}

class SqlConnection implements SqlSession, Holder {
  readonly #address: string
  readonly #timeoutMs: number
  readonly #kind: WireKind
  readonly #socket: net.Socket
  readonly #guard: ReplyGuard
  readonly #account: ReplyAccount
  readonly #mostAtServer: number
  #connection: Connection | undefined
  /** Since the login. */
  #wire: Wire | undefined
  /** Pending work: the login, then statements. Each settles once, at the latest when the session ends. */
  readonly #pending = new Set<(failure: Result<never>) => void>()
  /** In the order of the calls; the first one was sent. */
  readonly #statements: Statement[] = []
  #listeners: readonly ((reason: string) => void)[] = []
  #endedBy: string | undefined
  /** The last packet is being sent; the socket is destroyed afterwards. */
  #leaving = false
  /** Counts on the socket what the guard does not see. */
  #counter: NodeJS.Timeout | undefined
  #countedFrom = 0
  /** The host has an address: a deadline that passes before says nothing about the server. */
  #isResolved: boolean
  held = 0
  threadId = 0
  serverVersion = ''

  constructor(target: SqlTarget, kind: WireKind, limits: SqlLimits = sqlLimits) {
    this.#address = `${target.host}:${target.port}`
    this.#timeoutMs = target.connectTimeoutMs
    this.#kind = kind
    this.#guard = new ReplyGuard(limits)
    this.#account = joinAccount(target.server ?? addressText(target), this)
    this.#mostAtServer = limits.serverBytes
    const { buffer } = kind
    const callback = (length: number): boolean => this.#received(buffer?.subarray(0, length))
    this.#socket = net.connect({
      ...{ host: target.host, port: target.port, noDelay: true, keepAlive: true },
      ...(target.tls === undefined && buffer !== undefined ? { onread: { buffer, callback } } : {}),
    })
    this.#isResolved = net.isIP(target.host) !== 0
    this.#socket.on('lookup', (error: Error | null) => {
      this.#isResolved ||= error === null
    })
    this.#socket.on('error', (error) => this.#break(error))
    this.#socket.on('end', () => this.#break({ code: 'ECONNRESET', message: 'closed by the server' }))
    this.#socket.on('close', () => this.#break({ code: 'ECONNRESET', message: 'closed' }))
    if (target.tls !== undefined) this.#count()
    else if (buffer === undefined) this.#socket.on('data', (bytes: Buffer) => this.#isWithinBounds(bytes))
  }

  get open(): boolean {
    return this.#endedBy === undefined
  }

  /** mysql2 is called once the connection is open: a refused connection costs only the system call. */
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

  /** Between two statements it sends COM_QUIT to the server, which otherwise counts and logs an aborted connection. */
  close(): void {
    if (this.#wire !== undefined && this.#endedBy === undefined && this.#statements.length === 0)
      this.#takeLeave(this.#wire)
    this.#end('closed by the manager', this.#lost('closed by the manager'))
  }

  #takeLeave(wire: Wire): void {
    const late = setTimeout(() => this.#cut(), LEAVE_MS)
    this.#leaving = true
    this.#socket.once('close', () => clearTimeout(late))
    wire.leave(() => this.#cut())
  }

  #cut(): void {
    this.#connection?.destroy()
    this.#socket.destroy()
  }

  #greet(target: SqlTarget, done: () => void): void {
    const before = socketEvents.map((event) => [event, this.#socket.listenerCount(event)] as const)
    const connection = mysql.createConnection(loginOptions(target, this.#socket))
    this.#connection = connection
    contain(connection, (error) => this.#break(error))
    // mysql2 reports a lost connection as an 'error' event when no statement runs; unhandled it would end the process.
    connection.on('error', (error: unknown) => this.#break(error))
    connection.once('connect', (greeting: { serverVersion?: string }) => {
      this.threadId = connection.threadId
      this.serverVersion = greeting.serverVersion ?? ''
      const isEncrypted = target.tls !== undefined
      const login = { connection, socket: this.#socket, isEncrypted, listenersBefore: Object.fromEntries(before) }
      this.#wire = this.#kind.attach(login, this.#events)
      if (this.#wire.isGuarded) clearInterval(this.#counter)
      done()
    })
  }

  readonly #events: WireEvents = {
    replied: (reply) => this.#answer(reply),
    broke: (error) => this.#break(error),
    arrived: (bytes) => this.#isWithinBounds(bytes),
  }

  /** Bytes of the session's own buffer. Returns true to continue reading. */
  #received(bytes: Buffer | undefined): boolean {
    if (!bytes || !this.#isWithinBounds(bytes)) return false
    if (this.#wire) this.#wire.take(bytes)
    else this.#socket.emit('data', Buffer.from(bytes))
    return true
  }

  #isWithinBounds(bytes: Buffer): boolean {
    if (this.#endedBy !== undefined) return false
    const broken = this.#guard.take(bytes)
    if (broken !== undefined) this.exceed(broken)
    else this.#hold(this.#guard.held)
    return this.open
  }

  #count(): void {
    this.#counter = setInterval(() => this.#isCountWithinBounds(), COUNT_MS).unref()
  }

  #isCountWithinBounds(): boolean {
    const bytes = this.#socket.bytesRead - this.#countedFrom
    const broken = this.#guard.judgeBytes(bytes)
    if (broken !== undefined) this.exceed(broken)
    else this.#hold(bytes)
    return this.open
  }

  #hold(bytes: number): void {
    if (this.#endedBy === undefined) this.#account.hold(this, bytes, this.#mostAtServer)
  }

  /** A server that exceeds a limit is alive, but nothing that it sends is used. */
  exceed(broken: string): void {
    // A paused connection reads none of the bytes that are being delivered.
    this.#connection?.pause()
    const message = `${this.#address}: ${broken}; connection closed`
    const [statement] = this.#statements
    statement?.settle(fail('sql-failed', message))
    this.#end(broken, this.#wire ? this.#lost(broken) : fail('sql-silent', message))
  }

  #send(): void {
    const [statement] = this.#statements
    if (!statement || this.#endedBy !== undefined) return
    this.#guard.expectReply()
    this.#countedFrom = this.#socket.bytesRead
    this.#wire?.send(statement.sql)
  }

  #answer(reply: Reply): void {
    if (this.#wire?.isGuarded === false && !this.#isCountWithinBounds()) return
    this.#hold(0)
    const statement = this.#statements.shift()
    this.#send()
    statement?.settle('rows' in reply ? ok(reply.rows) : statementFailure(reply.error, this.#address))
  }

  /** Starts an action that settles on completion, at the end of the session, or at the deadline, which ends the session. */
  #within<T>(timeoutMs: number, start: (settle: (result: Result<T>) => void) => void): Promise<Result<T>> {
    return new Promise((resolve) => {
      const settle = (result: Result<T>) => {
        clearTimeout(timer)
        this.#pending.delete(settle)
        resolve(result)
      }
      const timer = setTimeout(() => {
        const missing = this.#wire ? 'answer' : this.#isResolved ? 'login' : 'address for this name'
        const reason = `no ${missing} within ${Math.max(0, Math.round(timeoutMs))} ms`
        this.#end(reason, fail(this.#isResolved ? 'sql-silent' : 'sql-unresolved', `${this.#address}: ${reason}`))
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
    this.#end(reason, this.#wire ? this.#lost(reason) : loginFailure(error, this.#address))
  }

  /** Ends the session once, at the first cause: no call keeps waiting on a dead socket. */
  #end(reason: string, failure: Result<never>): void {
    if (this.#endedBy !== undefined) return
    this.#endedBy = reason
    clearInterval(this.#counter)
    this.#account.leave(this)
    if (!this.#leaving) this.#cut()
    this.#statements.length = 0
    for (const settle of [...this.#pending]) settle(failure)
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener(reason)
  }
}

/**
 * What a server sends may make mysql2 throw where it reads packets, in a listener of the socket: uncaught it would end the
 * thread with every other cluster on it. Not documented by mysql2, hence left alone when a version keeps it elsewhere.
 */
function contain(connection: Connection, broke: (error: unknown) => void): void {
  const { packetParser } = connection as { readonly packetParser?: { execute?: (bytes: Buffer) => void } }
  const execute = packetParser?.execute?.bind(packetParser)
  if (!packetParser || !execute) return
  packetParser.execute = (bytes) => {
    try {
      execute(bytes)
    } catch (error) {
      broke(error)
    }
  }
}

/** Objects are quoted as text, never as assignments. */
const textOf = (sql: string, values: readonly unknown[]): string =>
  values.length === 0 ? sql : mysql.format(sql, [...values] as Parameters<typeof mysql.format>[1], true)
