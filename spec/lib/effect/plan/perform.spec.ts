import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { fail, ok } from '../../../../lib/base/result.js'
import { MINUTE, now } from '../../../../lib/base/time.js'
import type { Command } from '../../../../lib/model/operation/command.js'
import type { Crash } from '../../../../lib/model/operation/crash.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../../support/databases/effects.js'
import { eventually } from '../../../support/wait.js'

const crash = (change: Partial<Crash> = {}): Crash => ({
  at: now(),
  oldPrimary: 'db1',
  newPrimary: 'db2',
  switchover: false,
  received: {},
  byOrigin: {},
  receivedText: '',
  oldFile: '',
  oldPosition: 0,
  newFile: '',
  newPosition: 0,
  inSync: true,
  ...change,
})

describe('createPerform', () => {
  let databases: Databases
  let db1: Node
  let db2: Node
  let db3: Node
  let effects: TestEffects

  before(async () => {
    databases = await startDatabases({ count: 3 })
    db1 = databases.node(0)
    db2 = databases.node(1)
    db3 = databases.node(2)
    await replicate(db1, [db2, db3])
    await db1.sql('CREATE DATABASE app; CREATE TABLE app.t (id INT PRIMARY KEY) ENGINE=InnoDB')
    effects = await testEffects(databases.nodes)
  })
  after(async () => {
    effects.close()
    await databases.teardown()
  })

  const twice = async (command: Command): Promise<void> => {
    await effects.run(command)
    await effects.run(command)
  }
  const perform = (command: Command, on = effects) => on.perform(command, new AbortController().signal)
  const readOnly = (node: Node) => node.value('SELECT @@GLOBAL.read_only')
  const follows = async (node: Node): Promise<string> => {
    const [row = {}] = await node.sql('SHOW SLAVE STATUS')
    return `${row.Master_Port ?? ''} ${row.Slave_IO_Running ?? ''} ${row.Slave_SQL_Running ?? ''}`
  }

  it('makes servers writable and read-only, as often as commanded', async () => {
    await twice({ type: 'make-read-only', server: 'db1' })
    expect(await readOnly(db1)).to.equal('1')
    await twice({ type: 'make-writable', server: 'db1' })
    expect(await readOnly(db1)).to.equal('0')
    await twice({ type: 'fence', server: 'db1', timeoutMs: MINUTE })
    expect(await readOnly(db1)).to.equal('1')
    await twice({ type: 'make-writable', server: 'db1' })
  })

  const received = (node: Node) =>
    eventually(async () => {
      const [row = {}] = await node.sql('SHOW SLAVE STATUS')
      return row.Gtid_IO_Pos === (await db1.value('SELECT @@GLOBAL.gtid_binlog_pos'))
    }, `${node.name} has received everything`)

  it('stops receiving and waits until what was received is applied', async () => {
    await caughtUp(db1, db2)
    await db2.sql('FLUSH TABLES WITH READ LOCK')
    await db1.sql('INSERT INTO app.t VALUES (1), (2)')
    await received(db2)
    await twice({ type: 'stop-receiving', server: 'db2' })
    const stuck = await perform({ type: 'apply-received', server: 'db2', timeoutMs: 3_000 })
    expect(stuck).to.have.nested.property('failure.code', 'deadline-passed')
    expect(stuck)
      .to.have.nested.property('failure.message')
      .that.matches(/still has 1 transaction to/)
    const applied = twice({ type: 'apply-received', server: 'db2' })
    await db2.sql('UNLOCK TABLES')
    await applied
    expect(await db2.value('SELECT COUNT(*) FROM app.t')).to.equal('2')
    await effects.run({ type: 'start-replication', server: 'db2' })
  })

  it('does not wait for an applier that is stopped', async () => {
    await db2.sql('STOP SLAVE SQL_THREAD')
    await db1.sql('INSERT INTO app.t VALUES (3)')
    await received(db2)
    const result = await perform({ type: 'apply-received', server: 'db2' })
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/applies nothing.*1 transaction to apply/)
    await db2.sql('START SLAVE SQL_THREAD')
  })

  it('waits until a replica has everything its source executed', async () => {
    await db1.sql('INSERT INTO app.t VALUES (4)')
    await twice({ type: 'catch-up', server: 'db3', source: 'db1' })
    expect(await db3.value('SELECT COUNT(*) FROM app.t WHERE id = 4')).to.equal('1')
  })

  it('stops and starts replication', async () => {
    await twice({ type: 'stop-replication', server: 'db3' })
    expect(await follows(db3)).to.equal(`${db1.port} No No`)
    await twice({ type: 'start-replication', server: 'db3' })
    expect(await follows(db3)).to.equal(`${db1.port} Yes Yes`)
  })

  it('gives a replica another source and does not touch one that follows already', async () => {
    await effects.run({ type: 'repoint', server: 'db3', source: 'db2' })
    expect(await follows(db3)).to.equal(`${db2.port} Yes Yes`)
    const thread = () => db2.value("SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND = 'Binlog Dump'")
    const before = await thread()
    await effects.run({ type: 'repoint', server: 'db3', source: 'db2' })
    expect(await thread()).to.equal(before)
    await twice({ type: 'repoint', server: 'db3', source: 'db1' })
  })

  it('does not take a source that refuses for success', async () => {
    await effects.run({ type: 'stop-replication', server: 'db2' })
    await db1.sql('INSERT INTO app.t VALUES (5)')
    await caughtUp(db1, db3)
    const result = await perform({ type: 'repoint', server: 'db3', source: 'db2', timeoutMs: 30_000 })
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/error 1236/)
    await effects.run({ type: 'start-replication', server: 'db2' })
    await effects.run({ type: 'repoint', server: 'db3', source: 'db1' })
  })

  it('says when a source cannot be reached in time', async () => {
    await db2.stop()
    const result = await perform({ type: 'repoint', server: 'db3', source: 'db2', timeoutMs: 3_000 })
    expect(result).to.have.nested.property('failure.code', 'deadline-passed')
    expect(result)
      .to.have.nested.property('failure.message')
      .that.matches(/I\/O thread connecting/)
    await effects.run({ type: 'repoint', server: 'db3', source: 'db1' })
  })

  it('passes by a dead server when it fences, and fails for it otherwise', async () => {
    expect(await effects.run({ type: 'fence', server: 'db2', timeoutMs: MINUTE })).to.match(/fencing not needed/)
    const result = await perform({ type: 'make-writable', server: 'db2' })
    expect(result).to.have.nested.property('failure.code', 'sql-refused')
    db2.start()
    await db2.waitUp()
    await eventually(async () => (await follows(db2)) === `${db1.port} Yes Yes`, 'db2 replicates')
  })

  it('switches semi-synchronous sides and the event scheduler', async () => {
    await twice({ type: 'set-semi-sync', server: 'db2', source: true, replica: false })
    const state = 'SELECT @@GLOBAL.rpl_semi_sync_master_enabled + 0, @@GLOBAL.rpl_semi_sync_slave_enabled + 0'
    expect(Object.values((await db2.sql(state))[0] ?? {})).to.deep.equal([1, 0])
    await twice({ type: 'set-semi-sync', server: 'db2', source: false, replica: false })
    await twice({ type: 'set-events', server: 'db2', on: true })
    expect(await db2.value('SELECT @@GLOBAL.event_scheduler')).to.equal('ON')
    await twice({ type: 'set-events', server: 'db2', on: false })
  })

  it('promotes a replica and records the crash with what it had at that moment', async () => {
    await db1.sql('INSERT INTO app.t VALUES (10)')
    await caughtUp(db1, db2)
    const binlog = await db1.value('SHOW MASTER STATUS')
    const record = crash()
    await effects.run({ type: 'stop-receiving', server: 'db2' })
    await effects.run({ type: 'apply-received', server: 'db2' })
    await effects.run({ type: 'promote', server: 'db2' })
    expect(await db2.sql('SHOW SLAVE STATUS')).to.deep.equal([])
    await effects.run({ type: 'make-writable', server: 'db2' })
    const position = await db2.value('SELECT @@GLOBAL.gtid_current_pos')
    await twice({ type: 'mark-primary', server: 'db2' })
    expect(await db2.value('SELECT @@GLOBAL.gtid_current_pos')).to.not.equal(position)
    await twice({ type: 'record-crash', crash: record })
    const [completed] = effects.crashes
    expect(completed).to.include({ receivedText: position, oldFile: binlog, inSync: true })
    expect(completed?.oldPosition).to.be.above(4)
    expect(completed?.newFile).to.match(/^bin\.\d+$/)
    expect(effects.crashes[1]).to.deep.equal(completed)
    const [file = ''] = (await readdir(effects.directory)).filter((name) => name.startsWith('failover.'))
    expect(JSON.parse(await readFile(path.join(effects.directory, file), 'utf8'))).to.deep.equal(completed)
    await twice({ type: 'promote', server: 'db2' })
  })

  it('demotes a primary: what it wrote itself counts as replicated', async () => {
    await db1.sql('SET GLOBAL read_only = 1')
    await twice({ type: 'repoint', server: 'db1', source: 'db2', demote: true })
    await db2.sql('INSERT INTO app.t VALUES (11)')
    await caughtUp(db2, db1)
    expect(await db1.value('SELECT COUNT(*) FROM app.t WHERE id = 11')).to.equal('1')
  })

  it('refuses what it does not know and never throws', async () => {
    const stranger = await perform({ type: 'make-writable', server: 'db9' })
    expect(stranger).to.have.nested.property('failure.code', 'unknown-server')
    const broken = await testEffects(databases.nodes, {
      reprobe: () => {
        throw new Error('broken')
      },
    })
    const result = await perform({ type: 'reprobe', candidate: 'db2' }, broken)
    broken.close()
    expect(result).to.have.nested.property('failure.code', 'internal')
  })

  it('asks the owner again before acting', async () => {
    const asked: unknown[] = []
    const vetoing = await testEffects(databases.nodes, {
      reprobe: async (...given) => {
        asked.push(given[0])
        return given[0].frozen ? fail('vetoed', 'no longer') : ok('still')
      },
    })
    expect(await perform({ type: 'reprobe', candidate: 'db2' }, vetoing)).to.deep.equal(ok('still'))
    expect(await perform({ type: 'reprobe', candidate: 'db2', frozen: true }, vetoing)).to.have.property('ok', false)
    vetoing.close()
    expect(asked).to.deep.equal([
      { type: 'reprobe', candidate: 'db2' },
      { type: 'reprobe', candidate: 'db2', frozen: true },
    ])
  })

  it('runs scripts with their arguments and logs what they say', async () => {
    await effects.run({ type: 'run-script', script: '/bin/echo', args: ['old', 'new'] })
    expect(effects.log).to.include('/bin/echo: old new')
    expect(await perform({ type: 'run-script', script: '/bin/false', args: [] })).to.have.property('ok', false)
    await effects.run({ type: 'run-script', script: '', args: [] })
  })

  it('notifies all proxies, and names the one that fails', async () => {
    const targets: unknown[] = []
    const proxy = (name: string, answers: boolean) => ({
      id: name,
      name,
      kind: 'fake',
      read: () => Promise.reject(new Error('not read')),
      apply: (target: unknown) => {
        targets.push(target)
        return answers ? Promise.resolve(ok(undefined)) : new Promise<never>(() => undefined)
      },
      close: async () => undefined,
    })
    const routed = await testEffects(databases.nodes, {
      proxies: () => [proxy('lb1', true), proxy('lb2', false)],
      proxyTarget: (primary) => ({ readers: [{ id: primary ?? 'none', host: 'h', port: 1, state: 'ready' }] }),
    })
    const result = await perform({ type: 'route-writes', primary: 'db2', timeoutMs: 100 }, routed)
    routed.close()
    expect(result).to.deep.equal(fail('proxy-failed', 'lb2 has not answered in time'))
    expect(targets).to.have.length(2)
  })
})
