import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../../lib/connect/sql/session.js'
import { type Databases, type Node, replicate, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { findVersion } from '../../../support/databases/versions.js'
import { absent } from '../../../support/run/absent.js'
import { eventually } from '../../../support/wait.js'

const newest = await findVersion('mysql-9')
if (!newest.available) absent('endUnfinished on mysql-9', newest.reason)

for (const software of ['mariadb', ...(newest.available ? (['mysql-9'] as const) : [])] as const)
  describe(`endUnfinished on ${software}`, () => {
    let databases: Databases
    let db1: Node
    let db2: Node
    let effects: TestEffects
    const sessions: SqlSession[] = []

    before(async () => {
      databases = await startDatabases({ count: 2, software })
      db1 = databases.node(0)
      db2 = databases.node(1)
      await db1.sql('CREATE DATABASE app; CREATE TABLE app.t (id INT PRIMARY KEY) ENGINE=InnoDB')
      await db1.sql("CREATE USER plain@'127.0.0.1' IDENTIFIED BY 'plain'; GRANT ALL ON app.* TO plain@'127.0.0.1'")
      await replicate(db1, [db2], { semiSync: true, semiSyncTimeoutMs: 60_000 })
      effects = await testEffects(databases.nodes)
    })
    afterEach(async () => {
      for (const session of sessions.splice(0)) session.close()
      await effects.run({ type: 'make-writable', server: 'db1' })
    })
    after(async () => {
      effects.close()
      await databases.teardown()
    })

    const login = async (): Promise<SqlSession> => {
      const session = unwrap(await openSession({ ...db1.target(), user: 'plain', password: 'plain' }))
      sessions.push(session)
      return session
    }
    const states = async () =>
      (
        await db1.sql("SELECT STATE FROM information_schema.PROCESSLIST WHERE USER = 'plain' AND COMMAND = 'Query'")
      ).map(({ STATE }) => String(STATE))
    const sourceSide = `rpl_semi_sync_${software === 'mariadb' ? 'master' : 'source'}`
    const waitForReplicas = (on: boolean) => db1.sql(`SET GLOBAL ${sourceSide}_enabled=${on ? 1 : 0}`)
    const fence = () => effects.run({ type: 'fence', server: 'db1', timeoutMs: 15_000 })

    it('lets a fence through that a long write would hold up, which gets no answer', async () => {
      const long = (await login()).run('INSERT INTO app.t SELECT 100 + SLEEP(20)', [], 30_000)
      await eventually(async () => (await states()).includes('User sleep'), 'the write runs')
      expect(await fence()).to.equal('db1 is read-only; 1 write got no answer')
      expect(await long).to.have.property('ok', false)
    })

    it('leaves a reader alone', async () => {
      const holder = await login()
      unwrap(await holder.run("SELECT GET_LOCK('spec', 0)", [], 60_000))
      const read = (await login()).run("SELECT GET_LOCK('spec', 60)", [], 90_000)
      await eventually(async () => (await states()).includes('User lock'), 'the read runs')
      expect(await fence()).to.equal('db1 is read-only')
      unwrap(await holder.run("SELECT RELEASE_LOCK('spec')", [], 60_000))
      expect(await read).to.have.property('ok', true)
    })

    it('sends no answer to clients that wait for a replica, alone or for others in its group', async () => {
      await waitForReplicas(true)
      await db2.sql(software === 'mariadb' ? 'STOP SLAVE IO_THREAD' : 'STOP REPLICA IO_THREAD')
      const writers = await Promise.all(Array.from({ length: 6 }, login))
      const writes = writers.map((writer, id) => writer.run('INSERT INTO app.t VALUES (?)', [1_000 + id], 30_000))
      await eventually(async () => (await states()).length === 6, 'all wait')
      await fence()
      for (const write of await Promise.all(writes)) expect(write).to.have.property('ok', false)
      expect(await db1.value('SELECT @@GLOBAL.read_only')).to.equal('1')
      await waitForReplicas(false)
    })

    it('lets the applier of a replica continue that waits for its own replica', async () => {
      await db2.sql(software === 'mariadb' ? 'START SLAVE IO_THREAD' : 'START REPLICA IO_THREAD')
      await db2.sql(`SET GLOBAL ${sourceSide}_enabled=1, ${sourceSide}_timeout=60000; SET GLOBAL read_only=0`)
      await db1.sql('INSERT INTO app.t VALUES (2000)')
      const waits = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for semi-sync ACK%'"
      await eventually(async () => (await db2.value(waits)) !== '0', 'the applier waits')
      expect(await effects.run({ type: 'fence', server: 'db2', timeoutMs: 10_000 })).to.equal('db2 is read-only')
      await eventually(async () => (await db2.value('SELECT COUNT(*) FROM app.t WHERE id=2000')) === '1', 'it applies')
    })

    it('leaves the source side on where the fence is held up by something else', async () => {
      await waitForReplicas(true)
      const holder = await login()
      unwrap(await holder.run('LOCK TABLES app.t WRITE', [], 60_000))
      await effects.run({ type: 'fence', server: 'db1', timeoutMs: 1_500 }).catch(() => undefined)
      expect(await db1.value(`SELECT @@GLOBAL.${sourceSide}_enabled`)).to.equal('1')
      await waitForReplicas(false)
    })
  })
