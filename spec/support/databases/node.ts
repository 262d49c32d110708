// One real database server of a test: start, kill, pause, stop, and an administrator's session to it.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ok, type Result, unwrap } from '../../../lib/base/result.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { Row, SqlSession, SqlTarget } from '../../../lib/connect/sql/session.js'
import { endWithRun, runIsOver } from '../machine/leftovers.js'
import { pauseProcess } from '../machine/pause.js'
import { eventually } from '../wait.js'
import type { Engine, Place } from './engine.js'

/** Accounts of every test server; each may log in from 127.0.0.1 only. */
export const accounts = {
  root: { user: 'root', password: 'root' },
  monitor: { user: 'monitor', password: 'monitor' },
  replication: { user: 'repl', password: 'repl' },
} as const

const queryLimitMs = 130_000

const onlyReads = /^\s*(SELECT|SHOW|CHECKSUM)\b/i
/** How a session reports that it was killed: between two statements, or in one. */
const hasEnded = /connection lost|connection was killed/i
/** Sessions that are replaced for one statement: a freeze checks several times. */
const MOST_ENDED = 5

/** Run before the port opens, at the first start only; one statement per line. */
const firstStart = [
  'SET SESSION sql_log_bin=0;',
  "CREATE USER IF NOT EXISTS root@'127.0.0.1' IDENTIFIED BY 'root';",
  "ALTER USER root@'127.0.0.1' IDENTIFIED BY 'root';",
  "GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;",
  "CREATE USER monitor@'127.0.0.1' IDENTIFIED BY 'monitor';",
  "GRANT ALL ON *.* TO monitor@'127.0.0.1' WITH GRANT OPTION;",
  "CREATE USER repl@'127.0.0.1' IDENTIFIED BY 'repl';",
  "GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1';",
]

export class Node {
  readonly name: string
  readonly host: string
  readonly #prefix: readonly string[]
  readonly port: number
  readonly extraPort: number
  readonly dir: string
  readonly serverNumber: number
  readonly engine: Engine
  readonly #options: readonly string[]
  #child: ChildProcess | undefined
  #destroyed = false
  #admin: SqlSession | undefined

  constructor({ name, engine, place, options }: NodeParts) {
    this.name = name
    this.engine = engine
    this.host = place.network?.host ?? '127.0.0.1'
    this.#prefix = place.network?.prefix ?? []
    this.port = place.port
    this.extraPort = place.extraPort
    this.dir = place.dir
    this.serverNumber = place.serverNumber
    this.#options = options
  }

  /** The server's process id; 0 while it does not run. */
  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** It will not run again: its story has ended. */
  get destroyed(): boolean {
    return this.#destroyed || runIsOver()
  }

  /** How to reach it as one of `accounts`. */
  target(account: keyof typeof accounts = 'root', connectTimeoutMs = 30_000): SqlTarget {
    return { host: this.host, port: this.port, ...accounts[account], anyKey: true, connectTimeoutMs }
  }

  /** Starts the process; `waitUp` resolves when it serves. */
  start(...args: readonly string[]): void {
    if (this.#child) throw new Error(`${this.name} runs already`)
    const [program = '', ...given] = [...this.#prefix, ...this.engine.command(this)]
    const output = openSync(path.join(this.dir, 'error.log'), 'a')
    const child = spawn(program, [...given, ...this.#firstStart(), ...this.#options, ...args], {
      cwd: this.dir,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    child.unref()
    endWithRun(child)
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    this.#child = child
  }

  /** Resolves when the server answers; fails at once, with the end of its log, when it ended instead. */
  async waitUp(): Promise<void> {
    const session = await eventually(
      async () => unwrap(await openSession(this.target('root', 1_000))),
      () => `${this.name} is up\n${this.log().slice(-4_000)}`,
      { over: () => (this.#child ? undefined : 'the server ended') },
    )
    session.close()
  }

  /** Ends the process without asking; resolves when it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.ref()
    child.kill(signal)
    await gone
  }

  /** Shuts the server down cleanly. */
  async stop(): Promise<void> {
    this.resume()
    await this.kill('SIGTERM')
  }

  /** Hangs it (SIGSTOP): ports accept, nothing answers. */
  pause(): void {
    if (this.#child) pauseProcess(this.#child)
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  /**
   * Runs statements as root on a kept session; answers the rows of the last one, throws when refused. A freeze ends sessions
   * with every privilege, this one too: what only reads is asked again on a new one. What changes something is sent once, on a
   * session that has just answered: that of before a switchover may have ended without a sign here yet.
   */
  async sql(query: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    const reads = onlyReads.test(query)
    if (!reads && this.#admin?.open) await this.#ask('SELECT 1', [], MOST_ENDED)
    return unwrap(await this.#ask(query, values, reads ? MOST_ENDED : 0)).at(-1) ?? []
  }

  /** Again on a new session, so many times at most, where the one that it was sent on ended. */
  async #ask(query: string, values: readonly unknown[], times: number): Promise<Result<readonly (readonly Row[])[]>> {
    for (let left = times; ; left -= 1) {
      const session = await this.#session()
      const answer = session.ok ? await session.value.run(query, values, queryLimitMs) : session
      if (left <= 0 || answer.ok || !hasEnded.test(answer.failure.message)) return answer
    }
  }

  async #session(): Promise<Result<SqlSession>> {
    if (this.#admin?.open) return ok(this.#admin)
    const opened = await openSession(this.target())
    if (opened.ok) this.#admin = opened.value
    return opened
  }

  /** The first column of the first row, as text; '' without a row. */
  async value(query: string, ...values: readonly unknown[]): Promise<string> {
    const [row = {}] = await this.sql(query, ...values)
    return String(Object.values(row)[0] ?? '')
  }

  /** The server's error log. */
  log(): string {
    return readFileSync(path.join(this.dir, 'error.log'), 'utf8')
  }

  /** Ends process and session. */
  async destroy(): Promise<void> {
    this.#destroyed = true
    this.#admin?.close()
    await this.kill()
  }

  #firstStart(): readonly string[] {
    const file = path.join(this.dir, 'init.sql')
    if (existsSync(file)) return []
    // In a network of its own it is reached from other addresses.
    const statements =
      this.#prefix.length === 0 ? firstStart : [...firstStart, ...firstStart.slice(1).map(fromAnywhere)]
    writeFileSync(file, `${statements.join('\n')}\n`)
    return [`--init-file=${file}`]
  }
}

const fromAnywhere = (statement: string): string => statement.replace("'127.0.0.1'", "'%'")

export interface NodeParts {
  readonly name: string
  readonly engine: Engine
  readonly place: Place
  readonly options: readonly string[]
}
