// Every statement of every dialect on real servers, with its effect verified by other means.
import { expect } from 'chai'
import { type Result, unwrap } from '../../../lib/base/result.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { Row, SqlSession } from '../../../lib/connect/sql/session.js'
import {
  type Dialect,
  dialectFor,
  identify,
  parseIdentity,
  type SlowPart,
  type SourceTarget,
  type Statement,
} from '../../../lib/dialect/index.js'
import { formatSet, subtract } from '../../../lib/model/server/gtid.js'
import { textOf } from '../../../lib/model/server/named.js'
import type { Channel, ServerState } from '../../../lib/model/server/reading.js'
import { type Databases, type Node, startDatabases } from '../../support/databases/database.js'
import { needSoftware } from '../../support/databases/versions.js'
import { eventually } from '../../support/wait.js'

const limitMs = 60_000
/** InnoDB lists transactions again only when the list was not read for 100 ms. */
const everyMs = 150
/** For what is applied in the end: longer than the slowest machine needs, and less than the limit of a statement. */
const APPLIED_SECONDS = 50

for (const software of ['mariadb', 'mariadb-11.8', 'mysql-8.0', 'mysql-9'] as const)
  describe(`dialectFor(${software})`, () => {
    let databases: Databases | undefined
    let primary: Node
    let replica: Node
    let dialect: Dialect
    const sessions = new Map<Node, SqlSession>()

    const session = async (node: Node): Promise<SqlSession> => {
      const known = sessions.get(node)
      if (known?.open) return known
      const opened = unwrap(await openSession(node.target()))
      sessions.set(node, opened)
      return opened
    }
    const attempt = async (node: Node, { sql, values }: Statement): Promise<Result<readonly (readonly Row[])[]>> =>
      (await session(node)).run(sql, values, limitMs)
    const run = async (node: Node, ...statements: readonly Statement[]): Promise<readonly Row[]> => {
      let rows: readonly Row[] = []
      for (const statement of statements) rows = unwrap(await attempt(node, statement))[0] ?? []
      return rows
    }
    const stateOf = async (node: Node): Promise<ServerState> =>
      dialect.parseFastProbe(unwrap(await attempt(node, { sql: dialect.fastProbe, values: [] })))
    const channelOf = async (node: Node): Promise<Channel> => {
      const [channel] = (await stateOf(node)).channels
      if (!channel) throw new Error(`${node.name} has no channel`)
      return channel
    }
    const source = (node: Node, extra: Partial<SourceTarget> = {}): SourceTarget => ({
      host: node.host,
      port: node.port,
      user: 'repl',
      password: 'repl',
      heartbeatSeconds: 0.5,
      connectRetrySeconds: 1,
      tls: false,
      delaySeconds: 0,
      demote: false,
      ...extra,
    })
    const follow = async (follower: Node, followed: Node, extra: Partial<SourceTarget> = {}): Promise<void> => {
      await run(follower, ...dialect.changeSource('', source(followed, extra)), ...dialect.startReplication(''))
      await eventually(async () => {
        const { io, sql } = await channelOf(follower)
        return io === 'running' && sql === 'running'
      }, `${follower.name} follows ${followed.name}`)
    }
    const leave = (node: Node) => run(node, ...dialect.stopReplication(''), ...dialect.forgetSource(''))
    const reach = async (node: Node, followed: Node, seconds = APPLIED_SECONDS) => {
      const { text } = (await stateOf(followed)).gtid
      const [row] = await run(node, dialect.waitApplied(text.executed, seconds))
      return Number(row?.reached)
    }

    before(async function () {
      await needSoftware(this, software)
      databases = await startDatabases({ count: 2, prefix: 'dialect', software })
      primary = databases.node(0)
      replica = databases.node(1)
      const { sql, values } = identify
      dialect = dialectFor(parseIdentity(unwrap(await (await session(primary)).run(sql, values, limitMs))).identity)
      await primary.sql('CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, note TEXT)')
    })
    afterEach(() => {
      for (const [node, opened] of sessions) {
        opened.close()
        sessions.delete(node)
      }
    })
    after(() => databases?.teardown())

    it('knows the server by its first answer', async () => {
      const { identity, capabilities } = dialect
      expect(identity.versionText).to.equal(await primary.value('SELECT @@version'))
      expect(identity.flavour).to.equal(software.startsWith('mysql') ? 'mysql' : 'mariadb')
      expect(identity.reserved?.port).to.equal(primary.extraPort)
      expect(capabilities).to.include({
        demoteToReplica: software.startsWith('mariadb'),
        replicaWords: software === 'mysql-9',
      })
    })

    it('makes a server a replica, with every property of its source', async () => {
      await follow(replica, primary, { heartbeatSeconds: 2.5, delaySeconds: 3 })
      // Its source reports the number after the threads run.
      await eventually(async () => (await channelOf(replica)).source?.serverNumber !== 0, 'the number is known')
      const channel = await channelOf(replica)
      expect(channel.source).to.deep.include({ host: '127.0.0.1', port: primary.port, serverNumber: 1, user: 'repl' })
      expect(channel).to.deep.include({ name: '', heartbeatPeriodSeconds: 2.5, delaySeconds: 3, usesGtid: true })
      await leave(replica)
      expect((await stateOf(replica)).channels).to.deep.equal([])
    })

    it('quotes a password with any character', async () => {
      const password = `it's "a" \\ ?; -- x`
      await primary.sql('CREATE USER tricky@127.0.0.1 IDENTIFIED BY ?', password)
      await primary.sql('GRANT REPLICATION SLAVE ON *.* TO tricky@127.0.0.1')
      await follow(replica, primary, { user: 'tricky', password })
      await leave(replica)
    })

    it('waits for a position: reached, or not within the time', async () => {
      await follow(replica, primary)
      await primary.sql("INSERT INTO shop.orders VALUES (1, 'first')")
      expect(await reach(replica, primary)).to.equal(1)
      expect(await replica.value('SELECT note FROM shop.orders WHERE id=1')).to.equal('first')
      await replica.sql(software === 'mysql-9' ? 'STOP REPLICA SQL_THREAD' : 'STOP SLAVE SQL_THREAD')
      await primary.sql("INSERT INTO shop.orders VALUES (2, 'second')")
      expect(await reach(replica, primary, 0.1)).to.equal(0)
      expect(await channelOf(replica)).to.include({ sql: 'stopped' })
      await eventually(async () => {
        const { received, applied } = await channelOf(replica)
        return formatSet(received) !== formatSet(applied)
      }, 'it has received what it has not applied')
      await run(replica, ...dialect.startReplication(''))
      expect(await reach(replica, primary)).to.equal(1)
    })

    it('writes a set as the server reads it', async () => {
      await eventually(async () => (await channelOf(replica)).io === 'running', 'it receives')
      const { executed } = (await stateOf(primary)).gtid
      const [row] = await run(replica, dialect.waitApplied(dialect.positionText(executed), APPLIED_SECONDS))
      expect(Number(row?.reached)).to.equal(1)
    })

    it('stops receiving only, then all threads, and starts again', async () => {
      await run(replica, ...dialect.stopReceiving(''))
      expect(await channelOf(replica)).to.include({ io: 'stopped', sql: 'running' })
      await run(replica, ...dialect.stopReplication(''))
      expect(await channelOf(replica)).to.include({ io: 'stopped', sql: 'stopped' })
      await run(replica, ...dialect.startReplication(''))
      await eventually(async () => (await channelOf(replica)).io === 'running', 'it receives again')
    })

    it('keeps channels apart by name', async () => {
      const name = 'east-1'
      await leave(replica)
      await run(replica, ...dialect.changeSource(name, source(primary)), ...dialect.startReplication(name))
      await eventually(async () => (await channelOf(replica)).io === 'running', 'it receives')
      expect((await stateOf(replica)).channels.map((channel) => channel.name)).to.deep.equal([name])
      await run(
        replica,
        ...dialect.stopReceiving(name),
        ...dialect.stopReplication(name),
        ...dialect.forgetSource(name),
      )
      expect((await stateOf(replica)).channels).to.deep.equal([])
      await follow(replica, primary)
    })

    it('makes a server read-only and writable', async () => {
      await primary.sql("CREATE USER IF NOT EXISTS app@127.0.0.1 IDENTIFIED BY 'app'")
      await primary.sql('GRANT INSERT, DELETE ON shop.* TO app@127.0.0.1')
      const app = unwrap(await openSession({ ...primary.target(), user: 'app', password: 'app' }))
      const write = async () => (await app.run("REPLACE INTO shop.orders VALUES (3, 'app')", [], limitMs)).ok
      await run(primary, ...dialect.setReadOnly(true, 5))
      expect([await write(), (await stateOf(primary)).readOnly]).to.deep.equal([false, true])
      expect((await stateOf(primary)).superReadOnly).to.equal(dialect.capabilities.superReadOnly)
      await run(primary, ...dialect.setReadOnly(false))
      expect([await write(), (await stateOf(primary)).readOnly]).to.deep.equal([true, false])
      app.close()
    })

    const readOnlySet = async (node: Node) => {
      const statement = dialect.slowProbe('repl', {}).readOnlyOrigin
      return dialect.parseSlowProbe({ readOnlyOrigin: statement ? await run(node, statement) : [] }).readOnlySet
    }

    it('shows whether its start or a statement set read_only', async () => {
      const superOn = (on: boolean) => (dialect.capabilities.superReadOnly ? { superOn: on } : {})
      expect(await readOnlySet(replica)).to.deep.equal({ on: false, byStatement: false, ...superOn(false) })
      await run(replica, ...dialect.setReadOnly(true))
      expect(await readOnlySet(replica)).to.deep.equal({ on: true, byStatement: true, ...superOn(true) })
      await run(replica, ...dialect.setReadOnly(false))
    })

    // What a start of MySQL made of each: where none is known the files decide, or which of the two was set last.
    for (const [kept, ...values] of software.startsWith('mysql')
      ? ([
          [true, 'super_read_only = ON'],
          [true, 'read_only = 1'],
          [true, 'read_only = ON', 'super_read_only = OFF'],
          [false, 'read_only = OFF'],
          [false, 'read_only = OFF', 'super_read_only = OFF'],
          [undefined, 'super_read_only = OFF'],
          [undefined, 'read_only = OFF', 'super_read_only = ON'],
        ] as const)
      : [])
      it(`knows ${kept === undefined ? 'nothing' : kept ? 'on' : 'off'} for the next start by SET PERSIST ${values.join(', ')}`, async () => {
        for (const value of values) await replica.sql(`SET PERSIST_ONLY ${value}`)
        expect((await readOnlySet(replica))?.kept).to.equal(kept)
        await replica.sql('RESET PERSIST')
      })

    it('waits no longer than the limit for a lock that blocks read-only', async () => {
      await primary.sql('LOCK TABLES shop.orders WRITE')
      expect((await attempt(primary, dialect.setReadOnly(true, 1)[0] ?? identify)).ok).to.equal(true)
      const refused = await attempt(primary, dialect.setReadOnly(true, 1)[1] ?? identify)
      await primary.sql('UNLOCK TABLES')
      await run(primary, ...dialect.setReadOnly(false))
      expect(refused.ok ? '' : refused.failure.message).to.contain('1205')
    })

    it('switches events', async () => {
      for (const on of [true, false]) {
        await run(primary, ...dialect.setEventScheduler(on))
        expect((await stateOf(primary)).eventScheduler).to.equal(on)
      }
    })

    it('enables events that came from the source, under the account they run as', async () => {
      await primary.sql('CREATE DEFINER = repl@127.0.0.1 EVENT shop.`a "b" \'c` ON SCHEDULE EVERY 1 DAY DO SET @x = 1')
      expect(await reach(replica, primary)).to.equal(1)
      expect(await run(primary, dialect.dormantEvents())).to.deep.equal([])
      const found = await run(replica, dialect.dormantEvents())
      const event = { schema: 'shop', name: `a "b" 'c`, definer: 'repl@127.0.0.1' }
      expect(found).to.deep.equal([event])
      expect(dialect.parseEvents(await run(primary, dialect.enabledEvents()))).to.deep.equal([event])
      expect(dialect.parseEvents(await run(replica, dialect.enabledEvents()))).to.deep.equal([])
      await run(replica, { sql: 'SET SESSION sql_log_bin=0', values: [] }, dialect.enableEvent(event))
      expect(await replica.value('SELECT CONCAT(STATUS, " ", DEFINER) FROM information_schema.EVENTS')).to.equal(
        'ENABLED repl@127.0.0.1',
      )
      await primary.sql('DROP EVENT shop.`a "b" \'c`')
      expect(await reach(replica, primary)).to.equal(1)
    })

    it('shows all events to an account that may see them, and not that there are none to another', async () => {
      const { flavour } = dialect.identity
      await primary.sql("CREATE USER viewer@'127.0.0.1' IDENTIFIED BY 'viewer'")
      await primary.sql('CREATE EVENT shop.mine ON SCHEDULE EVERY 1 DAY DO SET @x = 1')
      const seen = async () => {
        const session = unwrap(await openSession({ ...primary.target(), user: 'viewer', password: 'viewer' }))
        const answers: Partial<Record<SlowPart, readonly Row[]>> = {}
        for (const [part, statement] of [
          ['ownGrants', dialect.ownGrants()],
          ['events', dialect.enabledEvents()],
        ] as const) {
          const answer = await session.run(statement.sql, statement.values, 10_000)
          if (answer.ok) answers[part] = answer.value[0] ?? []
        }
        session.close()
        return dialect.parseSlowProbe(answers).events
      }
      expect(await seen()).to.equal(undefined)
      await primary.sql(
        flavour === 'mariadb'
          ? "GRANT SELECT ON mysql.* TO viewer@'127.0.0.1'"
          : "GRANT EVENT ON *.* TO viewer@'127.0.0.1'",
      )
      const privileged = flavour === 'mariadb' ? { privileged: true } : {}
      expect(await seen()).to.deep.equal([{ schema: 'shop', name: 'mine', definer: 'root@127.0.0.1', ...privileged }])
      await primary.sql("DROP EVENT shop.mine; DROP USER viewer@'127.0.0.1'")
      expect(await reach(replica, primary)).to.equal(1)
    })

    it('blocks every write until unlocked', async () => {
      await run(primary, ...dialect.globalReadLock(5))
      const other = unwrap(await openSession(primary.target()))
      const writing = other.run("INSERT INTO shop.orders VALUES (4, 'locked out')", [], limitMs)
      await eventually(async () => {
        const rows = await primary.sql('SHOW FULL PROCESSLIST')
        return rows.some((row) => /lock/i.test(String(row.State)) && /locked out/.test(String(row.Info)))
      }, 'the write waits')
      await run(primary, ...dialect.unlock())
      expect((await writing).ok).to.equal(true)
      other.close()
    })

    it('aborts a global lock that is not granted in time', async () => {
      await primary.sql('LOCK TABLES shop.orders WRITE')
      const [bound, lock] = dialect.globalReadLock(1)
      if (bound) await run(primary, bound)
      const refused = lock ? await attempt(primary, lock) : undefined
      await primary.sql('UNLOCK TABLES')
      expect(refused?.ok).to.equal(false)
      expect((await attempt(primary, { sql: "INSERT INTO shop.orders VALUES (5, '')", values: [] })).ok).to.equal(true)
    })

    it('flushes tables without a binary log event, and marks a primary with one', async () => {
      const before = (await stateOf(primary)).gtid.text.executed
      await run(primary, ...dialect.flushTables(5))
      expect((await stateOf(primary)).gtid.text.executed).to.equal(before)
      await run(primary, ...dialect.markPrimary())
      expect((await stateOf(primary)).gtid.text.executed).to.not.equal(before)
      expect(await reach(replica, primary)).to.equal(1)
      expect(await channelOf(replica)).to.include({ io: 'running', sql: 'running' })
    })

    it('names long writes: an open transaction and a running statement, nothing else', async () => {
      const [open, busy, reader] = [
        unwrap(await openSession(primary.target('monitor'))),
        unwrap(await openSession(primary.target('monitor'))),
        unwrap(await openSession(primary.target('monitor'))),
      ]
      await open.run("START TRANSACTION; INSERT INTO shop.orders VALUES (6, 'open')", [], limitMs)
      const running = busy.run('/* app */ UPDATE shop.orders SET note=SLEEP(20) WHERE id=1', [], limitMs * 3)
      const reading = reader.run('SELECT SLEEP(20)', [], limitMs * 3)
      const areLong = async () => (await run(primary, dialect.longWrites(1))).length === 2
      await eventually(areLong, 'both are a second old', { everyMs })
      const rows = await run(primary, dialect.longWrites(1))
      expect(rows.map(({ id, user, rows_changed }) => ({ id, user, rows_changed }))).to.have.deep.members([
        { id: open.threadId, user: 'monitor', rows_changed: 1 },
        { id: busy.threadId, user: 'monitor', rows_changed: 0 },
      ])
      expect(rows.find(({ id }) => id === busy.threadId)?.statement).to.contain('UPDATE shop.orders')
      expect(await run(primary, dialect.longWrites(60))).to.deep.equal([])
      for (const { threadId } of [open, busy, reader]) await run(primary, dialect.killSession(threadId))
      expect([(await running).ok, (await reading).ok, open.open]).to.deep.equal([false, false, false])
    })

    it('lists long statements and open transactions, and who reads its binary log, in one slow probe', async () => {
      const [holder, sleeper] = [
        unwrap(await openSession(primary.target())),
        unwrap(await openSession(primary.target())),
      ]
      unwrap(await holder.run("START TRANSACTION; INSERT INTO shop.orders VALUES (777001, 'open')", [], 5_000))
      const sleeping = sleeper.run("SELECT SLEEP(60), 'sleeps'", [], 90_000)
      const read = async () => {
        const answers: Partial<Record<SlowPart, readonly Row[]>> = {}
        const parts = dialect.slowProbe('repl', { statementsMs: 1, transactionsMs: 1, withoutPlugins: true })
        for (const [part, statement] of Object.entries(parts) as [SlowPart, Statement][])
          answers[part] = await run(primary, statement)
        return dialect.parseSlowProbe(answers)
      }
      const bothListed = async () => {
        const reading = await read()
        const { longStatements = [], openTransactions = [] } = reading
        const transaction = openTransactions.find(({ id }) => id === holder.threadId)
        const isListed = longStatements.some(({ id }) => id === sleeper.threadId) && transaction?.rowsChanged === 1
        return isListed && reading
      }
      const reading = await eventually(bothListed, 'both are listed', { everyMs })
      expect(reading).to.include({ dumpThreads: 1 })
      expect(reading.plugins).to.deep.equal([])
      expect(reading.longStatements?.every(({ waitsForLock }) => !waitsForLock)).to.equal(true)
      for (const { threadId } of [holder, sleeper]) await run(primary, dialect.killSession(threadId))
      expect((await sleeping).ok).to.equal(false)
    })

    it('answers each slow part, and the reads on request', async () => {
      const parts = dialect.slowProbe('repl')
      const answers: Partial<Record<SlowPart, readonly Row[]>> = {}
      for (const [part, statement] of Object.entries(parts) as [SlowPart, Statement][])
        answers[part] = await run(primary, statement)
      const reading = dialect.parseSlowProbe(answers)
      expect(textOf(reading.variables, 'port')).to.equal(String(primary.port))
      expect(Number(textOf(reading.status, 'uptime'))).to.be.at.least(0)
      expect(reading.plugins.some(({ name, status }) => name === 'InnoDB' && status === 'ACTIVE')).to.equal(true)
      expect(reading).to.include({ binlogFile: 'bin.000001', dumpThreads: 1, binlogDoDb: '' })
      expect(reading.binlogs).to.include({ count: 1, oldest: 'bin.000001' })
      expect(reading.binlogs.files[0]?.[1]).to.equal(reading.binlogPosition)
      expect(reading.grants?.replication).to.deep.equal({
        account: "'repl'@'127.0.0.1'",
        names: ['REPLICATION SLAVE'],
      })
      expect(reading.grants?.own.names.length).to.be.above(0)
      expect((await run(replica, dialect.replicaStatus())).length).to.equal(1)
      expect(Object.keys((await run(primary, dialect.binlogStatus()))[0] ?? {})).to.include.members([
        'File',
        'Position',
      ])
    })

    it('switches semi-synchronous replication on and off', async function () {
      if (software === 'mysql-8.0') this.skip() // a build without plugins
      if (dialect.capabilities.flavour === 'mysql') {
        await primary.sql("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'")
        await replica.sql("INSTALL PLUGIN rpl_semi_sync_replica SONAME 'semisync_replica.so'")
      }
      const dialectOf = async (node: Node) =>
        dialectFor(
          parseIdentity(unwrap(await (await session(node)).run(identify.sql, identify.values, limitMs))).identity,
        )
      const [source, follower] = [await dialectOf(primary), await dialectOf(replica)]
      const read = async (node: Node, spoken: Dialect) => {
        const status = await run(node, { sql: spoken.semiSyncStatus ?? '', values: [] })
        const rows = unwrap(await attempt(node, { sql: spoken.fastProbe, values: [] }))
        return spoken.parseFastProbe(rows, { uptimeSeconds: 0, semiSync: spoken.parseSemiSyncStatus(status) }).semiSync
      }
      await run(primary, ...source.setSemiSync({ source: true, replica: false }))
      await run(replica, ...follower.setSemiSync({ source: false, replica: true }))
      await run(replica, ...follower.stopReplication(''), ...follower.startReplication(''))
      await eventually(async () => (await read(primary, source)).clients === 1, 'the replica acknowledges')
      expect(await read(primary, source)).to.include({
        sourceEnabled: true,
        sourceActive: true,
        clients: 1,
      })
      expect(await read(replica, follower)).to.include({
        replicaEnabled: true,
        replicaActive: true,
        sourceEnabled: false,
      })
      await run(primary, ...source.setSemiSync({ source: false, replica: false }))
      await run(replica, ...follower.setSemiSync({ source: false, replica: false }))
      expect(await read(primary, source)).to.include({ sourceEnabled: false, sourceActive: false, clients: 0 })
      expect(await read(replica, follower)).to.include({ replicaEnabled: false, replicaActive: false })
    })

    if (software === 'mysql-9')
      it('shows a transaction that waits for the acknowledgement of a replica as being committed', async () => {
        // A connection that was made as one that acknowledges goes on doing so.
        await run(replica, ...dialect.stopReplication(''))
        await primary.sql('SET GLOBAL rpl_semi_sync_source_timeout=600000; SET GLOBAL rpl_semi_sync_source_enabled=ON')
        const writer = unwrap(await openSession(primary.target()))
        const written = writer.run('CREATE DATABASE waiting', [], limitMs)
        await eventually(async () => (await stateOf(primary)).gtid.committing !== undefined, 'it is being committed')
        const { executed, committing } = (await stateOf(primary)).gtid
        await primary.sql('SET GLOBAL rpl_semi_sync_source_enabled=OFF')
        await run(replica, ...dialect.startReplication(''))
        unwrap(await written)
        writer.close()
        const ended = (await stateOf(primary)).gtid
        expect(ended.committing).to.equal(undefined)
        expect(subtract(ended.executed, executed)).to.deep.equal(committing)
      })

    it('lets primary and replica exchange roles, and back', async () => {
      for (const [from, to] of [
        [primary, replica],
        [replica, primary],
      ] as const) {
        expect(await reach(to, from)).to.equal(1)
        await leave(to)
        await run(to, ...dialect.markPrimary())
        await follow(from, to, { demote: true })
        expect(await reach(from, to)).to.equal(1)
      }
    })

    it('lets them exchange roles as the oldest supported version does', async () => {
      const { identity } = dialect
      const old = dialectFor({
        ...identity,
        ...(identity.flavour === 'mysql' ? {} : { version: { major: 10, minor: 6, patch: 0 } }),
      })
      expect(await reach(replica, primary)).to.equal(1)
      await leave(replica)
      await run(replica, ...dialect.markPrimary())
      await run(primary, ...old.changeSource('', source(replica, { demote: true })), ...old.startReplication(''))
      expect(await reach(primary, replica)).to.equal(1)
      await leave(primary)
    })

    it('declares a position as replicated', async () => {
      const { executed } = (await stateOf(primary)).gtid.text
      await replica.sql(software === 'mysql-9' ? 'RESET BINARY LOGS AND GTIDS' : 'RESET MASTER')
      await run(replica, ...dialect.setReplicaPosition(executed))
      expect((await stateOf(replica)).gtid.executed).to.deep.equal((await stateOf(primary)).gtid.executed)
    })
  })
