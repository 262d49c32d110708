// Reads that go to the database on request: bounded, one at a time for all who ask the same, kept for a moment.
import { withDeadline } from '../../base/deadline.js'
import { fail, ok, type Result } from '../../base/result.js'
import { now, SECOND } from '../../base/time.js'
import { errorNumber } from '../../connect/sql/failures.js'
import type { LogFile, ReadStep, Rows, ServerRead } from '../../dialect/index.js'
import { followSteps } from '../../dialect/reads/follow.js'
import { numberIn } from '../../dialect/statement/rows.js'
import type { ServerId } from '../../model/server/server.js'
import { ReadSessions, type ReadTarget } from './read-sessions.js'
import { StatusDeltas } from './status-delta.js'

const DEADLINE_MS = 4 * SECOND
/** A read that got no answer rests so long: what hangs there is not joined by more of the same. */
const REST_MS = 2 * SECOND

/** What each read costs the server at most, and how long its answer serves all who ask. */
const bounds: Readonly<Record<ServerRead, { readonly rows: number; readonly freshMs: number }>> = {
  status: { rows: 0, freshMs: SECOND },
  variables: { rows: 0, freshMs: SECOND },
  processlist: { rows: 0, freshMs: SECOND },
  'source-status': { rows: 0, freshMs: SECOND },
  'replica-status': { rows: 0, freshMs: SECOND },
  'engine-status': { rows: 0, freshMs: 2 * SECOND },
  tables: { rows: 1_000, freshMs: 10 * SECOND },
  schemas: { rows: 10_000, freshMs: 5 * SECOND },
  'metadata-locks': { rows: 1_000, freshMs: SECOND },
  'lock-waits': { rows: 1_000, freshMs: SECOND },
  'response-times': { rows: 100, freshMs: SECOND },
  digests: { rows: 100, freshMs: 2 * SECOND },
  'slow-queries': { rows: 0, freshMs: 2 * SECOND },
  'error-log': { rows: 0, freshMs: 2 * SECOND },
}

/** The rows of one read. */
export interface LiveAnswer {
  /** `now()` when the server answered. */
  readonly at: number
  readonly rows: Rows
}

export interface ReadServer extends ReadTarget {
  readonly name: string
  /** Rows of reads that a setting bounds. */
  readonly limits: Readonly<Partial<Record<ServerRead, number>>>
  /** Sleeping sessions are shown in the process list. */
  readonly idle: boolean
  /** The end of a file on the server's host. */
  readonly readTail: (file: string, signal: AbortSignal) => Promise<Result<string>>
}

interface Answer {
  readonly result: Promise<Result<LiveAnswer>>
}

/** What was last read of a server, shown beside other things without asking the server. */
export interface LastRead {
  readonly errorLog?: Rows
  /** Of all tables, or of the thousand largest. */
  readonly tables?: TableSizes
}

/** Bytes. */
export interface TableSizes {
  readonly data: number
  readonly index: number
}

export class LiveReads {
  readonly deltas = new StatusDeltas()
  readonly #last = new Map<ServerId, LastRead>()
  readonly #answers = new Map<string, Answer>()
  readonly #sessions = new ReadSessions()
  readonly #signal: AbortSignal

  /** Ends with `signal`. */
  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** The rows of one read; a server that does not answer is a failure that says so. */
  read(id: ServerId, what: ServerRead, server: ReadServer): Promise<Result<LiveAnswer>> {
    const key = `${id} ${what}`
    const known = this.#answers.get(key)
    if (known) return known.result
    const answer: Answer = { result: this.#query(id, what, server) }
    this.#answers.set(key, answer)
    void answer.result.then((result) => {
      const silent = !result.ok && result.failure.code === 'sql-silent'
      if (result.ok) this.#keep(id, what, result.value.rows)
      setTimeout(() => this.#forget(key, answer), silent ? REST_MS : bounds[what].freshMs).unref()
    })
    return answer.result
  }

  get last(): ReadonlyMap<ServerId, LastRead> {
    return this.#last
  }

  /** Answers from before a change on the server are not given again. */
  forget(id: ServerId): void {
    for (const key of this.#answers.keys()) if (key.startsWith(`${id} `)) this.#answers.delete(key)
  }

  close(): void {
    this.#answers.clear()
    this.#sessions.close()
  }

  #keep(id: ServerId, what: ServerRead, rows: Rows): void {
    const before = this.#last.get(id)
    if (what === 'error-log') this.#last.set(id, { ...before, errorLog: rows })
    if (what === 'tables') this.#last.set(id, { ...before, tables: sizesOf(rows) })
  }

  #forget(key: string, answer: Answer): void {
    if (this.#answers.get(key) === answer) this.#answers.delete(key)
  }

  async #query(id: ServerId, what: ServerRead, server: ReadServer): Promise<Result<LiveAnswer>> {
    const until = now() + DEADLINE_MS
    const { dialect, limits, idle, name } = server
    const first = dialect.read(what, { rows: limits[what] ?? bounds[what].rows, idle })
    const read = await this.#sessions.use(id, { server, until }, (ask) => followSteps(first, ask))
    if (!read.ok) {
      const reason = dialect.readRefusal(what, errorNumber(read.failure))
      return reason === undefined ? read : fail('unsupported', `${name}: ${reason}`)
    }
    const last = read.value
    // The session is free again: files come from the host.
    if (last.type === 'files') return readFiles(last, server, { until, signal: this.#signal })
    return last.type === 'rows' ? ok({ at: now(), rows: last.rows }) : fail('unsupported', `${name}: ${last.reason}`)
  }
}

const sizesOf = (rows: Rows): TableSizes => ({
  data: rows.reduce((sum, row) => sum + numberIn(row, 'data_length'), 0),
  index: rows.reduce((sum, row) => sum + numberIn(row, 'index_length'), 0),
})

/** A file that cannot be read is a failure only where none can be. */
async function readFiles(
  { files, join }: Extract<ReadStep, { readonly type: 'files' }>,
  { readTail }: ReadServer,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<Result<LiveAnswer>> {
  const read = async ({ path, parse }: LogFile, signal: AbortSignal): Promise<Result<Rows>> => {
    const text = await readTail(path, signal)
    return text.ok ? ok(parse(text.value)) : text
  }
  const entries = await withDeadline(signal, Math.max(1, until - now()), (limit) =>
    Promise.all(files.map((file) => read(file, limit))),
  )
  const [first] = entries
  if (first && entries.every((entry) => !entry.ok)) return first as Result<never>
  return ok({ at: now(), rows: join(entries.flatMap((entry) => (entry.ok ? entry.value : []))) })
}
