// Clients of a cluster: each writes rows of its own, reconnects to the server that takes writes, and keeps
// account of what was acknowledged, so that afterwards nothing acknowledged may be missing.
import { sleep } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import type { Node } from './node.js'

export interface WritersRequest {
  readonly count: number
  /** Number of the first writer, so that several groups can write; 0 unless given otherwise. */
  readonly first?: number
  /** Pause between two writes of one writer, milliseconds: 100 unless given otherwise; 0 writes without pause. */
  readonly pauseMs?: number
  /**
   * Account that writes. The monitor's own and root have SUPER: read_only does not stop them, so they look for the
   * server that is open when they connect, as a driver does that is configured to find the primary.
   */
  readonly account?: 'root' | 'monitor' | 'writer'
}

interface Acknowledgement {
  readonly writer: number
  readonly row: number
  readonly node: string
}

const TABLE = 'spec.acknowledged'
const STATEMENT_MS = 60_000
/** Long enough for a busy machine: a client that goes on to the next server is refused there. */
const CONNECT_MS = 2_000
/**
 * Most stories need clients that go on writing, not as many writes as a processor can do; those whose subject is a write
 * under way at the moment of a death or a switchover ask for 0.
 */
const PAUSE_MS = 100
/** A client that found no open server tries the next one after so long; without it, logins alone would fill a processor. */
const RETRY_MS = 10

/** Makes the table and an account without privileges that could bypass read_only. Call on the primary. */
export async function prepareWrites(primary: Node): Promise<void> {
  await primary.sql('CREATE DATABASE IF NOT EXISTS spec')
  await primary.sql(
    `CREATE TABLE IF NOT EXISTS ${TABLE} (writer INT, entry INT, PRIMARY KEY (writer, entry)) ENGINE=InnoDB`,
  )
  await primary.sql("CREATE USER IF NOT EXISTS writer@'127.0.0.1' IDENTIFIED BY 'writer'")
  await primary.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON spec.* TO writer@'127.0.0.1'")
}

/** The rows a node holds, as `writer/entry`; none on one that came back empty, without the table. */
export async function writtenOn(node: Node): Promise<ReadonlySet<string>> {
  const tables = await node.sql(
    "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'spec' AND TABLE_NAME = 'acknowledged'",
  )
  if (tables.length === 0) return new Set()
  const rows = await node.sql(`SELECT writer, entry FROM ${TABLE}`)
  return new Set(rows.map(({ writer, entry }) => `${writer}/${entry}`))
}

export class Writers {
  readonly acknowledged: Acknowledgement[] = []
  readonly errors: string[] = []
  /** Of each writer that is connected: the name of the node that acknowledged its latest write. */
  readonly #at = new Map<number, string>()
  readonly #nodes: readonly Node[]
  readonly #request: WritersRequest
  #stopping = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(nodes: readonly Node[], request: WritersRequest) {
    this.#nodes = nodes
    this.#request = request
  }

  start(): void {
    this.#running = Promise.all(
      Array.from({ length: this.#request.count }, (_, index) => this.#write((this.#request.first ?? 0) + index)),
    )
  }

  /** Nor does anybody write on when a story failed and forgot to stop them: the process could never end. */
  get #ended(): boolean {
    return this.#stopping || this.#nodes.every(({ destroyed }) => destroyed)
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  /** Whether every writer is connected to this node, and has had a write acknowledged there. */
  allAt({ name }: Pick<Node, 'name'>): boolean {
    return this.#at.size === this.#request.count && [...this.#at.values()].every((at) => at === name)
  }

  /** Rows acknowledged by now that the node does not hold. */
  async missingOn(node: Node): Promise<readonly string[]> {
    const before = [...this.acknowledged]
    const held = await writtenOn(node)
    return before.map(({ writer, row }) => `${writer}/${row}`).filter((key) => !held.has(key))
  }

  async #write(writer: number): Promise<void> {
    const { pauseMs = PAUSE_MS } = this.#request
    const retryMs = Math.max(RETRY_MS, pauseMs)
    let session: SqlSession | undefined
    let at = 0
    for (let row = 1; !this.#ended; ) {
      if (!session?.open) {
        const opened = await this.#connect(at)
        if (!opened) {
          at += 1
          await sleep(retryMs)
          continue
        }
        session = opened
      }
      const node = this.#nodes[at % this.#nodes.length]
      const written = await session.run(`INSERT INTO ${TABLE} VALUES (?, ?)`, [writer, row], STATEMENT_MS)
      if (written.ok) {
        this.acknowledged.push({ writer, row, node: node?.name ?? '' })
        this.#at.set(writer, node?.name ?? '')
        row += 1
        if (pauseMs > 0) await sleep(pauseMs)
        continue
      }
      // The fate of this row is unknown: it is never written again, and never counted.
      row += 1
      this.#at.delete(writer)
      this.errors.push(written.failure.message)
      session.close()
      at += 1
      await sleep(retryMs)
    }
    session?.close()
  }

  async #connect(at: number): Promise<SqlSession | undefined> {
    const node = this.#nodes[at % this.#nodes.length]
    const { account = 'writer' } = this.#request
    const login = account === 'writer' ? { user: 'writer', password: 'writer' } : {}
    if (!node) return undefined
    const target = { ...node.target(account === 'writer' ? 'root' : account, CONNECT_MS), ...login }
    const opened = await openSession(target)
    if (!opened.ok) return undefined
    const session = opened.value
    if (account === 'writer' || (await isOpen(session))) return session
    session.close()
    return undefined
  }
}

async function isOpen(session: SqlSession): Promise<boolean> {
  const answer = await session.run('SELECT @@read_only AS closed', [], CONNECT_MS)
  return answer.ok && String(answer.value[0]?.[0]?.closed) === '0'
}
