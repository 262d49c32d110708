// Events on real servers, with accounts that have more and fewer privileges.
import { expect } from 'chai'
import { createSessions } from '../../../../lib/effect/index.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../../support/databases/database.js'
import { effectServer, type TestEffects, testEffects } from '../../../support/databases/effects.js'

const account = "limited@'127.0.0.1'"

describe('Events of a server', () => {
  let databases: Databases
  let db1: Node
  let db2: Node
  let effects: TestEffects

  before(async () => {
    databases = await startDatabases({ count: 2, options: ['--event-scheduler=ON'] })
    db1 = databases.node(0)
    db2 = databases.node(1)
    await replicate(db1, [db2])
    await db1.sql('CREATE DATABASE app; CREATE TABLE app.t (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB')
    await db1.sql("CREATE USER plain@'127.0.0.1'; GRANT INSERT ON app.* TO plain@'127.0.0.1'")
    await db1.sql(`CREATE USER ${account} IDENTIFIED BY 'limited'`)
    await db1.sql('CREATE EVENT app.tick ON SCHEDULE EVERY 1 DAY STARTS "2037-01-01" DO INSERT INTO app.t VALUES ()')
    await db1.sql(
      'CREATE EVENT app.off ON SCHEDULE EVERY 1 DAY STARTS "2037-01-01" DISABLE DO INSERT INTO app.t VALUES ()',
    )
    await caughtUp(db1, db2)
    effects = await testEffects(databases.nodes, {
      sessions: createSessions({ server: (id) => limited.get(id) }),
    })
    for (const node of databases.nodes) {
      const server = await effectServer(node)
      limited.set(node.name, { ...server, target: { ...server.target, user: 'limited', password: 'limited' } })
    }
  })
  after(async () => {
    effects?.close()
    await databases?.teardown()
  })

  const limited = new Map<string, Awaited<ReturnType<typeof effectServer>>>()
  const perform = async (command: Command): Promise<string> => {
    const answer = await effects.perform(command, new AbortController().signal)
    return answer.ok ? answer.value : `${answer.failure.code}: ${answer.failure.message}`
  }
  const off = { type: 'set-events', server: 'db1', on: false } as const
  const scheduler = () => db1.value('SELECT @@GLOBAL.event_scheduler')

  it('are not taken for harmless where they cannot be read', async () => {
    expect(await perform(off)).to.match(/^event-scheduler: .*cannot be read: .*SELECT command denied/)
  })

  it('go on where they write through read-only and the account may not stop them: the failure names the grant', async () => {
    await db1.sql(`GRANT SELECT ON mysql.* TO ${account}`)
    expect(await perform(off)).to.match(/^event-scheduler: db1: .*app\.tick of root@.*GRANT SUPER ON \*\.\* TO/)
    expect(await scheduler()).to.equal('ON')
  })

  it('may go on under definers that read-only stops', async () => {
    await db1.sql("ALTER DEFINER = plain@'127.0.0.1' EVENT app.tick ENABLE")
    expect(await perform(off)).to.match(/stays on: none of its enabled events writes through read-only/)
    await db1.sql("ALTER DEFINER = root@'127.0.0.1' EVENT app.tick ENABLE")
  })

  it('count as privileged by a role of their definer', async () => {
    await db1.sql("CREATE ROLE keeper; GRANT READ_ONLY ADMIN ON *.* TO keeper; GRANT keeper TO plain@'127.0.0.1'")
    await db1.sql("ALTER DEFINER = plain@'127.0.0.1' EVENT app.tick ENABLE")
    expect(await perform(off)).to.match(/^event-scheduler: db1: .*app\.tick of plain@/)
    await db1.sql("DROP ROLE keeper; ALTER DEFINER = root@'127.0.0.1' EVENT app.tick ENABLE")
  })

  it('are stopped with a grant that came after the login', async () => {
    await db1.sql(`GRANT SUPER ON *.* TO ${account}`)
    expect(await perform(off)).to.equal('the event scheduler of db1 is off')
    expect(await scheduler()).to.equal('OFF')
    await db1.sql('SET GLOBAL event_scheduler = ON')
  })

  it('are enabled where they were enabled on the old primary, and only there', async () => {
    await caughtUp(db1, db2)
    await db2.sql('SET GLOBAL read_only = 0')
    const enable = { type: 'enable-events', server: 'db2' } as const
    const events = [{ schema: 'app', name: 'tick' }]
    expect(await perform(enable)).to.match(/^step-failed: it is not known which events .*app\.off, app\.tick/)
    expect(await perform({ ...enable, events })).to.match(/not enabled: app\.tick: .*(1044|1227)/)
    await db2.sql(
      `SET SESSION sql_log_bin = 0; GRANT EVENT, SET USER ON *.* TO ${account}; SET SESSION sql_log_bin = 1`,
    )
    expect(await perform({ ...enable, events })).to.equal(
      '1 event of db2 enabled; 1 other stay disabled, as when the old primary was last read',
    )
    const status = (name: string) =>
      db2.value('SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_NAME = ?', name)
    expect([await status('tick'), await status('off')]).to.deep.equal(['ENABLED', 'SLAVESIDE_DISABLED'])
    expect(await perform({ ...enable, events })).to.match(/^0 events of db2 enabled/)
  })

  it('count although they were enabled a moment ago only, where the old primary can be asked', async () => {
    const make = (then: string) =>
      `SET SESSION sql_log_bin = 0; CREATE EVENT app.late ON SCHEDULE EVERY 1 DAY STARTS "2037-01-01" ${then}; SET SESSION sql_log_bin = 1`
    await db1.sql(make('DO INSERT INTO app.t VALUES (); ALTER EVENT app.tick DISABLE'))
    await db2.sql(make('DISABLE ON SLAVE DO INSERT INTO app.t VALUES (); ALTER EVENT app.tick DISABLE ON SLAVE'))
    const enable = {
      type: 'enable-events',
      server: 'db2',
      from: 'db1',
      events: [{ schema: 'app', name: 'tick' }],
    } as const
    expect(await perform(enable)).to.match(/^1 event of db2 enabled; 2 others stay disabled/)
    const enabled = "SELECT GROUP_CONCAT(EVENT_NAME) FROM information_schema.EVENTS WHERE STATUS = 'ENABLED'"
    expect(await db2.value(enabled)).to.equal('late')
  })
})
