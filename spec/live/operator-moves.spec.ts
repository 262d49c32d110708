// Stories of an operator who moves the primary while the manager is down, stopped, or in the middle of an operation.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { CommandType } from '../../lib/model/operation/command.js'
import type { JournalEntry } from '../../lib/store/cluster/journal-entry.js'
import type { Node } from '../support/databases/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { moveByHand } from '../support/stories/by-hand.js'
import { JournalWatch, latestOf } from '../support/stories/journal-watch.js'
import { allWriteTo, end, expectWhole, load, lossless, progress } from '../support/stories/story.js'
import { idOf, replicasOf, SWITCHOVER, switchable } from '../support/stories/switching.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

/** Of four clients that pause for 20 ms after each write: 5 s at least, in which every reading from before is outdated. */
const MANY_WRITES = 1_000

/** Nothing is applied there until the session is closed. */
async function lockTable(node: Node): Promise<SqlSession> {
  const opened = await openSession({ ...node.target('root'), port: node.extraPort })
  if (!opened.ok) throw new Error(opened.failure.message)
  unwrap(await opened.value.run('LOCK TABLES spec.acknowledged READ', [], PATIENCE_MS))
  return opened.value
}

const hasBegun = (type: CommandType) => (entries: readonly JournalEntry[]) => {
  const [begin] = entries
  const index = begin?.type === 'begin' ? begin.plan.commands.findIndex((command) => command.type === type) : -1
  return index >= 0 && entries.some((entry) => entry.type === 'started' && entry.index === index)
}

describe('A primary that an operator moved', () => {
  let cluster: ProtectedCluster
  let old: Node
  let next: Node
  let other: Node
  let writers: ReturnType<typeof load>
  let group = 0
  let logged = 0
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless, settings: { 'failover-limit': 0 } })
  })
  after(() => end(cluster))

  beforeEach(async () => {
    await cluster.ready()
    old = await cluster.primary()
    logged = cluster.manager.log().length
    ;[next, other] = await replicasOf(cluster)
    group += 4
    writers = load(cluster, { count: 4, first: group, pauseMs: 20 })
    await progress(writers, 50)
  })

  const operatorMoves = async () => {
    await moveByHand({ to: next, followers: [other], semiSync: true })
    await progress(writers, 50)
    // One on its way could meet the old primary, which comes back open perhaps.
    await allWriteTo(writers, next)
  }

  const comesBack = async (...args: readonly string[]) => {
    old.start('--init-rpl-role=SLAVE', '--rpl-semi-sync-slave-enabled=ON', ...args)
    await old.waitUp()
  }

  /** The one that the operator chose is and stays the primary, and nothing acknowledged is lost. */
  const isAdopted = async () => {
    await eventually(
      async () => (await cluster.primaryNow().catch(() => undefined)) === next,
      () => `${next.name} is the primary\n${cluster.manager.log().slice(-6_000)}`,
    )
    await progress(writers, 50)
    await writers.stop()
    await expectWhole(cluster, next)
    expect(await writers.missingOn(next)).to.deep.equal([])
    const log = cluster.manager.log().slice(logged)
    expect(log.split('\n').filter((line) => line.includes(`${next.port} is read-only`))).to.deep.equal([])
  }

  // First: transactions of a server that never wrote before are not errant, and nothing else keeps its replica from being elected.
  for (const [moment, step] of [
    ['when its replicas were being stopped', 'stop-receiving'],
    ['when its candidate was being judged', 'reprobe'],
    ['when its candidate was elected', 'apply-received'],
  ] as const)
    it(`while the manager was stopped in a failover, ${moment}, is adopted: the rest of the plan is given up`, async () => {
      const names = new Map([
        [await idOf(cluster, next), next],
        [await idOf(cluster, other), other],
      ])
      const locks = await Promise.all([next, other].map(lockTable))
      // What every client writes from now on waits to be applied: no candidate is opened before the locks end.
      await progress(writers, 12)
      const watch = new JournalWatch(cluster, { kind: 'failover', when: hasBegun(step) }, () =>
        cluster.manager.signal('SIGSTOP'),
      )
      await old.kill()
      await watch.reached
      for (const lock of locks) lock.close()
      const [begin] = latestOf(cluster, 'failover')
      const candidate = begin?.type === 'begin' ? names.get(begin.plan.newPrimary ?? '') : undefined
      if (candidate === next) [next, other] = [other, next]
      await operatorMoves()
      await progress(writers, MANY_WRITES)
      cluster.manager.signal('SIGCONT')
      await eventually(async () => (await cluster.primaryNow().catch(() => undefined)) === next, 'it is adopted')
      await comesBack('--read-only=ON')
      await isAdopted()
      const end = latestOf(cluster, 'failover').at(-1)
      expect(end?.type === 'end' && end.result.phase, cluster.manager.log().slice(-4_000)).to.not.equal('succeeded')
    })

  for (const [state, args] of [
    ['closed', ['--read-only=ON']],
    ['open', ['--read-only=OFF']],
  ] as const)
    it(`while the manager was down is adopted, though the old one is back, ${state}`, async () => {
      await cluster.manager.end('SIGKILL')
      await old.kill()
      await operatorMoves()
      await comesBack(...args)
      cluster.manager.start()
      await cluster.manager.alive()
      await isAdopted()
    })

  it('while the manager was stopped is adopted when it wakes up', async () => {
    cluster.manager.signal('SIGSTOP')
    await old.kill()
    await operatorMoves()
    await comesBack('--read-only=ON')
    await progress(writers, MANY_WRITES)
    cluster.manager.signal('SIGCONT')
    await isAdopted()
  })

  it('while the manager was stopped in a switchover is adopted and never closed', async () => {
    await switchable(cluster, other)
    // The candidate cannot catch up: however late the manager is stopped, the switchover is not over.
    const lock = await lockTable(other)
    const watch = new JournalWatch(
      cluster,
      { kind: 'switchover', when: (entries) => JSON.stringify(entries).includes('"settled"') },
      () => cluster.manager.signal('SIGSTOP'),
    )
    const begun = cluster.manager.post(SWITCHOVER, { prefmaster: `${other.host}:${other.port}` }).catch(() => undefined)
    await watch.reached
    lock.close()
    await old.kill()
    await operatorMoves()
    await progress(writers, MANY_WRITES)
    cluster.manager.signal('SIGCONT')
    await begun
    await eventually(async () => (await cluster.primaryNow().catch(() => undefined)) === next, 'it is adopted')
    await comesBack('--read-only=ON')
    await isAdopted()
  })
})
