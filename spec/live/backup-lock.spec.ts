// The story of a lock that a backup holds on the only candidate: what waits, and for whom, is said by all that promises the next primary.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { FailoverVerdict } from '../../lib/model/verdict.js'
import { caughtUp, type Node } from '../support/databases/database.js'
import { findVersion } from '../support/databases/versions.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end, load, logLines, progress } from '../support/stories/story.js'
import { idOf, replicasOf, SWITCHOVER, switchable, switchOver, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const STAGES = 'BACKUP STAGE START; BACKUP STAGE FLUSH; BACKUP STAGE BLOCK_DDL; BACKUP STAGE BLOCK_COMMIT'

describe('A lock of a backup on the only candidate', () => {
  let cluster: ProtectedCluster
  let candidate: Node
  const sessions: SqlSession[] = []

  before(async () => {
    cluster = await startProtectedCluster({ count: 2, options: durable })
    await cluster.ready()
    const primary = await cluster.primary()
    await prepareWrites(primary)
    await primary.sql("CREATE USER copy@'127.0.0.1' IDENTIFIED BY 'copy'; GRANT ALL ON *.* TO copy@'127.0.0.1'")
    const replica = cluster.nodes.find((node) => node !== primary)
    if (!replica) throw new Error('there are two nodes')
    candidate = replica
    await eventually(async () => {
      const [row] = await candidate.sql("SELECT COUNT(*) AS accounts FROM mysql.user WHERE User='copy'")
      return Number(row?.accounts) === 1
    }, 'the account of the backup is on the candidate')
  })
  after(async () => {
    for (const session of sessions) session.close()
    await end(cluster)
  })

  /** A session that holds a lock until it is closed. */
  const backup = async (lock: string): Promise<SqlSession> => {
    const session = unwrap(await openSession({ ...candidate.target(), user: 'copy', password: 'copy' }))
    sessions.push(session)
    unwrap(await session.run(lock, [], 10_000))
    return session
  }

  const held = ({ threadId }: SqlSession) =>
    new RegExp(`session ${threadId} of copy@127\\.0\\.0\\.1 \\(idle for \\d+ s\\)`)
  const waits = async () => (await cluster.explain()).ranking[0]?.waits ?? ''

  for (const [lock, isListed] of [
    ['FLUSH TABLES WITH READ LOCK', false],
    [STAGES, true],
  ] as const)
    it(`${isListed ? 'in stages is held for certain' : 'may be held'} by the session that is named, and a switchover is refused`, async () => {
      const primary = await cluster.primary()
      if (isListed) await candidate.sql("INSTALL SONAME 'metadata_lock_info'")
      const writers = load(cluster, { count: 2, first: isListed ? 100 : 0 })
      await progress(writers, 20)
      const session = await backup(lock)
      await eventually(async () => held(session).test(await waits()), 'explain names the holder')
      expect(await waits()).to.match(
        isListed ? /^its applier waits for the backup lock, held by session/ : /lock, which may be held by session/,
      )
      await eventually(
        () => logLines(cluster, 'OPENED WARN0257').some((line) => held(session).test(line)),
        'the finding names it',
      )
      for (const path of [`${SWITCHOVER}?plan=true`, SWITCHOVER]) {
        const { status, body } = await cluster.manager.post(path)
        expect(body).to.match(held(session))
        if (path === SWITCHOVER) expect(status, body).to.equal(409)
      }
      expect(await primary.value('SELECT @@read_only')).to.equal('0')
      await progress(writers, 20)
      await writers.stop()
      session.close()
      await cluster.closes('WARN0257')
      await switchable(cluster)
    })

  it('is waited for by a failover that says so, and completes when it is gone', async () => {
    const old = await cluster.primary()
    const writers = load(cluster, { count: 2, first: 200 })
    await progress(writers, 20)
    const session = await backup('FLUSH TABLES WITH READ LOCK')
    await eventually(async () => held(session).test(await waits()), 'explain names the holder')
    const [rule] = (await cluster.explain()).rows.filter((row) => row.rule === 'candidate')
    expect(rule?.sentence).to.match(held(session))
    await old.kill()
    await eventually(
      async () => {
        const { operation } = await cluster.manager.get<FailoverVerdict & { operation: Running | null }>(
          '/api/clusters/story/failover/explain',
        )
        const step = operation?.steps.find(({ state }) => state === 'running')
        return step?.command.type === 'apply-received' && held(session).test(step.message ?? '')
      },
      () => `the step names the holder\n${cluster.manager.log().slice(-3_000)}`,
    )
    expect(await candidate.value('SELECT @@read_only')).to.equal('1')
    unwrap(await session.run('UNLOCK TABLES', [], 10_000))
    expect(await cluster.movedFrom(old)).to.equal(candidate)
    await writers.stop()
    await cluster.closes('WARN0257')
  })
})

describe('A lock of a backup on the idle only candidate of a MariaDB that lists its locks', () => {
  let cluster: ProtectedCluster
  const sessions: SqlSession[] = []
  const replicaOf = (primary: Node) => cluster.nodes.find((node) => node !== primary) as Node

  before(async () => {
    cluster = await startProtectedCluster({
      ...{ count: 2, options: [...durable, '--plugin-load-add=metadata_lock_info'] },
      settings: { 'failover-limit': 0, 'failover-time-limit': 0 },
    })
    await cluster.ready()
    const primary = await cluster.primary()
    await primary.sql("CREATE USER copy@'127.0.0.1' IDENTIFIED BY 'copy'; GRANT ALL ON *.* TO copy@'127.0.0.1'")
    await caughtUp(primary, replicaOf(primary))
  })
  after(async () => {
    for (const session of sessions) session.close()
    await end(cluster)
  })

  for (const lock of ['FLUSH TABLES WITH READ LOCK', STAGES])
    it(`is named before the death, and by the report of the failover, whose first write waits for it: ${lock}`, async () => {
      await cluster.ready()
      const old = await cluster.primary()
      const candidate = replicaOf(old)
      const session = unwrap(await openSession({ ...candidate.target(), user: 'copy', password: 'copy' }))
      sessions.push(session)
      unwrap(await session.run(lock, [], 10_000))
      const holder = new RegExp(`session ${session.threadId} of copy@127\\.0\\.0\\.1 \\(idle for \\d+ s\\) holds`)
      await eventually(async () => {
        const [rule] = (await cluster.explain()).rows.filter((row) => row.rule === 'candidate')
        return holder.test(rule?.sentence ?? '')
      }, 'explain names the holder')
      await eventually(
        () => logLines(cluster, 'OPENED WARN0268').some((line) => holder.test(line)),
        'the finding names the holder',
      )
      await old.kill()
      expect(await cluster.movedFrom(old)).to.equal(candidate)
      let isWritten = false
      const write = candidate.sql('CREATE DATABASE after_the_lock').then(() => {
        isWritten = true
      })
      await eventually(
        () => logLines(cluster, 'Failover succeeded').some((line) => holder.test(line)),
        () => `the report names the holder\n${cluster.manager.log().slice(-3_000)}`,
      )
      expect(isWritten, 'the write waits').to.equal(false)
      session.close()
      await write
      await candidate.sql('DROP DATABASE after_the_lock')
      old.start()
      await old.waitUp()
      await cluster.convergesOn(candidate)
    })
})

interface Running {
  readonly steps: readonly {
    readonly state: string
    readonly command: { readonly type: string }
    readonly message?: string
  }[]
}

const version = await findVersion('mysql-9')
if (version.available === false) absent('locks of backups on MySQL', version.reason)
else
  describe('A lock of a backup on a replica of an idle MySQL', () => {
    let cluster: ProtectedCluster
    let held: SqlSession | undefined

    before(async () => {
      cluster = await startProtectedCluster({
        ...{ software: 'mysql-9', options: durable },
        settings: { 'failover-limit': 0, 'failover-time-limit': 0 },
      })
      await cluster.ready()
      const primary = await cluster.primary()
      await primary.sql("CREATE USER copy@'127.0.0.1' IDENTIFIED BY 'copy'; GRANT ALL ON *.* TO copy@'127.0.0.1'")
      for (const replica of await replicasOf(cluster)) await caughtUp(primary, replica)
    })
    after(async () => {
      held?.close()
      await end(cluster)
    })

    const hold = async (node: Node, lock: string): Promise<RegExp> => {
      held = unwrap(await openSession({ ...node.target(), user: 'copy', password: 'copy' }))
      unwrap(await held.run(lock, [], 10_000))
      return new RegExp(`session ${held.threadId} of copy@127\\.0\\.0\\.1 \\(idle for \\d+ s\\) holds`)
    }

    const awaited = async () => (await cluster.explain()).rows.find(({ rule }) => rule === 'candidate')
    const detailOf = async (code: string): Promise<string> => {
      const { errors } = await cluster.manager.get<{ errors: { number: string; desc: string }[] }>(
        '/api/clusters/story/topology/alerts',
      )
      return errors.find(({ number }) => number === code)?.desc ?? ''
    }

    for (const lock of ['FLUSH TABLES WITH READ LOCK', 'LOCK INSTANCE FOR BACKUP'])
      it(`is seen although nothing waits for it, and refuses a switchover to that server: ${lock}`, async () => {
        const [candidate] = await replicasOf(cluster)
        await switchable(cluster, candidate)
        const holder = await hold(candidate, lock)
        // Nothing was read since: the switchover itself reads locks before its first change.
        const { status, body } = await cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))
        expect([status, holder.test(body), body.includes(lock)], body).to.deep.equal([409, true, true])
        expect(await (await cluster.primary()).value('SELECT @@read_only')).to.equal('0')
        await eventually(
          () => logLines(cluster, 'OPENED WARN0268').some((line) => holder.test(line)),
          'the finding names the session',
        )
        held?.close()
        await cluster.closes('WARN0268')
        await switchable(cluster, candidate)
      })

    it('of the instance does not keep a switchover to another one: that replica follows when it is gone', async () => {
      const [candidate, other] = await replicasOf(cluster)
      const holder = await hold(other, 'LOCK INSTANCE FOR BACKUP')
      await cluster.opens('WARN0268')
      const plan = await cluster.manager.post(`${SWITCHOVER}?plan=true`, wishFor(cluster, candidate))
      expect(holder.test(plan.body), plan.body).to.equal(true)
      await switchOver(cluster, candidate)
      held?.close()
      await cluster.convergesOn(candidate)
    })

    it('of the instance on the only candidate is named by explain, and a failover completes when it is gone', async () => {
      const [candidate, other] = await replicasOf(cluster)
      const primary = await cluster.primary()
      await other.kill()
      const holder = await hold(candidate, 'LOCK INSTANCE FOR BACKUP')
      await eventually(async () => {
        const [rule] = (await cluster.explain()).rows.filter((row) => row.rule === 'candidate')
        return holder.test(rule?.sentence ?? '')
      }, 'explain names the holder')
      await primary.kill()
      await eventually(
        async () => (await awaited())?.state === 'waiting' && holder.test((await awaited())?.sentence ?? ''),
        () => `explain says what the failover waits for\n${cluster.manager.log().slice(-3_000)}`,
      )
      const attempts = () => logLines(cluster, '. Attempt ')
      const before = attempts()
      await eventually(
        async () => holder.test(await detailOf('ERR00189')),
        'the finding of the attempts names the holder',
      )
      // By hand it would be refused by the server just the same.
      const asked = await cluster.manager.post('/api/clusters/story/actions/failover')
      expect([asked.status, holder.test(asked.body)], asked.body).to.deep.equal([409, true])
      const idle = async () => Number(/idle for (\d+) s/.exec((await awaited())?.sentence ?? '')?.[1] ?? 0)
      const first = await idle()
      await eventually(async () => (await idle()) >= first + 5, 'the lock is read again and again')
      // Two more attempts would have failed by now.
      expect(attempts()).to.deep.equal(before)
      held?.close()
      expect(await cluster.movedFrom(primary)).to.equal(candidate)
      for (const node of [other, primary]) node.start()
      await Promise.all([other.waitUp(), primary.waitUp()])
      await cluster.convergesOn(candidate)
    })

    it('is passed over by a failover that has an equal replica without one', async () => {
      await cluster.ready()
      const primary = await cluster.primary()
      const [first] = (await cluster.explain()).ranking
      const [one, another] = await replicasOf(cluster)
      const elected = first?.server === (await idOf(cluster, one)) ? one : another
      await hold(elected, 'LOCK INSTANCE FOR BACKUP')
      await cluster.opens('WARN0268')
      await primary.kill()
      expect(await cluster.movedFrom(primary)).to.equal(elected === one ? another : one)
      held?.close()
    })
  })
