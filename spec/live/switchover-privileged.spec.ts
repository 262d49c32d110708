// Stories of switchovers under sessions that read-only does not stop: what was committed for any of them is on the new primary.
import { expect } from 'chai'
import { type Result, unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import { caughtUp, type Node } from '../support/databases/database.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, onlyOn } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/** Longer than a switchover takes, shorter than `switchover-wait-write-query` lets a write be. */
const SLOW = 4

interface Way {
  readonly name: string
  readonly user?: string
  /** Runs before the switchover is asked for; `entry` is the row that it writes. */
  begin(session: SqlSession, entry: number): Promise<Result<unknown>>
  /** What it still sends afterwards. */
  readonly end?: string
}

const insert = (entry: number) => `INSERT INTO spec.acknowledged VALUES (7, ${entry})`
const patience = 60_000

const ways: readonly Way[] = [
  {
    name: 'a statement runs inside its open transaction',
    begin: async (session, entry) => {
      unwrap(await session.run(`BEGIN; ${insert(entry)}`, [], patience))
      return session.run(`SELECT SLEEP(${SLOW}); COMMIT`, [], patience)
    },
  },
  {
    name: 'a procedure commits after it has waited',
    begin: (session, entry) =>
      session.run(`BEGIN NOT ATOMIC START TRANSACTION; ${insert(entry)}; DO SLEEP(${SLOW}); COMMIT; END`, [], patience),
  },
  {
    name: 'a statement runs before its first write',
    begin: (session, entry) => session.run(`SELECT SLEEP(${SLOW}); ${insert(entry)}`, [], patience),
  },
  {
    name: 'its transaction is open and idle',
    begin: (session, entry) => session.run(`BEGIN; ${insert(entry)}`, [], patience),
    end: 'COMMIT',
  },
  {
    name: 'its privileges come from a role',
    user: 'member',
    begin: async (session, entry) => {
      unwrap(await session.run(`BEGIN; ${insert(entry)}`, [], patience))
      return session.run(`SELECT SLEEP(${SLOW}); COMMIT`, [], patience)
    },
  },
]

describe('A switchover under privileged sessions', () => {
  let cluster: ProtectedCluster
  const sessions: SqlSession[] = []

  before(async () => {
    cluster = await startProtectedCluster({ options: [...durable, '--event-scheduler=ON'] })
    const primary = await cluster.primary()
    await primary.sql('CREATE ROLE operator; GRANT ALL ON *.* TO operator')
    await primary.sql("CREATE USER member@'127.0.0.1' IDENTIFIED BY 'member'; GRANT operator TO member@'127.0.0.1'")
    await primary.sql("SET DEFAULT ROLE operator FOR member@'127.0.0.1'")
  })
  after(async () => {
    for (const session of sessions) session.close()
    await cluster?.destroy()
  })

  const login = async (node: Node, user = 'root'): Promise<SqlSession> => {
    const session = unwrap(await openSession({ ...node.target(), user, password: user }))
    sessions.push(session)
    return session
  }
  const expectNothingLeft = async (old: Node, now: Node) => {
    await eventually(async () => (await old.value('SELECT @@read_only')) === '1', `${old.name} is closed`)
    await caughtUp(now, old)
    expect(await onlyOn(old, now), `rows that only ${old.name} has`).to.deep.equal([])
    expect(await cluster.alerts()).to.not.include.members(['WARN0091'])
  }

  for (const [index, way] of ways.entries())
    it(`loses nothing that was committed: ${way.name}`, async () => {
      await cluster.ready()
      const old = await cluster.primary()
      const session = await login(old, way.user)
      const entry = index + 1
      let answer = way.begin(session, entry)
      if (way.end !== undefined) unwrap(await answer)
      else await eventually(() => isSlow(old), 'its statement runs')
      const now = await switchOver(cluster)
      if (way.end !== undefined) answer = session.run(way.end, [], patience)
      const { ok } = await answer
      await expectNothingLeft(old, now)
      const kept = await now.value('SELECT COUNT(*) FROM spec.acknowledged WHERE writer = 7 AND entry = ?', entry)
      expect(kept, `acknowledged: ${ok}`).to.equal(ok ? '1' : '0')
    })

  it("leaves no event of root's running on the old primary", async () => {
    await cluster.ready()
    const old = await cluster.primary()
    await old.sql('CREATE TABLE spec.ticks (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB')
    await old.sql(
      'CREATE EVENT spec.tick ON SCHEDULE EVERY 1 SECOND DO INSERT INTO spec.ticks SELECT NULL FROM DUAL WHERE SLEEP(0.3) = 0',
    )
    await eventually(async () => (await ticksOn(old)) > 1, 'the event writes')
    const now = await switchOver(cluster)
    const positions = () => old.value('SELECT @@GLOBAL.gtid_binlog_state')
    const before = await positions()
    const clock = async () => Number(await old.value('SELECT UNIX_TIMESTAMP()'))
    const since = await clock()
    await eventually(async () => (await clock()) >= since + 3, 'it would have run twice by the clock of its server')
    expect(await old.value('SELECT @@event_scheduler')).to.equal('OFF')
    expect(originOf(await positions(), old)).to.equal(originOf(before, old))
    await caughtUp(now, old)
    // The last one may have come on the way to the new primary.
    await eventually(
      async () => (await ticksOn(old)) === (await ticksOn(now)),
      () => `${old.name} has the ticks of ${now.name}, no others`,
    )
    const back = await switchOver(cluster, old)
    const count = await ticksOn(back)
    await eventually(async () => (await ticksOn(back)) > count, 'it writes again')
  })
})

/** Whether a session sleeps in a statement. */
const isSlow = async (node: Node): Promise<boolean> =>
  (await node.value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep'")) !== '0'

/** How often the event has written, as a server has it. */
const ticksOn = async (node: Node): Promise<number> => Number(await node.value('SELECT COUNT(*) FROM spec.ticks'))

/** The part of a binary log state that a server wrote itself. */
const originOf = (state: string, { serverNumber }: Node): string =>
  state
    .split(',')
    .filter((one) => one.split('-')[1] === String(serverNumber))
    .join(',')
