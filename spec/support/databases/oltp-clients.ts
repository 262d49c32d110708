// Clients behind one port, as load generators are: each runs one transaction after the other over a kept connection, and
// connects again when it is lost. What becomes of each transaction is kept in order.
import { sleep } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'

export interface OltpRequest {
  readonly port: number
  readonly count: number
  /** Number of the first client: rows of several groups must differ. */
  readonly first: number
  /** Between two transactions of one client, and before it connects again, milliseconds. */
  readonly pauseMs: number
}

/** What became of one transaction, or of one attempt to connect. */
export interface Outcome {
  /** Port of the database that committed it; absent: it failed. */
  readonly server?: number
  /** `client/entry` as `writtenOn` names rows. */
  readonly row: string
  readonly error?: string
}

const LIMIT_MS = 30_000

/** The table and the account are those of `prepareWrites`. */
export class OltpClients {
  /** By client, oldest first. */
  readonly outcomes: readonly Outcome[][]
  readonly #request: OltpRequest
  #ended = false
  readonly #running: Promise<unknown>

  constructor(request: OltpRequest) {
    this.#request = request
    this.outcomes = Array.from({ length: request.count }, () => [])
    this.#running = Promise.all(this.outcomes.map((outcomes, index) => this.#run(request.first + index, outcomes)))
  }

  async stop(): Promise<void> {
    this.#ended = true
    await this.#running
  }

  /** Every client has had so many transactions committed by another server than `port`. */
  have(times: number, port: number): boolean {
    return this.outcomes.every((outcomes) => outcomes.filter(({ server = port }) => server !== port).length >= times)
  }

  async #run(client: number, outcomes: Outcome[]): Promise<void> {
    let at: Connected | undefined
    for (let entry = 1; !this.#ended; entry += 1) {
      const row = `${client}/${entry}`
      at ??= await this.#connect()
      const error = at ? await transact(at.session, client, entry) : 'no connection'
      outcomes.push(error === undefined && at ? { server: at.server, row } : { row, error: error ?? '' })
      if (error !== undefined) {
        at?.session.close()
        at = undefined
      }
      await sleep(this.#request.pauseMs)
    }
    at?.session.close()
  }

  async #connect(): Promise<Connected | undefined> {
    const { port } = this.#request
    const target = { host: '127.0.0.1', port, user: 'writer', password: 'writer', connectTimeoutMs: LIMIT_MS }
    const opened = await openSession(target)
    if (!opened.ok) return undefined
    const asked = await opened.value.run('SELECT @@port AS port', [], LIMIT_MS)
    if (asked.ok) return { session: opened.value, server: Number(asked.value[0]?.[0]?.port) }
    opened.value.close()
    return undefined
  }
}

interface Connected {
  readonly session: SqlSession
  readonly server: number
}

/** Reads and writes as one; answers why it failed. */
async function transact(session: SqlSession, client: number, entry: number): Promise<string | undefined> {
  for (const sql of [
    'BEGIN',
    `SELECT COUNT(*) FROM spec.acknowledged WHERE writer = ${client}`,
    `INSERT INTO spec.acknowledged VALUES (${client}, ${entry})`,
    'COMMIT',
  ]) {
    const answer = await session.run(sql, [], LIMIT_MS)
    if (!answer.ok) return answer.failure.message
  }
  return undefined
}
