// Asks servers without pause whether they take writes: how long one was open that must not be.
import { sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/node.js'

interface Check {
  readonly at: number
  readonly open: boolean
}

const LIMIT_MS = 30_000
const PACE_MS = 2

/** Checks one server on a session that is opened again when it is lost. */
export class Sentry {
  readonly #checks: Check[] = []
  readonly #running: Promise<void>
  #stopping = false

  constructor(node: Node) {
    this.#running = this.#watch(node)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  /** From `since` to the first check that found the server closed, milliseconds. */
  async closedMs(since: number): Promise<number> {
    return (await this.#first((check) => !check.open && check.at >= since)) - since
  }

  async #first(fits: (check: Check) => boolean): Promise<number> {
    for (const until = performance.now() + LIMIT_MS; performance.now() < until; await sleep(PACE_MS)) {
      const found = this.#checks.find(fits)
      if (found) return found.at
    }
    throw new Error(`not seen within ${LIMIT_MS} ms`)
  }

  async #watch(node: Node): Promise<void> {
    let session: SqlSession | undefined
    while (!this.#stopping && !node.destroyed) {
      if (!session?.open) {
        const opened = await openSession(node.target('root', 500))
        session = opened.ok ? opened.value : undefined
      }
      const answer = await session?.run('SELECT @@read_only AS closed', [], LIMIT_MS)
      if (answer?.ok) this.#checks.push({ at: performance.now(), open: String(answer.value[0]?.[0]?.closed) === '0' })
      else session?.close()
      await sleep(PACE_MS)
    }
    session?.close()
  }
}
