// Sessions that clients left on a former primary, on a real server.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../../lib/connect/sql/session.js'
import { type Databases, type Node, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { eventually, PATIENCE_MS } from '../../../support/wait.js'

describe('end-sessions', () => {
  let databases: Databases
  let db1: Node
  let effects: TestEffects
  const sessions: SqlSession[] = []

  before(async () => {
    databases = await startDatabases({ count: 1 })
    db1 = databases.node(0)
    await db1.sql("CREATE USER plain@'127.0.0.1' IDENTIFIED BY 'plain'")
    effects = await testEffects(databases.nodes)
  })
  afterEach(() => {
    for (const session of sessions.splice(0)) session.close()
  })
  after(async () => {
    effects?.close()
    await databases?.teardown()
  })

  const login = async (user: string): Promise<SqlSession> => {
    const session = unwrap(await openSession({ ...db1.target(), user, password: user }))
    sessions.push(session)
    return session
  }
  const perform = async (timeoutMs = PATIENCE_MS) => {
    const command = { type: 'end-sessions', server: 'db1', timeoutMs } as const
    return unwrap(await effects.perform(command, new AbortController().signal))
  }
  const living = async (...some: readonly SqlSession[]): Promise<number> => {
    const ids = some.map(({ threadId }) => threadId).join()
    return Number(await db1.value(`SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (${ids})`))
  }

  // The spec itself reads the server in a session of root, which is one more of a client.
  it('ends those of clients, and spares those of the accounts of the manager', async () => {
    const pool = await Promise.all(Array.from({ length: 12 }, () => login('plain')))
    const own = await login('monitor')
    expect(await perform()).to.equal('13 sessions of clients on db1 ended')
    expect(await living(...pool)).to.equal(0)
    expect(await living(own)).to.equal(1)
  })

  it('waits for a statement that runs, and ends its session then', async () => {
    const reader = await login('plain')
    const lock = await login('monitor')
    unwrap(await lock.run("SELECT GET_LOCK('spec', 0)", [], PATIENCE_MS))
    const reading = reader.run("SELECT GET_LOCK('spec', 60) AS got", [], PATIENCE_MS)
    await eventually(
      async () =>
        (await db1.value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'")) === '1',
      'the statement runs',
    )
    const ending = perform()
    unwrap(await lock.run("SELECT RELEASE_LOCK('spec')", [], PATIENCE_MS))
    expect(unwrap(await reading)).to.deep.equal([[{ got: 1 }]])
    expect(await ending).to.equal('2 sessions of clients on db1 ended')
    expect(await living(reader)).to.equal(0)
  })

  it('leaves a statement alone that is not over in time, and counts it', async () => {
    const reader = await login('plain')
    const reading = reader.run('SELECT SLEEP(60)', [], PATIENCE_MS)
    await eventually(
      async () =>
        (await db1.value("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep'")) === '1',
      'the statement runs',
    )
    expect(await perform(1_000)).to.equal('1 session of clients on db1 ended; left in a long statement: 1')
    expect(await living(reader)).to.equal(1)
    reader.close()
    await reading
  })
})
