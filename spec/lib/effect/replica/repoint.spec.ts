// A replica changes its source while it still applies: what it received was acknowledged perhaps, and is not thrown away.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { now, SECOND } from '../../../../lib/base/time.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { EffectServer } from '../../../../lib/effect/kit/server.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../../support/databases/database.js'
import { effectServer, type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { findVersion } from '../../../support/databases/versions.js'
import { freePorts } from '../../../support/machine/ports.js'
import { sourceOf } from '../../../support/manager/protected-cluster.js'
import { absent } from '../../../support/run/absent.js'
import { eventually } from '../../../support/wait.js'

const mysql = await findVersion('mysql-9')
if (!mysql.available) absent('repoint on mysql-9', mysql.reason)

for (const software of ['mariadb', ...(mysql.available ? (['mysql-9'] as const) : [])] as const)
  describe(`repoint on ${software}`, () => {
    let databases: Databases
    let [db1, db2, db3]: Node[] = []
    let effects: TestEffects
    /** By the clock of the effects no time passes while it is held: how long the spec takes counts against no limit. */
    let heldAt: number | undefined
    before(async () => {
      databases = await startDatabases({ count: 3, software })
      ;[db1, db2, db3] = databases.nodes
      await replicate(node(db1), [node(db2), node(db3)])
      await node(db1).sql('CREATE DATABASE app')
      await node(db1).sql('CREATE TABLE app.t (id INT PRIMARY KEY) ENGINE=InnoDB')
      await Promise.all([db2, db3].map((replica) => caughtUp(node(db1), node(replica))))
      effects = await testEffects(databases.nodes, { now: () => heldAt ?? now() })
    })
    after(async () => {
      effects.close()
      await databases.teardown()
    })

    const node = (found: Node | undefined): Node => {
      if (!found) throw new Error('it was started')
      return found
    }
    const rows = (replica: Node) => replica.value('SELECT COUNT(*) FROM app.t')

    /** db3 has received all that `source` has written, applied or not. */
    const received = (source: Node) =>
      eventually(async () => {
        const { dialect } = effects.context.server('db1') ?? {}
        const [written = {}] = await source.sql(dialect?.binlogStatus().sql ?? '')
        const [channel = {}] = await node(db3).sql(dialect?.replicaStatus().sql ?? '')
        return (channel.Read_Master_Log_Pos ?? channel.Read_Source_Log_Pos) === written.Position
      }, 'db3 receives it')

    const stillApplies = () =>
      eventually(async () => {
        const [channel = {}] = await node(db3).sql(effects.context.server('db3')?.dialect.replicaStatus().sql ?? '')
        return (channel.Slave_IO_Running ?? channel.Replica_IO_Running) === 'No'
      }, 'db3 receives nothing more and still applies')

    it('applies what was received first: it would be on the new source only, and that may die next', async () => {
      const holder = unwrap(await openSession(node(db3).target()))
      unwrap(await holder.run('LOCK TABLES app.t READ', [], 60_000))
      for (let id = 1; id <= 10; id++) await node(db1).sql('INSERT INTO app.t VALUES (?)', id)
      await caughtUp(node(db1), node(db2))
      await received(node(db1))
      await node(db1).kill()
      expect(await rows(node(db3))).to.equal('0')
      node(db2).pause()
      heldAt = now()
      const repointing = effects.perform(
        { type: 'repoint', server: 'db3', source: 'db2', timeoutMs: 6_000 },
        new AbortController().signal,
      )
      await stillApplies()
      holder.close()
      await eventually(async () => (await rows(node(db3))) === '10', 'db3 applies it')
      heldAt = undefined
      expect(await repointing).to.have.nested.property('failure.code', 'deadline-passed')
      expect(await rows(node(db3))).to.equal('10')
      node(db2).resume()
    })

    it('does not wait for an applier that is held up for long', async () => {
      await effects.run({ type: 'repoint', server: 'db3', source: 'db2' })
      const holder = unwrap(await openSession(node(db3).target()))
      unwrap(await holder.run('LOCK TABLES app.t READ', [], 60_000))
      await node(db2).sql('INSERT INTO app.t VALUES (11)')
      node(db1).start()
      await node(db1).waitUp()
      await received(node(db2))
      const repointing = effects.perform(
        { type: 'repoint', server: 'db3', source: 'db1', timeoutMs: 15_000 },
        new AbortController().signal,
      )
      // It has given the applier up while that is still held: the stop of both threads waits at the server.
      await eventually(async () => {
        const threads = await node(db3).sql('SHOW FULL PROCESSLIST')
        return threads.some(
          ({ Info }) => /^STOP (ALL )?(SLAVE|REPLICA)/i.test(`${Info}`) && !`${Info}`.includes('IO_THREAD'),
        )
      }, 'the stop is asked for')
      holder.close()
      expect(await repointing).to.have.property('ok', true)
      await effects.run({ type: 'repoint', server: 'db3', source: 'db2' })
      await caughtUp(node(db2), node(db3))
      expect(await rows(node(db3))).to.equal('11')
    })

    it('waits to the end where no server waits for it, and continues unchanged while that is not enough', async () => {
      await effects.run({ type: 'repoint', server: 'db1', source: 'db2', demote: true })
      const holder = unwrap(await openSession(node(db3).target()))
      unwrap(await holder.run('LOCK TABLES app.t READ', [], 60_000))
      await node(db2).sql('INSERT INTO app.t VALUES (12)')
      await received(node(db2))
      const patient = { type: 'repoint', server: 'db3', source: 'db1', patient: true, timeoutMs: 10 * SECOND } as const
      heldAt = Math.ceil(now())
      const hasty = effects.perform(patient, new AbortController().signal)
      await stillApplies()
      heldAt += 7 * SECOND
      expect(await hasty).to.have.nested.property('failure.code', 'deadline-passed')
      await eventually(
        async () => (await sourceOf(node(db3))) === `${node(db2).port} Yes Yes`,
        'db3 goes on with its source',
      )
      const waiting = effects.run(patient)
      await stillApplies()
      // Longer than where servers wait for it. Of its 7 s 0.3 s are left, so that the next wait is shorter than the others.
      heldAt += 6_700
      await eventually(async () => {
        const threads = await node(db3).sql('SHOW FULL PROCESSLIST')
        return threads.some(({ Info }) => /WAIT\w*\(.*, ?0\.25\)/.test(`${Info}`))
      }, 'it goes on waiting')
      holder.close()
      await waiting
      heldAt = undefined
      expect(await sourceOf(node(db3))).to.equal(`${node(db1).port} Yes Yes`)
      expect(await rows(node(db3))).to.equal('12')
    })
  })

for (const software of ['mariadb', ...(mysql.available ? (['mysql-9'] as const) : [])] as const)
  describe(`repoint by several addresses on ${software}`, () => {
    let databases: Databases
    let effects: TestEffects
    let stranger: Node
    let source: Node
    let replica: Node
    let addresses: readonly number[] = []
    let followed: Node
    before(async () => {
      databases = await startDatabases({ count: 3, software })
      ;[stranger, source, replica] = databases.nodes as [Node, Node, Node]
      followed = source
      await replicate(source, [replica])
      await source.sql('CREATE DATABASE app')
      await stranger.sql('CREATE DATABASE foreign_rows')
      await caughtUp(source, replica)
      const servers = new Map<string, EffectServer>()
      for (const node of databases.nodes) servers.set(node.name, await effectServer(node))
      const sources = () => addresses.map((port) => ({ host: '127.0.0.1', port }))
      effects = await testEffects(databases.nodes, {
        server: (id) => {
          const server = servers.get(id)
          const { name, serverNumber } = followed
          return server && id === name ? { ...server, sources: sources(), serverNumber } : server
        },
      })
    })
    after(async () => {
      effects?.close()
      await databases.teardown()
    })

    const follow = async (...ports: readonly number[]) => {
      addresses = ports
      return effects.run({
        type: 'repoint',
        server: replica.name,
        source: source.name,
        renew: true,
      })
    }

    it('takes the first one where the source answers', async () => {
      const [closed = 0] = await freePorts(1)
      expect(await follow(source.port, closed)).to.equal('db3 follows db2')
      expect(await sourceOf(replica)).to.equal(`${source.port} Yes Yes`)
    })

    it('takes the next one where nothing answers, and says so', async () => {
      const [closed = 0] = await freePorts(1)
      await follow(closed, source.port)
      expect(await sourceOf(replica)).to.equal(`${source.port} Yes Yes`)
      expect(effects.log.at(-1)).to.include(`db3: db2 could not be followed over 127.0.0.1:${closed}: error 2003`)
    })

    it('is tried once in an act where nothing answers there: what follows later goes to the next one at once', async () => {
      const [closed = 0] = await freePorts(1)
      for (let times = 0; times < 3; times++) {
        await follow(closed, source.port)
        expect(await sourceOf(replica)).to.equal(`${source.port} Yes Yes`)
      }
      expect(effects.log.filter((line) => line.includes(`:${closed}: `)).length).to.equal(1)
    })

    it('takes the next one where another server answers, and applies nothing of it', async () => {
      await follow(stranger.port, source.port)
      expect(effects.log.at(-1)).to.include('another server answers there: server_id 1 instead of 2')
      await source.sql('CREATE DATABASE later')
      await caughtUp(source, replica)
      const databasesThere = (await replica.sql('SHOW DATABASES')).map(({ Database }) => Database)
      expect(databasesThere).to.include('later').and.not.include('foreign_rows')
    })

    it('takes the next one where its own address is stated', async () => {
      await follow(replica.port, source.port)
      expect(await sourceOf(replica)).to.equal(`${source.port} Yes Yes`)
    })

    it('takes the next one for a server that was a primary, and loses nothing of what it wrote', async () => {
      const [closed = 0] = await freePorts(1)
      await effects.run({ type: 'promote', server: replica.name })
      followed = replica
      addresses = [closed, stranger.port, replica.port]
      await effects.run({ type: 'repoint', server: source.name, source: replica.name, demote: true })
      expect(await sourceOf(source)).to.equal(`${replica.port} Yes Yes`)
      await replica.sql('CREATE DATABASE last')
      await caughtUp(replica, source)
      const there = (await source.sql('SHOW DATABASES')).map(({ Database }) => Database)
      expect(there).to.include.members(['app', 'later', 'last']).and.not.include('foreign_rows')
    })
  })
