import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { now, SECOND } from '../../../lib/base/time.js'
import { runPlan } from '../../../lib/effect/index.js'
import type { Crash } from '../../../lib/model/operation/crash.js'
import type { Operation, Plan } from '../../../lib/model/operation/operation.js'
import { type Journal, openJournal } from '../../../lib/store/index.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../support/databases/database.js'
import { beginning, type TestEffects, testEffects } from '../../support/databases/effects.js'
import { unreadOf } from '../../support/databases/unread.js'
import { prepareWrites, Writers } from '../../support/databases/writers.js'
import { alarm } from '../../support/machine/alarm.js'
import { eventually } from '../../support/wait.js'

const crash = (switchover: boolean, newPrimary = 'db2'): Crash => ({
  at: now(),
  oldPrimary: 'db1',
  newPrimary,
  switchover,
  received: {},
  byOrigin: {},
  receivedText: '',
  oldFile: '',
  oldPosition: 0,
  newFile: '',
  newPosition: 0,
  inSync: false,
})

const failover = (semiSync: boolean, candidate: string, other: string): Plan => ({
  kind: 'failover',
  reason: 'it died',
  oldPrimary: 'db1',
  newPrimary: candidate,
  commands: [
    { type: 'fence', server: 'db1', bestEffort: true, concurrent: true },
    { type: 'stop-receiving', server: candidate, concurrent: true },
    { type: 'stop-receiving', server: other, concurrent: true, bestEffort: true },
    { type: 'apply-received', server: candidate },
    { type: 'promote', server: candidate },
    ...(semiSync ? [{ type: 'set-semi-sync', server: candidate, source: true, replica: true } as const] : []),
    { type: 'make-writable', server: candidate },
    { type: 'repoint', server: other, source: candidate },
    { type: 'mark-primary', server: candidate, bestEffort: true },
    { type: 'record-crash', crash: crash(false, candidate) },
    { type: 'report', text: `${candidate} took over` },
  ],
  undo: [],
  deadlineMs: 20 * SECOND,
})

const switchover = (): Plan => ({
  kind: 'switchover',
  reason: 'asked',
  oldPrimary: 'db1',
  newPrimary: 'db2',
  commands: [
    { type: 'guard-long-writes', server: 'db1', longerThanSeconds: 10, waitMs: 0 },
    { type: 'freeze', server: 'db1' },
    { type: 'catch-up', server: 'db2', source: 'db1' },
    { type: 'promote', server: 'db2' },
    { type: 'make-writable', server: 'db2' },
    { type: 'unfreeze', server: 'db1', writable: false },
    { type: 'repoint', server: 'db1', source: 'db2', demote: true, concurrent: true },
    { type: 'repoint', server: 'db3', source: 'db2', concurrent: true },
    { type: 'record-crash', crash: crash(true) },
  ],
  undo: [
    { type: 'unfreeze', server: 'db1', writable: true },
    { type: 'make-read-only', server: 'db2', timeoutMs: 500 },
    { type: 'repoint', server: 'db2', source: 'db1', timeoutMs: 500 },
    { type: 'start-replication', server: 'db3' },
  ],
  deadlineMs: 20 * SECOND,
})

describe('runPlan on real servers', () => {
  let databases: Databases | undefined
  let db1: Node
  let db2: Node
  let db3: Node
  let effects: TestEffects
  let journal: Journal
  let writers: Writers

  const begin = async (semiSync: boolean, count: number) => {
    databases = await startDatabases({ count: 3 })
    db1 = databases.node(0)
    db2 = databases.node(1)
    db3 = databases.node(2)
    await prepareWrites(db1)
    await replicate(db1, [db2, db3], { semiSync })
    await caughtUp(db1, db2)
    effects = await testEffects(databases.nodes)
    await effects.context.sessions.warm(['db1', 'db2', 'db3'])
    journal = unwrap(await openJournal(effects.directory))
    writers = new Writers([db1, db2, db3], { count, pauseMs: 0 })
    writers.start()
    await progress(200)
  }
  const progress = async (count: number): Promise<void> => {
    const goal = writers.acknowledged.length + count
    await eventually(() => writers.acknowledged.length >= goal, 'the writers go on')
  }
  afterEach(async () => {
    await writers.stop()
    effects.close()
    await journal.close()
    await databases?.teardown()
  })

  const run = (plan: Plan): Promise<Operation> =>
    runPlan({
      plan,
      operation: beginning(plan),
      perform: effects.perform,
      journal,
      signal: new AbortController().signal,
      now,
    })
  const failures = ({ steps, message }: Operation) => [
    ...steps.flatMap((step) => (step.state === 'failed' ? `${step.command.type}: ${step.message}` : [])),
    ...(message === undefined ? [] : [message]),
  ]
  const position = (node: Node) => node.value('SELECT @@GLOBAL.gtid_current_pos')

  /** The two replicas, the one that has received more first; both have noticed that their source is gone. */
  const mostAdvancedFirst = async (): Promise<readonly [Node, Node]> => {
    const received = async (node: Node) => {
      const [row = {}] = await node.sql('SHOW SLAVE STATUS')
      return row.Slave_IO_Running === 'Yes' ? undefined : Number(String(row.Gtid_IO_Pos).split('-')[2])
    }
    return eventually(async (): Promise<readonly [Node, Node] | undefined> => {
      const [two, three] = await Promise.all([received(db2), received(db3)])
      if (two === undefined || three === undefined) return undefined
      return two >= three ? [db2, db3] : [db3, db2]
    }, 'both replicas have noticed that their source is gone')
  }

  for (const semiSync of [true, false])
    it(`fails over under writers${semiSync ? ' and loses no acknowledged write with semi-sync' : ''}`, async () => {
      await begin(semiSync, 8)
      await db1.kill()
      const [candidate, other] = await mostAdvancedFirst()
      const operation = await run(failover(semiSync, candidate.name, other.name))
      expect(failures(operation)).to.deep.equal([])
      await progress(200)
      await writers.stop()
      if (semiSync) expect(await writers.missingOn(candidate)).to.deep.equal([])
      expect(await candidate.value('SELECT @@GLOBAL.read_only')).to.equal('0')
      await caughtUp(candidate, other)
      expect(await position(other)).to.equal(await position(candidate))
      expect(effects.crashes).to.have.length(1)
    })

  it('switches over under 32 writers without losing or doubling a write', async () => {
    await begin(false, 32)
    const operation = await run(switchover())
    expect(failures(operation)).to.deep.equal([])
    await progress(100)
    await writers.stop()
    expect(await writers.missingOn(db2)).to.deep.equal([])
    for (const replica of [db1, db3]) {
      await caughtUp(db2, replica)
      expect(await position(replica)).to.equal(await position(db2))
      expect(await replica.value('SELECT COUNT(*) FROM spec.acknowledged')).to.equal(
        await db2.value('SELECT COUNT(*) FROM spec.acknowledged'),
      )
    }
    expect(await db1.value('SELECT @@GLOBAL.read_only')).to.equal('1')
    expect(await db2.value('SELECT @@GLOBAL.read_only')).to.equal('0')
  })

  it('rolls back when the candidate hangs, and commands sent to the candidate have no effect when it resumes', async () => {
    await begin(false, 8)
    const [session = 0] = effects.context.sessions.own('db2')
    const unread = await unreadOf(db2, session)
    const { timer, ring } = alarm()
    const plan = { ...switchover(), deadlineMs: 700 }
    const perform = effects.perform
    const hanging: typeof perform = async (command, signal) => {
      if (command.type !== 'promote') return perform(command, signal)
      db2.pause()
      const promoted = perform(command, signal)
      await eventually(() => unread() > 0, 'db2 was sent a statement')
      ring(plan.deadlineMs)
      return promoted
    }
    const operation = await runPlan({
      plan,
      operation: beginning(plan),
      perform: hanging,
      journal,
      signal: new AbortController().signal,
      now,
      timer,
    })
    expect(await db1.value('SELECT @@GLOBAL.read_only')).to.equal('0')
    expect(operation.failure).to.equal('deadline-passed')
    const before = writers.acknowledged.length
    await progress(100)
    db2.resume()
    const left = () => db2.value('SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ?', session)
    await eventually(async () => (await left()) === '0', 'the session has ended, with what it had been sent')
    expect(await db2.value('SELECT @@GLOBAL.read_only')).to.equal('1')
    await eventually(async () => {
      const [row = {}] = await db2.sql('SHOW SLAVE STATUS')
      return row.Slave_IO_Running === 'Yes' && row.Slave_SQL_Running === 'Yes'
    }, 'db2 follows db1 again')
    await writers.stop()
    expect(writers.acknowledged.length).to.be.above(before)
    expect(await writers.missingOn(db1)).to.deep.equal([])
  })
})
