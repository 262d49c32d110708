// Asks every server in quick succession whether it takes writes, and how many it has written, so that two at the same moment are found.
import { SECOND, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import { textIn } from '../../lib/dialect/statement/rows.js'
import { parseState } from '../../lib/model/server/gtid.js'
import type { Node } from '../support/databases/node.js'
import type { Overlap, Sample, Span } from './overlap.js'

const PAUSE_MS = 20
/** Two open samples so far apart are no proof that it was open in between. */
const GAP_MS = SECOND

/** The transactions that it wrote itself are those under its own number. */
const SAMPLE = 'SELECT @@read_only AS closed, @@server_id AS number, @@gtid_binlog_state AS state'

interface OpenSpan extends Span {
  readonly samples: Sample[]
}

export class Sampler {
  readonly #open = new Map<Node, OpenSpan[]>()
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
            const within = ({ samples }: OpenSpan) => samples.filter(({ at }) => at >= from && at <= until)
            if (until <= from) return []
            return [{ from, until, nodes: [one.name, other.name], samples: [within(mine), within(theirs)] }]
          }),
        ),
      ),
    )
  }

  #of(node: Node): readonly OpenSpan[] {
    return this.#open.get(node) ?? []
  }

  async #watch(node: Node): Promise<void> {
    const spans: OpenSpan[] = []
    this.#open.set(node, spans)
    let session: SqlSession | undefined
    let isOpen = false
    while (!this.#stopping && !node.destroyed) {
      if (!session?.open) session = await this.#connect(node)
      const answer = await session?.run(SAMPLE, [], 20 * SECOND)
      const at = performance.now()
      const last = spans.at(-1)
      if (!answer?.ok) session?.close()
      const row = answer?.ok ? answer.value[0]?.[0] : undefined
      const found = row !== undefined && String(row.closed) === '0'
      if (found) {
        this.#latest = node
        const sample = { at, written: writtenBy(textIn(row, 'number'), textIn(row, 'state')) }
        if (isOpen && last && at - last.until < GAP_MS) {
          last.samples.push(sample)
          spans[spans.length - 1] = { ...last, until: at }
        } else spans.push({ from: at, until: at, samples: [sample] })
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

const writtenBy = (number: string, state: string): number =>
  Object.entries(parseState(state))
    .filter(([stream]) => stream.endsWith(`-${number}`))
    .reduce((sum, [, intervals]) => sum + (intervals.at(-1)?.[1] ?? 0), 0)
