// Probes of real servers: the reading of each kind of availability and failure.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { MINUTE, now, SECOND } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { OpenSession } from '../../../lib/connect/sql/session.js'
import { textOf } from '../../../lib/model/server/named.js'
import type { Reading, ServerState } from '../../../lib/model/server/reading.js'
import { createProbe, type ServerProbe } from '../../../lib/probe/probe.js'
import { caughtUp, type Databases, type Node, replicate, startDatabases } from '../../support/databases/database.js'
import { eventually } from '../../support/wait.js'

const limitMs = 20_000
const stateOf = (reading: Reading): ServerState => {
  if (!reading.state) throw new Error(`${reading.observation}: ${reading.error?.message}`)
  return reading.state
}

const sleep = 'SELECT SLEEP(4)'
const sleepers = `SELECT COUNT(*) FROM information_schema.processlist WHERE info='${sleep}'`

/** Sessions on which reading the status takes four seconds: longer than a busy machine needs for a fast probe. */
const openHanging: OpenSession = async (target) => {
  const opened = await openSession(target)
  if (!opened.ok) return opened
  const run = opened.value.run.bind(opened.value)
  opened.value.run = (sql, values, timeoutMs) => run(sql.replace('SHOW GLOBAL STATUS', sleep), values, timeoutMs)
  return opened
}

describe('createProbe', () => {
  let databases: Databases
  let primary: Node
  let replica: Node
  const probes: ServerProbe[] = []
  const probe = (node: Node, onClosed: (reason: string) => void = () => undefined, clock = now) => {
    const made = createProbe({
      server: node.name,
      target: node.target('monitor'),
      replication: { user: 'repl', password: 'repl', tls: false },
      onClosed,
      now: clock,
    })
    probes.push(made)
    return made
  }
  const sessionsOf = (node: Node) =>
    node.value("SELECT COUNT(*) FROM information_schema.processlist WHERE user='monitor'")

  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'probe' })
    primary = databases.node(0)
    replica = databases.node(1)
    await replicate(primary, [replica], { semiSync: true })
    await primary.sql(
      'CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY); INSERT INTO shop.orders VALUES (1)',
    )
    await caughtUp(primary, replica)
  })
  afterEach(() => {
    for (const made of probes.splice(0)) made.close()
  })
  after(() => databases.teardown())

  it('shows the limit of sessions that the account has now, and not the one with which its session began', async () => {
    const one = probe(primary)
    const limitOf = async () => unwrap(await one.slow(limitMs)).sessionLimit
    const limitTo = (sessions: number) =>
      primary.sql(
        `SET SESSION sql_log_bin=0; ALTER USER monitor@'127.0.0.1' WITH MAX_USER_CONNECTIONS ${sessions}; SET SESSION sql_log_bin=1`,
      )
    expect(await limitOf()).to.equal(undefined)
    await limitTo(20)
    await one.tryFreshLogin(limitMs)
    expect(await limitOf()).to.equal(20)
    await limitTo(0)
    await one.tryFreshLogin(limitMs)
    expect(await limitOf()).to.equal(undefined)
  })

  it('finds within a minute, without being asked, that the password of its account was changed, and that it works again', async () => {
    const password = (of: string) =>
      primary.sql(
        `SET SESSION sql_log_bin=0; ALTER USER monitor@'127.0.0.1' IDENTIFIED BY '${of}'; SET SESSION sql_log_bin=1`,
      )
    const began = now()
    let passed = 0
    const one = probe(primary, undefined, () => began + passed)
    const loginOf = async () => unwrap(await one.slow(limitMs)).freshLogin
    expect(await loginOf()).to.have.property('state', 'accepted')
    await password('another')
    try {
      passed = 59 * SECOND
      expect(await loginOf(), 'not with each slow probe').to.have.property('state', 'accepted')
      passed = MINUTE
      expect(await loginOf())
        .to.include({ state: 'failed' })
        .and.have.property('message')
        .that.contains('1045')
      expect((await one.check(limitMs)).observation, 'the session that is kept').to.equal('answered')
    } finally {
      await password('monitor')
    }
    // One that failed is tried with every slow probe.
    expect(await loginOf()).to.have.property('state', 'accepted')
  })

  it('keeps its session when the time of a slow probe is over before a statement was sent', async () => {
    const reasons: string[] = []
    const one = probe(primary, (reason) => reasons.push(reason))
    await one.check(limitMs)
    const late = await one.slow(0)
    expect(late.ok ? 'in time' : late.failure.code).to.equal('sql-silent')
    expect((await one.check(limitMs)).observation).to.equal('answered')
    expect(reasons).to.deep.equal([])
  })

  it('reads a primary', async () => {
    const began = now()
    const reading = await probe(primary).check(limitMs)
    const state = stateOf(reading)
    expect(reading).to.deep.include({ server: 'probe1', observation: 'answered' })
    expect(reading.readMs, 'without the login').to.be.above(0).and.below(reading.tookMs)
    expect(reading.at).to.be.within(began, now())
    expect(state).to.deep.include({
      serverNumber: 1,
      readOnly: false,
      binlog: true,
      logReplicaUpdates: true,
      channels: [],
    })
    expect(state.identity.flavour).to.equal('mariadb')
    expect(state.identity.reserved).to.deep.equal({ port: primary.extraPort })
    expect(state.gtid).to.deep.include({ strict: true, executed: { 0: [[1, 3]] }, byOrigin: { '0-1': [[1, 3]] } })
    expect(state.semiSync).to.deep.include({
      sourceEnabled: true,
      sourceActive: true,
      clients: 1,
      waitPoint: 'after-sync',
    })
  })

  it('reads a replica', async () => {
    const state = stateOf(await probe(replica).check(limitMs))
    expect(state.readOnly).to.equal(true)
    expect(state.semiSync).to.deep.include({ sourceEnabled: false, replicaEnabled: true, replicaActive: true })
    const [channel] = state.channels
    expect(channel).to.deep.include({
      name: '',
      io: 'running',
      sql: 'running',
      lagSeconds: 0,
      usesGtid: true,
      received: { 0: [[1, 3]] },
      applied: { 0: [[1, 3]] },
      heartbeatPeriodSeconds: 0.5,
    })
    expect(channel?.source).to.deep.equal({ host: '127.0.0.1', port: primary.port, serverNumber: 1, user: 'repl' })
  })

  it('sees heartbeats and events arrive', async () => {
    const one = probe(replica)
    const first = stateOf(await one.check(limitMs)).channels[0]
    await eventually(async () => {
      const beats = stateOf(await one.check(limitMs)).channels[0]?.heartbeats ?? 0
      return beats > (first?.heartbeats ?? 0)
    }, 'a heartbeat arrives')
    await primary.sql('INSERT INTO shop.orders VALUES (2)')
    await caughtUp(primary, replica)
    expect(stateOf(await one.check(limitMs)).channels[0]?.receivedMark).to.not.equal(first?.receivedMark)
  })

  it('distinguishes received from applied transactions while the SQL thread is stopped', async () => {
    await replica.sql('STOP SLAVE SQL_THREAD')
    await primary.sql('INSERT INTO shop.orders VALUES (3)')
    const one = probe(replica)
    await eventually(async () => {
      const [channel] = stateOf(await one.check(limitMs)).channels
      return channel?.received[0]?.[0]?.[1] === 5
    }, 'the event is received')
    const [channel] = stateOf(await one.check(limitMs)).channels
    expect(channel).to.deep.include({ io: 'running', sql: 'stopped', applied: { 0: [[1, 4]] } })
    expect(channel).to.not.have.property('lagSeconds')
    await replica.sql('START SLAVE SQL_THREAD')
    await caughtUp(primary, replica)
  })

  it('names the error that broke the SQL thread', async () => {
    await replica.sql('SET sql_log_bin=0; INSERT INTO shop.orders VALUES (4); SET sql_log_bin=1')
    await primary.sql('INSERT INTO shop.orders VALUES (4)')
    const one = probe(replica)
    await eventually(async () => stateOf(await one.check(limitMs)).channels[0]?.sql === 'stopped', 'the thread breaks')
    const [channel] = stateOf(await one.check(limitMs)).channels
    expect(channel?.sqlError.code).to.equal(1062)
    expect(channel?.sqlError.message).to.contain('Duplicate entry')
    expect(channel?.io).to.equal('running')
    await replica.sql(
      'SET sql_log_bin=0; DELETE FROM shop.orders WHERE id=4; SET sql_log_bin=1; START SLAVE SQL_THREAD',
    )
    await caughtUp(primary, replica)
  })

  it('notices semi-sync being switched off', async () => {
    const one = probe(primary)
    await one.check(limitMs)
    await primary.sql('SET GLOBAL rpl_semi_sync_master_enabled=OFF')
    expect(stateOf(await one.check(limitMs)).semiSync).to.deep.include({ sourceEnabled: false, sourceActive: false })
    await primary.sql('SET GLOBAL rpl_semi_sync_master_enabled=ON')
  })

  it('answers the same state again but for the uptime, until something changes', async () => {
    const one = probe(primary)
    const withoutUptime = async () => ({ ...stateOf(await one.check(limitMs)), uptimeSeconds: 0 })
    await one.check(limitMs)
    const before = await withoutUptime()
    const after = await withoutUptime()
    for (const name of Object.keys(before) as (keyof ServerState)[]) expect(after[name], name).to.equal(before[name])
    await primary.sql('SET GLOBAL read_only=ON')
    expect(await withoutUptime()).to.deep.equal({ ...before, readOnly: true })
    await primary.sql('SET GLOBAL read_only=OFF')
    expect(await withoutUptime()).to.deep.equal(before)
  })

  it('keeps one session over many probes, fast and slow', async () => {
    await eventually(async () => (await sessionsOf(replica)) === '0', 'those of the tests before have ended')
    const one = probe(replica)
    for (let n = 0; n < 20; n += 1) await one.check(limitMs)
    unwrap(await one.slow(limitMs))
    expect(await sessionsOf(replica)).to.equal('1')
    one.close()
    await eventually(async () => (await sessionsOf(replica)) === '0', 'the session ends')
  })

  it('returns one reading to all concurrent callers', async () => {
    const one = probe(primary)
    const [first, second] = await Promise.all([one.check(limitMs), one.check(limitMs)])
    expect(first).to.equal(second)
  })

  it('reads variables, status, plugins, coordinates, dump threads and grants slowly', async () => {
    const reading = unwrap(await probe(primary).slow(limitMs))
    expect(reading.server).to.equal('probe1')
    expect(['port', 'server_id', 'log_bin'].map((name) => textOf(reading.variables, name))).to.deep.equal([
      String(primary.port),
      '1',
      'ON',
    ])
    expect(Number(textOf(reading.status, 'uptime'))).to.be.at.least(0)
    expect(reading.plugins.find(({ name }) => name === 'InnoDB')).to.include({
      status: 'ACTIVE',
      type: 'STORAGE ENGINE',
    })
    expect(reading.binlogFile).to.equal('bin.000001')
    expect(reading.binlogPosition).to.be.above(300)
    expect(reading.dumpThreads).to.equal(1)
    expect(reading.grants?.own.names).to.include('ALL PRIVILEGES')
    expect(reading.grants?.replication).to.deep.equal({ account: "'repl'@'127.0.0.1'", names: ['REPLICATION SLAVE'] })
  })

  it('leaves out what the account may not read', async () => {
    await primary.sql("SET sql_log_bin=0; CREATE USER poor@'127.0.0.1' IDENTIFIED BY 'poor'; SET sql_log_bin=1")
    const target = { ...primary.target(), user: 'poor', password: 'poor' }
    const one = createProbe({ server: 'poor', target })
    probes.push(one)
    const reading = unwrap(await one.slow(limitMs))
    expect(reading.binlogFile).to.equal('')
    expect(textOf(reading.variables, 'server_id')).to.equal('1')
    const refused = await one.check(limitMs)
    expect(refused.observation).to.equal('rejected')
    expect(refused.error?.message).to.contain('1227')
  })

  it('replaces a killed session within the same probe', async () => {
    const one = probe(primary)
    await one.check(limitMs)
    await primary.sql(`KILL USER monitor`)
    expect((await one.check(limitMs)).observation).to.equal('answered')
  })

  it('calls back when the persistent session is lost', async () => {
    const reason = new Promise<string>((resolve) => {
      void probe(primary, resolve)
        .check(limitMs)
        .then(() => primary.sql('KILL USER monitor'))
    })
    expect(await reason).to.be.a('string')
  })

  it('is not called back after its own end', async () => {
    const heard: string[] = []
    const one = probe(primary, (reason) => heard.push(reason))
    await one.check(limitMs)
    one.close()
    await eventually(async () => (await sessionsOf(primary)) === '0', 'the session ends')
    expect(heard).to.deep.equal([])
  })

  it('finds a wrong password rejected', async () => {
    const wrong = createProbe({ server: 'x', target: { ...primary.target('monitor'), password: 'wrong' } })
    const reading = await wrong.check(limitMs)
    expect(reading.observation).to.equal('rejected')
    expect(reading.error?.message).to.contain('1045')
  })

  it('goes on when all connections are taken, and is rejected without an existing session', async () => {
    const one = probe(primary)
    await one.check(limitMs)
    await eventually(async () => (await sessionsOf(primary)) === '1', 'those of the tests before have ended')
    await primary.sql('SET GLOBAL max_connections=10')
    const taken = await Promise.all(Array.from({ length: 12 }, () => openSession(primary.target('root'))))
    expect((await one.check(limitMs)).observation).to.equal('answered')
    const late = await probe(primary).check(limitMs)
    expect(late.observation).to.equal('rejected')
    expect(late.error?.message).to.contain('1040')
    for (const session of taken) if (session.ok) session.value.close()
    await primary.sql('SET GLOBAL max_connections=50')
  })

  it('reads a server that is far away: once logged in, it may take as long again as the login did, and more', async () => {
    const openLate: OpenSession = async (target) => {
      await primary.value('SELECT SLEEP(2)')
      return openSession({ ...target, connectTimeoutMs: limitMs })
    }
    const one = createProbe({ server: 'x', target: primary.target('monitor'), open: openLate })
    probes.push(one)
    expect(stateOf(await one.check(1)).readOnly).to.equal(false)
  })

  it('finds a hung server silent, each probe on a new connection, and reads it when it resumes', async () => {
    const one = probe(primary)
    await one.check(limitMs)
    primary.pause()
    for (let n = 0; n < 3; n += 1) {
      const reading = await one.check(100)
      expect(reading.observation).to.equal('silent')
      expect(reading.error?.code).to.equal('sql-silent')
    }
    primary.resume()
    expect((await one.check(limitMs)).observation).to.equal('answered')
  })

  it('probes on another connection while a slow statement hangs, and closes the one left behind', async () => {
    await eventually(async () => (await sessionsOf(primary)) === '0', 'those of the tests before have ended')
    const one = createProbe({ server: 'x', target: primary.target('monitor'), open: openHanging })
    probes.push(one)
    await one.check(limitMs)
    const slow = one.slow(limitMs)
    await eventually(async () => (await primary.value(sleepers)) === '1', 'the slow statement hangs')
    expect((await one.check(limitMs)).observation).to.equal('answered')
    expect(await sessionsOf(primary)).to.equal('2')
    expect((await slow).ok).to.equal(true)
    await eventually(async () => (await sessionsOf(primary)) === '1', 'one session is kept')
  })

  it('keeps nothing of a login that was tried with an account that has changed meanwhile', async () => {
    const { password = '' } = primary.target('monitor')
    const right = { user: 'monitor', password, tls: false }
    const one: ServerProbe = createProbe({
      server: 'x',
      target: primary.target('monitor'),
      open: async (target) => {
        const opened = await openSession(target)
        // The first login of the account that replicates was on its way when the setting was changed.
        if (tried) one.replicateWith({ ...right, password: 'wrong' })
        return opened
      },
    })
    let tried = false
    probes.push(one)
    await one.check(limitMs)
    one.replicateWith(right)
    tried = true
    const during = unwrap(await one.slow(limitMs))
    tried = false
    expect(during.sourceLogin).to.equal(undefined)
    expect(unwrap(await one.slow(limitMs)).sourceLogin?.state).to.equal('denied')
  })

  it('logs in with the account that replicates whenever it is asked to, whatever slow probes know', async () => {
    const { password = '' } = primary.target('monitor')
    const logins: number[] = []
    const one = createProbe({
      server: 'x',
      target: primary.target('monitor'),
      replication: { user: 'monitor', password, tls: false },
      open: async (target) => {
        const opened = await openSession(target)
        if (opened.ok) logins.push(opened.value.threadId)
        return opened
      },
    })
    probes.push(one)
    const first = unwrap(await one.slow(limitMs)).sourceLogin
    expect(first?.state).to.equal('accepted')
    const before = logins.length
    expect(unwrap(await one.slow(limitMs)).sourceLogin).to.equal(first)
    expect(logins).to.have.length(before)
    const tried = await one.tryLogin(limitMs)
    expect(tried?.state).to.equal('accepted')
    expect(logins).to.have.length(before + 1)
    expect(unwrap(await one.slow(limitMs)).sourceLogin).to.equal(tried)
    one.replicateWith({ user: '', password: '', tls: false })
    expect(await one.tryLogin(limitMs)).to.equal(undefined)
  })

  it('finds a killed server refused at once, and reads it again when it is back', async () => {
    const lost: string[] = []
    const one = probe(primary, (reason) => lost.push(reason))
    await one.check(limitMs)
    await primary.kill()
    await eventually(() => lost.length === 1, 'the loss is noticed')
    expect((await one.check(limitMs)).observation).to.equal('refused')
    primary.start()
    await primary.waitUp()
    const state = stateOf(await one.check(limitMs))
    expect(state.uptimeSeconds).to.be.below(30)
    expect(state.gtid.executed).to.have.property('0')
  })

  it('sees its source cut off on the replica', async () => {
    await primary.kill()
    const one = probe(replica)
    const channel = async () => stateOf(await one.check(limitMs)).channels[0]
    await eventually(async () => (await channel())?.io === 'connecting', 'the thread loses its source')
    await eventually(async () => ((await channel())?.ioError.code ?? 0) > 0, 'it was refused there')
    expect(await channel()).to.deep.include({ io: 'connecting', sql: 'running' })
  })
})
