// A login of the replication account on a real server: accepted, denied, or nothing that can be judged.
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { now } from '../../../lib/base/time.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { trySourceLogin } from '../../../lib/probe/source-login.js'
import { type Databases, type Node, startDatabases } from '../../support/databases/database.js'
import { type TestEffects, testEffects } from '../../support/databases/effects.js'
import { freePorts } from '../../support/machine/ports.js'

describe('trySourceLogin', () => {
  let databases: Databases
  let db1: Node
  let effects: TestEffects
  before(async () => {
    databases = await startDatabases({ count: 1 })
    const [first] = databases.nodes
    if (!first) throw new Error('it was started')
    db1 = first
    await db1.sql("CREATE USER 'fits'@'%' IDENTIFIED BY 'right'")
    await db1.sql("CREATE USER 'certified'@'%' IDENTIFIED BY 'right' REQUIRE X509")
    await db1.sql("CREATE USER 'subject'@'%' IDENTIFIED BY 'right' REQUIRE SUBJECT '/CN=replica'")
    await db1.sql("CREATE USER 'encrypted'@'%' IDENTIFIED BY 'right' REQUIRE SSL")
    await db1.sql("CREATE USER 'elsewhere'@'10.99.%' IDENTIFIED BY 'right'")
    // The more specific account decides.
    await db1.sql("CREATE USER 'both'@'%' IDENTIFIED BY 'right'")
    await db1.sql("CREATE USER 'both'@'127.0.0.1' IDENTIFIED BY 'right' REQUIRE X509")
  })
  after(async () => {
    effects?.close()
    await databases.teardown()
  })

  const attempt = async (user: string, draft: { password?: string; tls?: boolean; port?: number } = {}) => {
    const tried = await found(user, draft)
    return [tried.state, tried.unreached ? 'unreached' : tried.elsewhere ? 'elsewhere' : '']
  }

  const found = async (user: string, { password = 'right', tls = false, port = db1.port } = {}) => {
    const session = unwrap(await openSession(db1.target()))
    const tried = await trySourceLogin({
      ...{ target: { ...db1.target(), port }, login: { user, password, tls }, open: openSession, now },
      ask: ({ sql, values }) => session.run(sql, values, 5_000),
    })
    session.close()
    return tried
  }

  it('is accepted, or denied where replicas would be', async () => {
    expect(await attempt('fits')).to.deep.equal(['accepted', ''])
    expect(await attempt('fits', { password: 'wrong' })).to.deep.equal(['denied', ''])
    expect(await attempt('nobody')).to.deep.equal(['denied', ''])
  })

  for (const [worst, normal] of [
    ["init_connect='SELECT * FROM no.such'", "init_connect=''"],
    ['max_join_size=1, GLOBAL sql_big_selects=0', 'max_join_size=DEFAULT, GLOBAL sql_big_selects=1'],
    ['sql_select_limit=0', 'sql_select_limit=DEFAULT'],
  ] as const)
    it(`is denied where what a replica asks first fails: ${worst}`, async () => {
      await db1.sql(`SET GLOBAL ${worst}`)
      expect(await attempt('fits')).to.deep.equal(['denied', ''])
      await db1.sql(`SET GLOBAL ${normal}`)
      expect(await attempt('fits')).to.deep.equal(['accepted', ''])
    })

  it('shows nothing of an account for other addresses, or of one that asks for a certificate of replicas', async () => {
    expect(await attempt('elsewhere')).to.deep.equal(['unknown', 'elsewhere'])
    expect(await attempt('certified', { tls: true })).to.deep.equal(['unknown', ''])
  })

  for (const [user, requires, repair] of [
    ['certified', 'certificate', 'replication-ssl-cert'],
    ['subject', 'certificate', 'replication-ssl-cert'],
    ['both', 'certificate', 'replication-ssl-cert'],
    ['encrypted', 'tls', 'replication-use-ssl'],
  ] as const)
    it(`names what the account ${user} requires, and no statement on the account, as what helps`, async () => {
      const { state, message, ...rest } = await found(user)
      expect({ state, requires: rest.requires }).to.deep.equal({ state: 'unknown', requires })
      expect(message)
        .to.include('1045')
        .and.match(/the account requires .*; the manager/)
      expect(rest.repair).to.include(repair).and.not.include('ALTER USER')
    })

  it('shows whether the accounts of a name are the same, and nothing else of them', async () => {
    const digest = async () => (await found('certified')).accounts
    const before = await digest()
    expect(before).to.match(/^[0-9a-f]{64}$/)
    expect(await digest()).to.equal(before)
    await db1.sql("ALTER USER 'certified'@'%' IDENTIFIED BY 'another'")
    expect(await digest()).to.not.equal(before)
    await db1.sql("ALTER USER 'certified'@'%' IDENTIFIED BY 'right'")
    expect(await digest()).to.equal(before)
  })

  it('says that the server was not reached where it was not', async () => {
    expect(await attempt('fits', { port: 1 })).to.deep.equal(['unknown', 'unreached'])
  })

  it('ends a plan where it shows nothing, and none that passes that', async () => {
    const perform = async (
      user: string,
      { lenient = false, tls = false, shown }: { lenient?: boolean; tls?: boolean; shown?: string } = {},
    ) => {
      effects?.close()
      const replication = {
        user,
        password: 'right',
        heartbeatSeconds: 1,
        connectRetrySeconds: 1,
        tls,
        channel: '',
      }
      effects = await testEffects([db1], { settings: () => ({ replication, crashFilesKept: 5, binlogTool: '' }) })
      const passes = { ...(lenient ? { lenient: true as const } : {}), ...(shown ? { shown } : {}) }
      return effects.perform({ type: 'check-login', server: 'db1', ...passes }, new AbortController().signal)
    }
    const refused = await perform('certified', { tls: true })
    expect(refused.ok ? '' : refused.failure.code).to.equal('replication-login')
    expect(refused.ok ? '' : refused.failure.message)
      .to.include('cannot be judged')
      .and.include('1045')
    expect(await perform('certified', { tls: true, lenient: true })).to.have.property('ok', true)
    const { accounts: shown = '' } = await found('certified')
    expect(await perform('certified', { shown })).to.have.property('ok', true)
    expect(await perform('certified', { shown: 'others' })).to.have.property('ok', false)
    expect(await perform('elsewhere')).to.have.property('ok', true)
    expect(await perform('fits')).to.have.property('ok', true)
    expect(await perform('nobody', { lenient: true })).to.have.property('ok', false)
  })

  it('says of an address that is stated for the server whether it leads there, to another one, or cannot be judged', async () => {
    const others = await startDatabases({ count: 1 })
    const [other] = others.nodes
    const { instance } = effects.context.server(db1.name)?.dialect.identity ?? {}
    const session = unwrap(await openSession(db1.target()))
    const proof = async (address: string) => {
      const { over } = await trySourceLogin({
        ...{ target: db1.target(), open: openSession, now, ...(instance ? { instance } : {}) },
        login: { user: 'fits', password: 'right', tls: false, hosts: [`127.0.0.1=${address}`] },
        ask: ({ sql, values }) => session.run(sql, values, 5_000),
      })
      return over?.leads
    }
    expect(await proof(`localhost:${db1.port}`)).to.equal('there')
    expect(await proof(`localhost:${other?.port}`)).to.equal('elsewhere')
    const [closed] = await freePorts(1)
    expect(await proof(`localhost:${closed}`)).to.equal('unknown')
    expect(await proof('127.0.0.1')).to.equal(undefined)
    session.close()
    await others.teardown()
  })
})
