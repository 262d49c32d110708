// The query rules of ProxySQL that split reads from writes: made, kept, and those of an operator left alone.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { createProxysql, type ProxysqlConfig } from '../../../../lib/proxy/proxysql/index.js'
import { type ProxysqlStandIn, startProxysql } from '../../../support/proxies/proxysql.js'

const login = { user: 'admin', password: 'secret' }
const locking = '^SELECT.*(FOR UPDATE|FOR SHARE|LOCK IN SHARE MODE)'
const split = [`${locking} 10`, '^SELECT 20']

describe('the query rules of ProxySQL', () => {
  let standIn: ProxysqlStandIn
  let config: ProxysqlConfig

  beforeEach(async () => {
    standIn = await startProxysql(login)
    config = {
      ...{ id: 'px1', name: 'lb1', host: '127.0.0.1', port: standIn.port, ...login, timeoutMs: 20_000, fillMs: 20_000 },
      groups: { writer: 10, reader: 20, own: false, maxConnections: 500, maxLagSeconds: 30, compression: false },
      extras: { pair: false, variables: false, multiplexing: false },
      ...{ save: false, rules: true, users: false, makeRules: true },
    }
  })
  afterEach(() => standIn.stop())

  const filled = (change: Partial<ProxysqlConfig> = {}) => {
    const { fillRules } = createProxysql({ ...config, ...change })
    if (!fillRules) throw new Error('it takes rules')
    return fillRules(AbortSignal.timeout(30_000))
  }
  const fill = async (change?: Partial<ProxysqlConfig>) =>
    unwrap(await filled(change)).map(({ code, detail }) => `${code} ${detail}`)
  const given = (columns: string, values: string) =>
    standIn.tables.run(`INSERT INTO mysql_query_rules (${columns}) VALUES (${values})`)
  const written = (since = 0) => standIn.statements.slice(since).filter((sql) => !sql.startsWith('SELECT'))

  it('send reads to the readers, unless they lock', async () => {
    expect(await fill()).to.deep.equal([])
    expect(standIn.rules()).to.deep.equal(split)
    expect(standIn.tables.rows('runtime_mysql_query_rules').every(({ apply }) => apply === '1')).to.equal(true)
  })

  it('are written once', async () => {
    await fill()
    const since = standIn.statements.length
    await fill()
    expect(written(since)).to.deep.equal([])
  })

  it('come behind those of an operator, also one that is made later', async () => {
    given('rule_id, active, match_digest, destination_hostgroup, apply', "7, 1, '^SELECT 1', 10, 1")
    await fill()
    expect(standIn.rules()).to.deep.equal(['^SELECT 1 10', ...split])
    given('rule_id, active, match_digest, destination_hostgroup, apply', "50, 1, '^SELECT 2', 10, 1")
    await fill()
    expect(standIn.rules()).to.deep.equal(['^SELECT 1 10', '^SELECT 2 10', ...split])
  })

  it('leave a pattern to the operator who has it', async () => {
    given('rule_id, active, match_digest, destination_hostgroup, apply', "7, 1, '^SELECT', 10, 1")
    await fill()
    expect(standIn.tables.rows('mysql_query_rules').map((row) => row.match_digest)).to.deep.equal(['^SELECT', locking])
  })

  it('take a pattern of one user for something else', async () => {
    given('rule_id, active, username, match_digest, destination_hostgroup, apply', "7, 1, 'ada', '^SELECT', 10, 1")
    await fill()
    expect(standIn.rules()).to.deep.equal(['^SELECT 10', ...split])
  })

  it('stay switched off', async () => {
    await fill()
    standIn.tables.run("UPDATE mysql_query_rules SET active=0 WHERE match_digest='^SELECT'")
    const since = standIn.statements.length
    await fill()
    expect(written(since)).to.deep.equal([])
  })

  it('follow the groups, and are corrected when an operator changed them', async () => {
    await fill()
    standIn.tables.run("UPDATE mysql_query_rules SET destination_hostgroup=30 WHERE match_digest='^SELECT'")
    await fill()
    expect(standIn.rules()).to.deep.equal(split)
    await fill({ groups: { ...config.groups, reader: 21 } })
    expect(standIn.rules()).to.deep.equal([split[0], '^SELECT 21'])
  })

  it('are not made where others come through, who are named', async () => {
    standIn.tables.run("INSERT INTO mysql_users (username, password, default_hostgroup) VALUES ('eve', 'x', 70)")
    expect(await fill()).to.deep.equal([
      'WARN0092 no query rule is created: eve of group 70 would be sent to this cluster, too',
    ])
    expect(written()).to.deep.equal([])
    standIn.tables.run('UPDATE mysql_users SET active=0')
    expect(await fill()).to.deep.equal([])
  })

  it('are written to its disk where that is configured', async () => {
    await fill({ save: true })
    expect(standIn.savedRules).to.have.length(2)
  })

  it('come into force after a manager was killed before they were loaded', async () => {
    await fill()
    standIn.tables.replace('runtime_mysql_query_rules', [])
    await fill()
    expect(standIn.rules()).to.deep.equal(split)
  })

  it('are named where it does not take them', async () => {
    standIn.deaf = true
    expect((await fill())[1]).to.equal('WARN0092 the rule that sends ^SELECT to group 20 was sent and not accepted')
  })

  it('are not managed where that is disabled', () => {
    expect(createProxysql({ ...config, makeRules: false })).not.to.have.property('fillRules')
  })

  it('are not created where it does not answer', async () => {
    standIn.mood = 'hung'
    expect(await filled({ fillMs: 300 })).to.have.nested.property('failure.code', 'proxy-failed')
  })
})
