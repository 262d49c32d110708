// One server of a comparison: its session, prepared for reads that lock nothing and end in bounded time.
import { done, fail, ok, type Result } from '../../base/result.js'
import { now, SECOND, sleep } from '../../base/time.js'
import { errorNumber } from '../../connect/sql/failures.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlSession } from '../../connect/sql/session.js'
import { describeColumns, describeEngine, describeKeys, parseShape } from '../../dialect/checksum/describe.js'
import { sumSession } from '../../dialect/checksum/sums.js'
import type { Rows, Statement } from '../../dialect/index.js'
import { numberIn, textIn } from '../../dialect/statement/rows.js'
import type { TableName, TableShape } from '../../model/checksum/checksum.js'
import type { EffectServer } from '../kit/server.js'

/** Longest time of a statement at the server, and until its answer is here. */
export const STATEMENT_MS = 10 * SECOND
const ANSWER_MS = STATEMENT_MS + 5 * SECOND
/** A wait for a position is divided: a statement at the server may not run for longer than its limit. */
const WAIT_SECONDS = 2

export interface PeerServer extends Pick<EffectServer, 'target' | 'dialect'> {
  readonly id: string
  readonly name: string
  /** A node of Galera: it reads what all others committed before. */
  readonly causal: boolean
}

export class Peer {
  readonly server: PeerServer
  readonly #signal: AbortSignal
  #session: SqlSession | undefined

  /** Its session ends with `signal`. */
  constructor(server: PeerServer, signal: AbortSignal) {
    this.server = server
    this.#signal = signal
    signal.addEventListener('abort', this.close, { once: true })
  }

  /** The rows of one statement. Failures: those of the login and of the statement; `job-interrupted` after the signal. */
  async ask({ sql, values }: Statement): Promise<Result<Rows>> {
    const session = await this.#open()
    if (!session.ok) return session
    const answer = await session.value.run(sql, values, ANSWER_MS)
    return answer.ok ? ok(answer.value[0] ?? []) : answer
  }

  /** Undefined: the server has no such table. */
  async shapeOf(name: TableName): Promise<Result<TableShape | undefined>> {
    const [columns, keys] = [await this.ask(describeColumns(name)), await this.ask(describeKeys(name))]
    if (!columns.ok) return columns
    if (!keys.ok) return keys
    const engine = await this.ask(describeEngine(name))
    return engine.ok ? ok(parseShape(name, { columns: columns.value, keys: keys.value, engine: engine.value })) : engine
  }

  /** What it has written so far, for `applied`; empty where it has no GTIDs. */
  async position(): Promise<Result<string>> {
    const read = await this.ask(this.server.dialect.writtenPosition())
    return read.ok ? ok(textIn(read.value[0] ?? {}, 'position').replace(/\s/g, '')) : read
  }

  /** Waits until the position of another server is applied. Failure `deadline-passed`: it is not within `withinMs`. */
  async applied(position: string, withinMs: number): Promise<Result<void>> {
    const until = now() + withinMs
    for (;;) {
      const read = await this.ask(this.server.dialect.waitApplied(position, WAIT_SECONDS))
      if (!read.ok) return read
      if (numberIn(read.value[0] ?? {}, 'reached') === 1) return done
      if (now() >= until)
        return fail('deadline-passed', `it has not applied within ${withinMs / SECOND} s what the primary had`)
      // A wait that ends at once (a stopped applier of MySQL) is no reason to ask without a pause.
      await sleep(SECOND / 10, this.#signal)
    }
  }

  readonly close = (): void => {
    this.#signal.removeEventListener('abort', this.close)
    this.#session?.close()
    this.#session = undefined
  }

  async #open(): Promise<Result<SqlSession>> {
    if (this.#signal.aborted) return fail('job-interrupted', 'the comparison ends')
    if (this.#session?.open) return ok(this.#session)
    const { target, dialect, causal } = this.server
    const opened = await openSession(target)
    if (!opened.ok) return opened
    const session = opened.value
    const prepared = await session.run(`${sumSession(causal)}; ${dialect.readSession(STATEMENT_MS)}`, [], ANSWER_MS)
    if (!prepared.ok || this.#signal.aborted) {
      session.close()
      return prepared.ok ? fail('job-interrupted', 'the comparison ends') : prepared
    }
    this.#session = session
    return opened
  }
}

/** MariaDB's and MySQL's errors of a statement that ran into its time limit. */
const overtime: ReadonlySet<number | undefined> = new Set([1969, 3024])

export const isOvertime = (failed: Extract<Result<unknown>, { ok: false }>): boolean =>
  overtime.has(errorNumber(failed.failure))
