// ProxySQL through its administration: a stand-in that keeps state and refuses what the real one refuses.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import { createProxysql, type ProxysqlConfig } from '../../../../lib/proxy/proxysql/index.js'
import { type ProxysqlStandIn, startProxysql } from '../../../support/proxies/proxysql.js'

type State = ProxyTarget['readers'][number]['state']

const signal = () => AbortSignal.timeout(30_000)
const login = { user: 'admin', password: "it's \\ secret" }

/** Three databases; the first `states` are those of db1, db2, db3. */
const target = (primary: string | undefined, ...states: readonly State[]): ProxyTarget => ({
  ...(primary ? { primary: { id: primary, host: primary, port: 3306 } } : {}),
  readers: ['db1', 'db2', 'db3'].map((id, index) => ({ id, host: id, port: 3306, state: states[index] ?? 'ready' })),
})

describe('createProxysql', () => {
  let standIn: ProxysqlStandIn
  let config: ProxysqlConfig

  beforeEach(async () => {
    standIn = await startProxysql(login)
    config = {
      ...{ id: 'px1', name: 'lb1', host: '127.0.0.1', port: standIn.port, ...login, timeoutMs: 20_000 },
      groups: { writer: 10, reader: 20, own: true, maxConnections: 500, maxLagSeconds: 30, compression: false },
      ...{
        extras: { pair: false, variables: false, multiplexing: false },
        save: false,
        rules: true,
        users: true,
        makeRules: false,
        fillMs: 20_000,
      },
    }
  })
  afterEach(() => standIn.stop())

  const apply = (wanted: ProxyTarget, change: Partial<ProxysqlConfig> = {}) =>
    createProxysql({ ...config, ...change }).apply(wanted, signal())
  const theirs = () => ({ groups: { ...config.groups, own: false } })

  it('is filled with the servers of the cluster: the primary writes, the others read', async () => {
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.runtime(10)).to.deep.equal(['db1:3306 ONLINE'])
    expect(standIn.runtime(20)).to.deep.equal(['db2:3306 ONLINE', 'db3:3306 ONLINE'])
    expect(standIn.tables.rows('mysql_servers')[0]).to.include({
      max_connections: '500',
      max_replication_lag: '30',
      weight: '1',
    })
  })

  it('gets no statement when nothing differs', async () => {
    unwrap(await apply(target('db1', 'drain')))
    const before = standIn.statements.length
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.statements.slice(before).every((sql) => sql.startsWith('SELECT'))).to.equal(true)
  })

  it('takes no writes while no server may, and those of the next primary afterwards', async () => {
    unwrap(await apply(target('db1', 'drain')))
    unwrap(await apply(target(undefined, 'drain')))
    expect(standIn.runtime(10)).to.deep.equal(['db1:3306 OFFLINE_HARD'])
    unwrap(await apply(target('db2', 'ready', 'drain')))
    expect(standIn.runtime(10)).to.deep.equal(['db2:3306 ONLINE'])
    expect(standIn.runtime(20)).to.deep.equal(['db1:3306 ONLINE', 'db3:3306 ONLINE'])
  })

  it('closes readers softly in maintenance and while they are broken, and opens them again', async () => {
    unwrap(await apply(target('db1', 'drain', 'maint', 'drain')))
    expect(standIn.runtime(20)).to.deep.equal(['db2:3306 OFFLINE_SOFT', 'db3:3306 OFFLINE_SOFT'])
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.runtime(20)).to.deep.equal(['db2:3306 ONLINE', 'db3:3306 ONLINE'])
  })

  it('leaves closed what an operator closed, with its words', async () => {
    standIn.given({ hostgroup_id: 20, hostname: 'db2', status: 'OFFLINE_SOFT', comment: "Ada''s \\ disk" })
    unwrap(await apply(target('db1', 'drain', 'maint')))
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.runtime(20)).to.deep.equal(['db2:3306 OFFLINE_SOFT', 'db3:3306 ONLINE'])
    const [row] = standIn.tables.rows('mysql_servers').filter(({ hostname }) => hostname === 'db2')
    expect(row?.comment).to.equal("Ada's \\ disk")
  })

  it('keeps the words of an operator through a maintenance', async () => {
    standIn.given({ hostgroup_id: 20, hostname: 'db2', comment: "Ada''s" })
    unwrap(await apply(target('db1', 'drain', 'maint')))
    unwrap(await apply(target('db1', 'drain')))
    const [row] = standIn.tables.rows('mysql_servers').filter(({ hostname }) => hostname === 'db2')
    expect(row).to.include({ comment: "Ada's", status: 'ONLINE' })
  })

  it('removes foreign servers from its groups', async () => {
    standIn.given({ hostgroup_id: 10, hostname: 'old' }, { hostgroup_id: 20, hostname: 'old' })
    unwrap(await apply(target('db1', 'drain')))
    expect([...standIn.runtime(10), ...standIn.runtime(20)].join()).not.to.include('old')
  })

  it('moves nothing but the writer, and sets maintenance, where the groups are the operator’s', async () => {
    standIn.given(
      ...[
        { hostgroup_id: 10, hostname: 'db1' },
        { hostgroup_id: 10, hostname: 'other' },
      ],
      ...[
        { hostgroup_id: 20, hostname: 'db2' },
        { hostgroup_id: 20, hostname: 'other' },
      ],
    )
    unwrap(await apply(target('db3', 'drain', 'maint', 'drain'), theirs()))
    expect(standIn.runtime(10)).to.deep.equal(['db3:3306 ONLINE', 'other:3306 ONLINE'])
    expect(standIn.runtime(20)).to.deep.equal(['db2:3306 OFFLINE_SOFT', 'other:3306 ONLINE'])
    unwrap(await apply(target('db3', 'drain', 'drain', 'drain'), theirs()))
    expect(standIn.runtime(20)).to.deep.equal(['db2:3306 ONLINE', 'other:3306 ONLINE'])
  })

  it('treats one that ProxySQL shuns as one that is used', async () => {
    unwrap(await apply(target('db1', 'drain')))
    const rows = standIn.tables.rows('runtime_mysql_servers')
    standIn.tables.replace(
      'runtime_mysql_servers',
      rows.map((row) => (row.hostname === 'db2' ? { ...row, status: 'SHUNNED' } : row)),
    )
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.runtime(20)).to.include('db2:3306 SHUNNED')
  })

  it('loads what is configured rightly and done otherwise', async () => {
    unwrap(await apply(target('db1', 'drain')))
    standIn.tables.replace('runtime_mysql_servers', [])
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.runtime(10)).to.deep.equal(['db1:3306 ONLINE'])
  })

  it('names what still differs', async () => {
    standIn.deaf = true
    expect(await apply(target('db1', 'drain'))).to.have.nested.property(
      'failure.message',
      'lb1: writer db1:3306 (group 10) is absent instead of ONLINE; reader db2:3306 (group 20) is absent instead of ' +
        'ONLINE; reader db3:3306 (group 20) is absent instead of ONLINE',
    )
  })

  it('saves to its disk where that is configured', async () => {
    unwrap(await apply(target('db1', 'drain')))
    expect(standIn.saved).to.deep.equal([])
    unwrap(await apply(target('db2', 'ready', 'drain'), { save: true }))
    expect(standIn.saved).to.have.length(3)
  })

  it('saves what a manager wrote that was killed before it saved', async () => {
    unwrap(await apply(target('db1', 'drain'), { save: true }))
    unwrap(await apply(target('db2', 'ready', 'drain')))
    const writer = () => standIn.saved.find(({ hostgroup_id }) => hostgroup_id === '10')?.hostname
    expect(writer()).to.equal('db1')
    unwrap(await apply(target('db2', 'ready', 'drain'), { save: true }))
    expect(writer()).to.equal('db2')
    const before = standIn.statements.length
    unwrap(await apply(target('db2', 'ready', 'drain'), { save: true }))
    expect(standIn.statements.slice(before).every((sql) => sql.startsWith('SELECT'))).to.equal(true)
  })

  it('loads the pair and the variables that a manager wrote that was killed before it loaded them', async () => {
    const extras = { pair: true, variables: true, multiplexing: false }
    unwrap(await apply(target('db1', 'drain'), { extras, save: true }))
    standIn.tables.replace('runtime_mysql_replication_hostgroups', [])
    standIn.tables.run("UPDATE global_variables SET variable_value='true' WHERE variable_name='mysql-multiplexing'")
    unwrap(await apply(target('db1', 'drain'), { extras: { ...extras, multiplexing: true }, save: true }))
    expect(standIn.tables.rows('runtime_mysql_replication_hostgroups')).to.have.length(1)
    const counts = standIn.tables
      .rows('runtime_global_variables')
      .find(({ variable_name }) => variable_name === 'mysql-multiplexing')
    expect(counts?.variable_value).to.equal('true')
    expect(standIn.savedVariables).to.deep.include({ variable_name: 'mysql-multiplexing', variable_value: 'true' })
  })

  it('says that only the pair of groups is not as wanted, when nothing else is', async () => {
    const extras = { pair: true, variables: false, multiplexing: false }
    const groups = { ...config.groups, writer: -1, own: false }
    const refused = await apply({ readers: [] }, { extras, groups })
    expect(refused)
      .to.have.nested.property('failure.message')
      .that.matches(/^lb1: its servers are configured, its pair of groups/)
  })

  it('is given its pair of groups, whether the writer reads and sessions are shared, where that is configured', async () => {
    const extras = { pair: true, variables: true, multiplexing: false }
    const value = (name: string) =>
      standIn.tables.rows('runtime_global_variables').find(({ variable_name }) => variable_name === name)
        ?.variable_value
    unwrap(await apply(target('db1', 'drain'), { extras }))
    expect(standIn.tables.rows('runtime_mysql_replication_hostgroups')).to.have.length(1)
    expect(value('mysql-monitor_writer_is_also_reader')).to.equal('false')
    expect(value('mysql-multiplexing')).to.equal('false')
    const before = standIn.statements.length
    unwrap(await apply(target('db1', 'drain'), { extras }))
    expect(standIn.statements.slice(before).every((sql) => sql.startsWith('SELECT'))).to.equal(true)
  })

  it('is read: version, counts of its backends, query rules', async () => {
    unwrap(await apply(target('db1', 'drain', 'maint')))
    standIn.tables.run(
      "INSERT INTO mysql_query_rules (rule_id, active, match_digest, destination_hostgroup, apply) VALUES (1, 1, '^SELECT', 20, 1)",
    )
    standIn.tables.replace('runtime_mysql_query_rules', standIn.tables.rows('mysql_query_rules'))
    const reading = await createProxysql(config).read(signal())
    expect(reading).to.include({ id: 'px1', kind: 'proxysql', alive: true, version: '2.5.5-10-g195bd70' })
    expect(reading.backends[0]).to.deep.equal({
      ...{ host: 'db1', port: 3306, state: 'ONLINE', group: 'write', connections: 3 },
      ...{ bytesIn: 1_200, bytesOut: 3_400, latencyMs: 0.25 },
    })
    expect(reading.backends.map(({ host, group, state }) => `${host} ${group} ${state}`).slice(1)).to.deep.equal([
      'db2 read OFFLINE_SOFT',
      'db3 read ONLINE',
    ])
    expect(reading.rules).to.deep.equal([{ id: 1, active: true, matchDigest: '^SELECT', hostgroup: 20 }])
    const { rules } = await createProxysql({ ...config, rules: false }).read(signal())
    expect(rules).to.equal(undefined)
  })

  for (const [what, prepare, change, words] of [
    ['never answers', () => (standIn.mood = 'hung'), { timeoutMs: 100 }, /no login within 100 ms/],
    ['refuses the login', () => undefined, { password: 'wrong' }, /Access denied for user 'admin'/],
    ['dies in the middle of an answer', () => (standIn.mood = 'dying'), {}, /connection lost/],
    ['speaks no protocol', () => (standIn.mood = 'garbage'), {}, /127\.0\.0\.1/],
    [
      'is gone',
      () =>
        standIn
          .stop()
          .then(() => standIn.start())
          .then(() => undefined),
      { port: 1 },
      /ECONNREFUSED/,
    ],
  ] as const)
    it(`is not alive, takes nothing and says why, when it ${what}`, async () => {
      await prepare()
      const proxy = createProxysql({ ...config, ...change })
      const reading = await proxy.read(signal())
      expect(reading).to.include({ alive: false, version: '' })
      expect(reading.error).to.match(words)
      const applied = await proxy.apply(target('db1'), signal())
      expect(applied).to.have.nested.property('failure.code', 'proxy-failed')
      expect(standIn.runtime(10)).to.deep.equal([])
      const renewal = { logins: [{ user: 'monitor', password: 'new' }], servers: [] }
      expect(await proxy.renewLogin?.(renewal, signal())).to.have.nested.property('failure.code', 'proxy-failed')
      expect(standIn.monitor()).to.equal('monitor:monitor')
    })

  describe('when passwords are rotated', () => {
    const renew = async (password: string, change: Partial<ProxysqlConfig> = {}) => {
      const logins = [
        { user: 'repl', password: 'of replicas' },
        { user: 'monitor', password },
      ]
      const renewed = await createProxysql({ ...config, ...change }).renewLogin?.({ logins, servers: [] }, signal())
      if (!renewed) throw new Error('it takes new passwords')
      return renewed
    }
    const written = () => standIn.statements.filter((sql) => !sql.startsWith('SELECT'))

    it('monitors its servers with the new one, and gets it once', async () => {
      unwrap(await renew("it's \\ new"))
      expect(standIn.monitor()).to.equal("monitor:it's \\ new")
      expect(standIn.savedVariables).to.deep.equal([])
      const before = written().length
      unwrap(await renew("it's \\ new"))
      expect(written()).to.have.length(before)
    })

    it('writes it to its disk where it is to, also when a manager was killed before it came to that', async () => {
      unwrap(await renew('new'))
      unwrap(await renew('new', { save: true }))
      expect(standIn.savedVariables).to.deep.include({
        ...{ variable_name: 'mysql-monitor_password', variable_value: 'new' },
      })
    })

    it('starts again with the new one where nothing is to be saved, and without what an operator only prepared', async () => {
      const cell = (name: string) =>
        standIn.savedVariables.find(({ variable_name }) => variable_name === name)?.variable_value
      standIn.tables.replace('disk.global_variables', standIn.tables.rows('global_variables'))
      standIn.tables.run("UPDATE global_variables SET variable_value='false' WHERE variable_name='mysql-multiplexing'")
      unwrap(await renew("it's \\ new"))
      expect(cell('mysql-monitor_password')).to.equal("it's \\ new")
      expect(cell('mysql-multiplexing')).to.equal('true')
      const before = written().length
      unwrap(await renew("it's \\ new"))
      expect(written()).to.have.length(before)
      await standIn.restart()
      expect(standIn.monitor()).to.equal("monitor:it's \\ new")
    })

    it('leaves a disk on which it monitors with another account as it is', async () => {
      const watcher = standIn.tables
        .rows('global_variables')
        .map((row) => (row.variable_name === 'mysql-monitor_username' ? { ...row, variable_value: 'watcher' } : row))
      standIn.tables.replace('disk.global_variables', watcher)
      unwrap(await renew('new'))
      expect(standIn.savedVariables).to.deep.equal(watcher)
    })

    it('loads what was changed but not loaded', async () => {
      standIn.tables.run(
        "UPDATE global_variables SET variable_value='new' WHERE variable_name='mysql-monitor_password'",
      )
      unwrap(await renew('new'))
      expect(standIn.monitor()).to.equal('monitor:new')
    })

    it('keeps its other account', async () => {
      const user = { variable_name: 'mysql-monitor_username', variable_value: 'watcher' }
      standIn.tables.replace('runtime_global_variables', [user])
      unwrap(await renew('new', { save: true }))
      expect(written()).to.deep.equal([])
    })

    it('says that it did not take it, without the password', async () => {
      standIn.deaf = true
      const renewed = await renew('top-secret')
      expect(renewed).to.have.nested.property('failure.code', 'proxy-failed')
      expect(JSON.stringify(renewed)).to.contain('mysql-monitor_password').and.not.contain('top-secret')
    })
  })

  it('is aborted at once when its caller no longer waits', async () => {
    standIn.mood = 'hung'
    const ending = new AbortController()
    ending.abort()
    expect(await createProxysql(config).apply(target('db1'), ending.signal)).to.have.nested.property(
      'failure.code',
      'proxy-failed',
    )
  })
})

describe('ProxysqlStandIn', () => {
  let standIn: ProxysqlStandIn

  before(async () => {
    standIn = await startProxysql(login)
  })
  after(() => standIn.stop())

  const ask = async (sql: string) => {
    const session = unwrap(
      await openSession({ host: '127.0.0.1', port: standIn.port, ...login, connectTimeoutMs: 20_000, bare: true }),
    )
    const answer = await session.run(sql, [], 20_000)
    session.close()
    return answer.ok ? answer.value : answer.failure.message.replace(/^.*?: error /, '')
  }

  for (const [sql, refusal] of [
    ["SET SESSION sql_mode=''", "1045: ProxySQL Admin Error: ERROR: Unknown global variable: 'sql_mode'."],
    ['SHOW SLAVE STATUS', '1045: ProxySQL Admin Error: near "SHOW": syntax error'],
    ['SELECT hostname FROM servers', '1045: ProxySQL Admin Error: no such table: servers'],
    ['SELECT host FROM mysql_servers', '1045: ProxySQL Admin Error: no such column: host'],
    [
      "INSERT INTO mysql_servers (hostname, status) VALUES ('a', 'AWAY')",
      '1045: ProxySQL Admin Error: CHECK constraint failed: mysql_servers',
    ],
    [
      'INSERT INTO mysql_servers (port) VALUES (1)',
      '1045: ProxySQL Admin Error: NOT NULL constraint failed: mysql_servers.hostname',
    ],
  ] as const)
    it(`refuses ${sql}`, async () => expect(await ask(sql)).to.equal(refusal))

  it('refuses a second row of the same server in the same group, and a quote that a backslash would hide', async () => {
    const insert = "INSERT INTO mysql_servers (hostname) VALUES ('a')"
    expect(await ask(insert)).to.deep.equal([[]])
    expect(await ask(insert)).to.match(/UNIQUE constraint failed: mysql_servers.hostgroup_id, mysql_servers.hostname/)
    expect(await ask("INSERT INTO mysql_servers (hostname) VALUES ('it\\'s')")).to.match(/syntax error/)
  })

  it('runs the first of several statements only', async () => {
    expect(
      await ask("INSERT INTO mysql_servers (hostname) VALUES ('b'); INSERT INTO mysql_servers (hostname) VALUES ('c')"),
    ).to.deep.equal([[]])
    expect(standIn.tables.rows('mysql_servers').map(({ hostname }) => hostname))
      .to.include('b')
      .and.not.include('c')
  })
})
