// Writes a little on the primary while the settings ask for it: for demonstrations, and to see what a change of the primary
// costs. It follows the primary, keeps off while one changes, and grows nothing: a hundred rows of a schema of its own.
import { ok, type Result } from '../../../lib/base/result.js'
import { now, SECOND, sleep } from '../../../lib/base/time.js'
import { errorNumber } from '../../../lib/connect/sql/failures.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import { findServer, type ServerSnapshot } from '../../../lib/model/snapshot.js'
import type { TrafficFigures } from '../../../lib/model/work/traffic.js'
import type { ClusterCore } from '../state/core.js'
import { targetOf } from '../state/wires.js'

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

type Host = Pick<ClusterCore, 'state' | 'context' | 'tell'>

export class Traffic {
  readonly #actor: Host
  #figures: Omit<TrafficFigures, 'on'> = { written: 0, failed: 0 }
  #session: { readonly session: SqlSession; readonly server: ServerSnapshot['id'] } | undefined
  #running = false

  constructor(actor: Host) {
    this.#actor = actor
  }

  get figures(): TrafficFigures {
    return { on: this.#isWanted, ...this.#figures }
  }

  /** Begins to write when the settings ask for it; it ends by itself when they no longer do. */
  look(): void {
    if (this.#running || !this.#isWanted) return
    this.#running = true
    void this.#run()
  }

  close(): void {
    this.#session?.session.close()
    this.#session = undefined
  }

  get #isWanted(): boolean {
    const { state, context } = this.#actor
    return state.settings['test-inject-traffic'] && !context.signal.aborted
  }

  async #run(): Promise<void> {
    this.#note('Traffic begins: a few writes a second on the primary')
    let pauseMs = PAUSE_MS
    while (this.#isWanted) {
      const primary = this.#writable()
      if (primary) {
        const done = await this.#write(primary)
        this.#count(primary, done)
        pauseMs = done.ok ? PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
      await sleep(pauseMs, this.#actor.context.signal)
    }
    this.close()
    this.#running = false
    this.#note('Traffic ends')
  }

  /** The primary when it takes writes and keeps its role: whoever writes while it is handed over writes in the wrong place. */
  #writable(): ServerSnapshot | undefined {
    const { snapshot, operation, ready } = this.#actor.state
    if (!ready || operation) return undefined
    const primary = findServer(snapshot, snapshot.primary)
    const isOpen = primary?.observation === 'answered' && primary.state?.readOnly === false && !primary.maintenance
    return isOpen ? primary : undefined
  }

  async #write(primary: ServerSnapshot): Promise<Result<void>> {
    const session = await this.#open(primary)
    if (!session.ok) return session
    const closed = await session.value.run('SELECT @@GLOBAL.read_only AS closed', [], WRITE_MS)
    if (!closed.ok) return closed
    if (Number(closed.value[0]?.[0]?.closed) !== 0 || this.#writable()?.id !== primary.id) return ok(undefined)
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

  async #open(primary: ServerSnapshot): Promise<Result<SqlSession>> {
    if (this.#session?.server === primary.id && this.#session.session.open) return ok(this.#session.session)
    this.close()
    const target = targetOf(primary, this.#actor.state)
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
    this.#session = { session: opened.value, server: primary.id }
    return opened
  }

  #count({ name }: ServerSnapshot, done: Result<void>): void {
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
    this.#actor.tell('noted', { level: 'INFO', text, now: now() })
  }
}
