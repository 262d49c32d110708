// Writes a little on the primary while the settings ask for it: for demonstrations, and to see what a change of the primary
// costs. It follows the primary, keeps off while one changes, and grows nothing: a hundred rows in a separate schema.
import { ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import { errorNumber } from '../../connect/sql/failures.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import type { TrafficFigures } from '../../model/operation/traffic.js'
import type { ServerId } from '../../model/server/server.js'
import type { EffectServer } from '../kit/server.js'

const PAUSE_MS = 250
const WRITE_MS = 2 * SECOND
const LONGEST_PAUSE_MS = 8 * SECOND
const ROWS = 100

const table = 'manager_traffic.beats'
const create = [
  'CREATE DATABASE IF NOT EXISTS manager_traffic',
  `CREATE TABLE IF NOT EXISTS ${table} (id INT NOT NULL PRIMARY KEY, written BIGINT NOT NULL, at TIMESTAMP(6) NOT NULL) ENGINE=InnoDB`,
].join('; ')
const absent: ReadonlySet<number> = new Set([1049, 1146]) // unknown database, no such table

/** What traffic reads of the cluster it writes to, at each write. */
export interface TrafficHost {
  /** Aborts when the cluster's actor ends. */
  readonly signal: AbortSignal
  /** The settings ask for it. */
  readonly isOn: () => boolean
  /** The primary when it takes writes and keeps its role: a write while it is handed over would go to the wrong place. */
  readonly writable: () => EffectServer | undefined
  readonly log: (text: string) => void
}

export class Traffic {
  readonly #host: TrafficHost
  #figures: Omit<TrafficFigures, 'on'> = { written: 0, failed: 0 }
  #session: { readonly session: SqlSession; readonly server: ServerId } | undefined
  #running = false

  constructor(host: TrafficHost) {
    this.#host = host
  }

  get figures(): TrafficFigures {
    return { on: this.#isOn, ...this.#figures }
  }

  /** Starts writing when the settings ask for it; it ends when they no longer do. */
  reconfigured(): void {
    if (this.#running || !this.#isOn) return
    this.#running = true
    void this.#run()
  }

  close(): void {
    this.#session?.session.close()
    this.#session = undefined
  }

  get #isOn(): boolean {
    return this.#host.isOn() && !this.#host.signal.aborted
  }

  async #run(): Promise<void> {
    this.#note('Traffic begins: a few writes a second on the primary')
    let pauseMs = PAUSE_MS
    while (this.#isOn) {
      const primary = this.#host.writable()
      if (primary) {
        const done = await this.#write(primary)
        this.#count(primary, done)
        pauseMs = done.ok ? PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
      await sleep(pauseMs, this.#host.signal)
    }
    this.close()
    this.#running = false
    this.#note('Traffic ends')
  }

  async #write(primary: EffectServer): Promise<Result<void>> {
    const session = await this.#open(primary)
    if (!session.ok) return session
    const closed = await session.value.run('SELECT @@GLOBAL.read_only AS closed', [], WRITE_MS)
    if (!closed.ok) return closed
    if (Number(closed.value[0]?.[0]?.closed) !== 0 || this.#host.writable()?.spec.id !== primary.spec.id)
      return ok(undefined)
    const written = this.#figures.written + 1
    const beat = `REPLACE INTO ${table} (id, written, at) VALUES (?, ?, NOW(6))`
    const done = await session.value.run(beat, [written % ROWS, written], WRITE_MS)
    if (done.ok) {
      this.#figures = { ...this.#figures, written }
      return ok(undefined)
    }
    if (!absent.has(errorNumber(done.failure))) return done
    const made = await session.value.run(create, [], WRITE_MS)
    return made.ok ? ok(undefined) : made
  }

  async #open({ spec, target }: EffectServer): Promise<Result<SqlSession>> {
    if (this.#session?.server === spec.id && this.#session.session.open) return ok(this.#session.session)
    this.close()
    const opened = await openSession({ ...target, connectTimeoutMs: Math.min(target.connectTimeoutMs, WRITE_MS) })
    if (!opened.ok) return opened
    // A lock that another holds is not waited for longer than for an answer: nothing is written after its time.
    const prepared = await opened.value.run(
      'SET SESSION lock_wait_timeout=1, innodb_lock_wait_timeout=1, long_query_time=31536000',
      [],
      WRITE_MS,
    )
    if (!prepared.ok) {
      opened.value.close()
      return prepared
    }
    this.#session = { session: opened.value, server: spec.id }
    return opened
  }

  #count({ spec: { name } }: EffectServer, done: Result<void>): void {
    const { failure: before, ...figures } = this.#figures
    if (done.ok) {
      this.#figures = { ...figures, server: name, at: now() }
      return
    }
    const { message } = done.failure
    if (before === undefined) this.#note(`Traffic fails on ${name}: ${message}`)
    this.#figures = { ...figures, failed: figures.failed + 1, server: name, at: now(), failure: message }
  }

  #note(text: string): void {
    this.#host.log(text)
  }
}
