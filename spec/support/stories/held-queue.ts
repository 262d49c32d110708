// Jobs that wait for their turn: a backup of a locked table stands before them until the story lets it go.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import type { Node } from '../databases/node.js'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { eventually, PATIENCE_MS } from '../wait.js'
import { jobEnds, listJobs } from './backups.js'

const C = '/api/clusters/story'

export class HeldQueue {
  readonly #cluster: ProtectedCluster
  readonly #locks: readonly SqlSession[]
  readonly #job: number

  private constructor(cluster: ProtectedCluster, locks: readonly SqlSession[], job: number) {
    this.#cluster = cluster
    this.#locks = locks
    this.#job = job
  }

  /** Locks `table` on `nodes`, one of which a backup reads, and begins that backup: heavy jobs wait behind it. */
  static async begin(cluster: ProtectedCluster, nodes: readonly Node[], table: string): Promise<HeldQueue> {
    const locks = await Promise.all(nodes.map((node) => lock(node, table)))
    const before = (await listJobs(cluster)).at(-1)?.id ?? 0
    const reply = await cluster.manager.post(`${C}/actions/backup-logical`)
    expect(reply.status, reply.body).to.equal(200)
    let job: number | undefined
    await eventually(
      async () => {
        job = (await listJobs(cluster)).find(({ id, phase }) => id > before && phase === 'running')?.id
        return job !== undefined
      },
      () => `the backup runs\n${cluster.manager.log().slice(-3_000)}`,
    )
    return new HeldQueue(cluster, locks, job ?? 0)
  }

  /** Resolves when the job of `task` waits for its turn; its id. */
  async isBehind(task: string): Promise<number> {
    let job: number | undefined
    await eventually(
      async () => {
        job = (await listJobs(this.#cluster)).findLast((each) => each.task === task && each.phase === 'queued')?.id
        return job !== undefined
      },
      () => `${task} waits\n${this.#cluster.manager.log().slice(-3_000)}`,
    )
    return job ?? 0
  }

  /** The backup is cancelled, and has ended. */
  async end(): Promise<void> {
    const reply = await this.#cluster.manager.post(`${C}/jobs/${this.#job}/actions/cancel`)
    expect(reply.status, reply.body).to.equal(200)
    for (const session of this.#locks) session.close()
    expect((await jobEnds(this.#cluster, this.#job)).phase).to.equal('cancelled')
  }
}

async function lock(node: Node, table: string): Promise<SqlSession> {
  const session = unwrap(await openSession(node.target()))
  unwrap(await session.run(`LOCK TABLES ${table} WRITE`, [], PATIENCE_MS))
  return session
}
