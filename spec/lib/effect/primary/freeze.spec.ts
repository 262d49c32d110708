import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../../lib/connect/sql/session.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { eventually } from '../../../support/wait.js'

describe('freeze', () => {
  let databases: Databases
  let db1: Node
  let effects: TestEffects
  const sessions: SqlSession[] = []

  before(async () => {
    databases = await startDatabases({ count: 2, options: ['--max-connections=10'] })
    db1 = databases.node(0)
    await db1.sql('CREATE DATABASE app; CREATE TABLE app.t (id INT PRIMARY KEY) ENGINE=InnoDB')
    await db1.sql("CREATE USER plain@'127.0.0.1' IDENTIFIED BY 'plain'; GRANT ALL ON app.* TO plain@'127.0.0.1'")
    effects = await testEffects(databases.nodes)
  })
  afterEach(async () => {
    await perform({ type: 'unfreeze', server: 'db1', writable: true })
    const closed = sessions.splice(0)
    for (const session of closed) session.close()
    // They would count against the few connections of the next test.
    const ids = [0, ...closed.map(({ threadId }) => threadId)].join()
    const left = () => db1.value(`SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (${ids})`)
    await eventually(async () => (await left()) === '0', 'all sessions of the test have ended')
    await db1.sql('DELETE FROM app.t')
  })
  after(async () => {
    effects.close()
    await databases.teardown()
  })

  const perform = (command: Command) => effects.perform(command, new AbortController().signal)
  const login = async (user: 'root' | 'monitor' | 'plain'): Promise<SqlSession> => {
    const session = unwrap(await openSession({ ...db1.target(), user, password: user }))
    sessions.push(session)
    return session
  }
  const count = () => db1.value('SELECT COUNT(*) FROM app.t')
  const waiting = () =>
    db1.value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for%lock'")

  it('stops a writer whom read-only does not stop, until it ends', async () => {
    await effects.run({ type: 'freeze', server: 'db1' })
    await effects.run({ type: 'freeze', server: 'db1' })
    const root = await login('root')
    const write = root.run('INSERT INTO app.t VALUES (1)', [], 60_000)
    await eventually(async () => (await waiting()) === '1', 'the writer waits')
    expect(await count()).to.equal('0')
    await effects.run({ type: 'unfreeze', server: 'db1', writable: true })
    unwrap(await write)
    expect(await count()).to.equal('1')
    expect(await db1.value('SELECT @@GLOBAL.read_only')).to.equal('0')
  })

  it('refuses writers without privileges at once', async () => {
    const plain = await login('plain')
    await effects.run({ type: 'freeze', server: 'db1' })
    const write = await plain.run('INSERT INTO app.t VALUES (1)', [], 60_000)
    expect(write)
      .to.have.nested.property('failure.message')
      .that.matches(/error 1290/)
  })

  it('ends the transactions that were open before, of users whom read-only does not stop', async () => {
    const [idle, busy] = await Promise.all([login('root'), login('root')])
    unwrap(await idle.run('BEGIN; INSERT INTO app.t VALUES (1)', [], 60_000))
    const commit = busy.run('BEGIN; INSERT INTO app.t VALUES (2); SELECT SLEEP(30); COMMIT', [], 60_000)
    await eventually(
      async () =>
        (await db1.value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep'")) === '1',
      'a statement runs in it',
    )
    const position = await db1.value('SELECT @@GLOBAL.gtid_binlog_pos')
    const reply = await effects.run({ type: 'freeze', server: 'db1' })
    expect(reply).to.match(/[2-9] waiting or privileged sessions ended/)
    expect(await commit).to.have.property('ok', false)
    expect(await idle.run('COMMIT', [], 60_000)).to.have.property('ok', false)
    expect(await db1.value('SELECT @@GLOBAL.gtid_binlog_pos')).to.equal(position)
    await effects.run({ type: 'unfreeze', server: 'db1', writable: false })
    expect(await count()).to.equal('0')
  })

  it('lets no client write that came while it lasted', async () => {
    await effects.run({ type: 'make-writable', server: 'db1' })
    const own = effects.context.sessions.own('db1')
    expect(own).to.not.deep.equal([])
    const reader = await login('plain')
    await effects.run({ type: 'freeze', server: 'db1' })
    const writers = await Promise.all([login('root'), login('root'), login('root')])
    const idle = await Promise.all([login('root'), login('monitor')])
    const writes = writers.map((writer, id) => writer.run('INSERT INTO app.t VALUES (?)', [id], 60_000))
    await eventually(async () => (await waiting()) === '3', 'the writers wait')
    const reply = await effects.run({ type: 'unfreeze', server: 'db1', writable: false })
    expect(reply).to.match(/[56] waiting or privileged sessions ended/)
    for (const write of await Promise.all(writes)) expect(write).to.have.property('ok', false)
    for (const session of idle)
      expect(await session.run('INSERT INTO app.t VALUES (9)', [], 60_000)).to.have.property('ok', false)
    expect(effects.context.sessions.own('db1'), 'sessions of the manager').to.include.members([...own])
    unwrap(await reader.run('SELECT 1', [], 60_000))
    expect(await count()).to.equal('0')
    expect(await db1.value('SELECT @@GLOBAL.read_only')).to.equal('1')
  })

  it('gives up when it does not get the lock in time, and leaves no lock behind', async () => {
    const holder = await login('root')
    unwrap(await holder.run('LOCK TABLES app.t WRITE', [], 60_000))
    const result = await perform({ type: 'freeze', server: 'db1', timeoutMs: 1_200 })
    expect(result).to.have.property('ok', false)
    unwrap(await holder.run('UNLOCK TABLES', [], 60_000))
    await effects.run({ type: 'unfreeze', server: 'db1', writable: true })
    const plain = await login('plain')
    unwrap(await plain.run('INSERT INTO app.t VALUES (1)', [], 60_000))
  })

  it('finds a way in when all connections are used up', async () => {
    const taken: SqlSession[] = []
    for (;;) {
      const opened = await openSession(db1.target('root', 30_000))
      if (!opened.ok) break
      taken.push(opened.value)
    }
    sessions.push(...taken)
    effects.context.sessions.forget('db1')
    await effects.run({ type: 'guard-long-writes', server: 'db1', longerThanSeconds: 10, waitMs: 0 })
    await effects.run({ type: 'freeze', server: 'db1' })
    await effects.run({ type: 'unfreeze', server: 'db1', writable: true })
    expect(taken).to.have.length.above(5)
  })

  it('does not open another server when the session that holds it was lost', async () => {
    await effects.run({ type: 'freeze', server: 'db1' })
    const id = effects.context.sessions.reserved('db1')?.threadId
    await db1.sql('KILL ?', id)
    await eventually(() => !effects.context.sessions.reserved('db1')?.open, 'the session is gone')
    const result = await perform({ type: 'make-writable', server: 'db2' })
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/froze db1 was lost/)
    await effects.run({ type: 'unfreeze', server: 'db1', writable: true })
    await effects.run({ type: 'make-writable', server: 'db2' })
  })

  it('ends with the manager', async () => {
    const dying = await testEffects(databases.nodes)
    await dying.run({ type: 'freeze', server: 'db1' })
    const root = await login('root')
    const write = root.run('INSERT INTO app.t VALUES (1)', [], 60_000)
    await eventually(async () => (await waiting()) === '1', 'the writer waits')
    dying.close()
    unwrap(await write)
    await effects.run({ type: 'unfreeze', server: 'db1', writable: true })
    expect(await db1.value('SELECT @@GLOBAL.read_only')).to.equal('0')
  })
})

describe('guardLongWrites', () => {
  let databases: Databases
  let db1: Node
  let effects: TestEffects

  before(async () => {
    databases = await startDatabases({ count: 1 })
    db1 = databases.node(0)
    await db1.sql('CREATE DATABASE app; CREATE TABLE app.t (id INT PRIMARY KEY) ENGINE=InnoDB')
    effects = await testEffects(databases.nodes)
  })
  after(async () => {
    effects.close()
    await databases.teardown()
  })

  const guard = (waitMs: number): Command => ({
    type: 'guard-long-writes',
    server: 'db1',
    longerThanSeconds: 1,
    waitMs,
  })
  /** InnoDB lists transactions again only when the list was not read for 100 ms. */
  const everyMs = 150
  const listed = async (): Promise<number> => {
    const { sql = '', values = [] } = effects.context.server('db1')?.dialect.longWrites(1) ?? {}
    return (await db1.sql(sql, ...values)).length
  }

  it('names session, user, age and statement of each that does not end in time', async () => {
    const writer = unwrap(await openSession(db1.target()))
    unwrap(await writer.run('BEGIN; INSERT INTO app.t VALUES (1), (2), (3)', [], 60_000))
    const long = unwrap(await openSession(db1.target()))
    const insert = long.run('INSERT INTO app.t VALUES (99 + SLEEP(600))', [], 600_000)
    await eventually(async () => (await listed()) === 2, 'both are long', { everyMs })
    const result = await effects.perform(guard(0), new AbortController().signal)
    expect(result).to.have.nested.property('failure.code', 'long-writes')
    const text = result.ok ? '' : result.failure.message
    const who = ({ threadId }: SqlSession) => `session ${threadId} of root@127\\.0\\.0\\.1\\S* for \\d+ s`
    expect(text).to.match(new RegExp(`${who(writer)}, 3 rows changed: idle in a transaction`))
    expect(text).to.match(new RegExp(`${who(long)}: INSERT INTO app\\.t VALUES \\(99 \\+ SLEEP\\(600\\)\\)`))
    writer.close()
    await db1.sql('KILL ?', long.threadId)
    expect(await insert).to.have.property('ok', false)
    await eventually(async () => (await listed()) === 0, 'both have ended', { everyMs })
  })

  it('goes on as soon as the last one has ended', async () => {
    const writer = unwrap(await openSession(db1.target()))
    unwrap(await writer.run('BEGIN; INSERT INTO app.t VALUES (10)', [], 60_000))
    await eventually(async () => (await listed()) === 1, 'it is long', { everyMs })
    const guarded = effects.run(guard(60_000))
    const asked = new Set<string>()
    await eventually(async () => {
      const { threadId } = effects.context.sessions.reserved('db1') ?? {}
      const statement = await db1.value('SELECT QUERY_ID FROM information_schema.PROCESSLIST WHERE ID = ?', threadId)
      return asked.add(statement).size > 5
    }, 'the guard asks again and again')
    unwrap(await writer.run('COMMIT', [], 60_000))
    expect(await guarded).to.match(/no write on db1 is older than 1 s/)
    writer.close()
  })
})
