// Asks every server in quick succession whether it takes writes, so that two at the same moment are found.
import { SECOND, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/node.js'

const PAUSE_MS = 20
/** Two open samples so far apart are no proof that it was open in between. */
const GAP_MS = SECOND

export interface Span {
  readonly from: number
  readonly until: number
}

export interface Overlap extends Span {
  readonly nodes: readonly [string, string]
}

export class Sampler {
  readonly #open = new Map<Node, Span[]>()
  readonly #nodes: readonly Node[]
  readonly #running: Promise<unknown>
  #stopping = false
  #latest: Node | undefined

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes
    this.#running = Promise.all(nodes.map((node) => this.#watch(node)))
  }

  /** The server that was found open last. */
  get latest(): Node | undefined {
    return this.#latest
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  /** When two servers were open at the same moment, since `since` (milliseconds of `performance.now`). */
  overlaps(since: number): readonly Overlap[] {
    return this.#nodes.flatMap((one, index) =>
      this.#nodes.slice(index + 1).flatMap((other) =>
        this.#of(one).flatMap((mine) =>
          this.#of(other).flatMap((theirs): Overlap[] => {
            const from = Math.max(mine.from, theirs.from, since)
            const until = Math.min(mine.until, theirs.until)
            return until > from ? [{ from, until, nodes: [one.name, other.name] }] : []
          }),
        ),
      ),
    )
  }

  #of(node: Node): readonly Span[] {
    return this.#open.get(node) ?? []
  }

  async #watch(node: Node): Promise<void> {
    const spans: Span[] = []
    this.#open.set(node, spans)
    let session: SqlSession | undefined
    let isOpen = false
    while (!this.#stopping && !node.destroyed) {
      if (!session?.open) session = await this.#connect(node)
      const answer = await session?.run('SELECT @@read_only AS closed', [], 20 * SECOND)
      const at = performance.now()
      const last = spans.at(-1)
      if (!answer?.ok) session?.close()
      const found = answer?.ok === true && String(answer.value[0]?.[0]?.closed) === '0'
      if (found) {
        this.#latest = node
        if (isOpen && last && at - last.until < GAP_MS) spans[spans.length - 1] = { from: last.from, until: at }
        else spans.push({ from: at, until: at })
      }
      isOpen = found
      await sleep(PAUSE_MS)
    }
    session?.close()
  }

  /** By the extra port: a full server is sampled as well. */
  async #connect(node: Node): Promise<SqlSession | undefined> {
    const opened = await openSession({ ...node.target('root', SECOND), port: node.extraPort })
    return opened.ok ? opened.value : undefined
  }
}
