// The users of the databases in ProxySQL: filled, kept right, taken away, and what an operator did left alone.
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { nativePassword } from '../../../../lib/dialect/index.js'
import type { DatabaseAccount } from '../../../../lib/model/server/database-account.js'
import { createProxysql, type ProxysqlConfig } from '../../../../lib/proxy/proxysql/index.js'
import { type ProxysqlStandIn, startProxysql } from '../../../support/proxies/proxysql.js'

const login = { user: 'admin', password: 'secret' }
const sha2 = "$A$005$;'\\\n"
const [old, fresh] = [nativePassword('old'), nativePassword('new')]

const account = (user: string, text: string, change: Partial<DatabaseAccount> = {}): DatabaseAccount => ({
  ...{ user, host: '%', tls: 'none', locked: false },
  ways: [{ plugin: text.startsWith('$A$') ? 'caching_sha2_password' : 'mysql_native_password', text }],
  ...change,
})

describe('the users of ProxySQL', () => {
  let standIn: ProxysqlStandIn
  let config: ProxysqlConfig

  beforeEach(async () => {
    standIn = await startProxysql(login)
    config = {
      ...{ id: 'px1', name: 'lb1', host: '127.0.0.1', port: standIn.port, ...login, timeoutMs: 20_000, fillMs: 20_000 },
      groups: { writer: 10, reader: 20, own: false, maxConnections: 500, maxLagSeconds: 30, compression: false },
      ...{
        extras: { pair: false, variables: false, multiplexing: false },
        save: false,
        rules: true,
        users: true,
        makeRules: false,
      },
    }
  })
  afterEach(() => standIn.stop())

  const filled = (accounts: readonly DatabaseAccount[], change: Partial<ProxysqlConfig> = {}) => {
    const { fillUsers } = createProxysql({ ...config, ...change })
    if (!fillUsers) throw new Error('it takes users')
    return fillUsers({ accounts, own: ['monitor'] }, AbortSignal.timeout(30_000))
  }
  const fill = async (...accounts: readonly DatabaseAccount[]) =>
    unwrap(await filled(accounts)).map(({ code, detail }) => `${code} ${detail}`)
  const given = (columns: string, values: string) =>
    standIn.tables.run(`INSERT INTO mysql_users (${columns}) VALUES (${values})`)
  const written = (since = 0) => standIn.statements.slice(since).filter((sql) => !sql.startsWith('SELECT'))
  const isNew = (version: string) =>
    standIn.tables.run(`UPDATE global_variables SET variable_value='${version}' WHERE variable_name='admin-version'`)

  it('are those of the databases, admitted by the same passwords', async () => {
    expect(await fill(account("o'hara", old), account('app', fresh, { tls: 'any' }))).to.deep.equal([])
    expect(standIn.users()).to.deep.equal([`app ${fresh}`, `o'hara ${old}`])
    const [, row] = standIn.tables.rows('mysql_users')
    expect(row).to.include({ default_hostgroup: '10', use_ssl: '1', transaction_persistent: '1' })
  })

  it('are written once', async () => {
    await fill(account('app', old))
    const since = standIn.statements.length
    await fill(account('app', old))
    expect(written(since)).to.deep.equal([])
  })

  it('follow a password, and go with their account', async () => {
    await fill(account('app', old), account('batch', old))
    await fill(account('app', fresh))
    expect(standIn.users()).to.deep.equal([`app ${fresh}`])
  })

  it('go when they are locked, and are left while it is not clear which password is theirs', async () => {
    await fill(account('app', old), account('batch', old))
    const twofold = [account('batch', old), account('batch', fresh, { host: 'b' })]
    expect(await fill(account('app', old, { locked: true }), ...twofold)).to.deep.equal([
      'ERR00057 batch has different passwords for the hosts %, b',
    ])
    expect(standIn.users()).to.deep.equal([`batch ${old}`])
  })

  it('are no accounts of the manager, unless an operator added them', async () => {
    await fill(account('monitor', old))
    expect(standIn.users()).to.deep.equal([])
    given('username, password, default_hostgroup', `'monitor', '${old}', 10`)
    await fill(account('monitor', fresh))
    expect(standIn.users()).to.deep.equal([`monitor ${fresh}`])
  })

  describe('that an operator added', () => {
    it('keep everything but a password that is none of theirs any more', async () => {
      given('username, password, default_hostgroup, fast_forward, comment', `'app', 'old', 20, 1, 'Ada'`)
      await fill(account('app', old))
      expect(standIn.tables.rows('mysql_users')[0]).to.include({ password: 'old', comment: 'Ada' })
      await fill(account('app', fresh))
      const row = { password: fresh, comment: 'Ada', fast_forward: '1', default_hostgroup: '20' }
      expect(standIn.tables.rows('mysql_users')[0]).to.include(row)
      await fill(account('other', fresh))
      expect(standIn.users()).to.include(`app ${fresh}`)
    })

    it('are loaded where they are not in force', async () => {
      given('username, password, default_hostgroup', `'app', 'old', 10`)
      await fill(account('app', old))
      expect(standIn.users()).to.deep.equal([`app ${old}`])
    })

    it('stay switched off, and stay two where they are two', async () => {
      given('username, password, default_hostgroup, active', `'app', 'old', 10, 0`)
      given('username, password, default_hostgroup, backend', `'batch', 'front', 10, 0`)
      given('username, password, default_hostgroup, frontend', `'batch', 'back', 10, 0`)
      await fill(account('app', fresh), account('batch', fresh))
      expect(written()).to.deep.equal([])
    })

    it('stay as they are for groups of others', async () => {
      given('username, password, default_hostgroup', `'app', 'old', 70`)
      const detail = 'ERR00054 app is configured there for group 70 with another password'
      expect(await fill(account('app', fresh))).to.deep.equal([detail])
      expect(await fill(account('app', old))).to.deep.equal([])
      expect(written()).to.deep.equal([])
    })

    it('do for those whom ProxySQL cannot admit otherwise', async () => {
      const way = { ways: [{ plugin: 'ed25519', text: 'Zm9v' }] }
      expect(await fill(account('app', '', way))).to.deep.equal(['ERR00054 app logs in by ed25519'])
      given('username, password, default_hostgroup', `'app', 'old', 10`)
      expect(await fill(account('app', '', way))).to.deep.equal([])
    })
  })

  it('are admitted by what caching_sha2_password keeps from 2.6 on', async () => {
    expect(await fill(account('app', sha2))).to.deep.equal(['ERR00054 app logs in by caching_sha2_password'])
    isNew('2.6.0-2-gcbd8c11')
    expect(await fill(account('app', sha2))).to.deep.equal([])
    expect(standIn.users()).to.deep.equal([`app ${sha2}`])
    const since = standIn.statements.length
    await fill(account('app', sha2))
    expect(written(since)).to.deep.equal([])
  })

  it('keep a password in clear that cannot be compared with the salted one', async () => {
    isNew('2.6.0')
    given('username, password, default_hostgroup', `'app', 'old', 10`)
    await fill(account('app', sha2))
    expect(standIn.users()).to.deep.equal([`app ${old}`])
  })

  it('are written to its disk where that is configured', async () => {
    unwrap(await filled([account('app', old)]))
    expect(standIn.savedUsers).to.deep.equal([])
    unwrap(await filled([account('app', fresh)], { save: true }))
    expect(standIn.savedUsers[0]).to.include({ username: 'app', password: fresh })
  })

  it('come right after a manager was killed in between', async () => {
    await fill(account('app', old), account('batch', old))
    standIn.tables.run("DELETE FROM mysql_users WHERE username='batch'")
    standIn.tables.run(`UPDATE mysql_users SET password='${fresh}'`)
    await fill(account('app', fresh))
    expect(standIn.users()).to.deep.equal([`app ${fresh}`])
  })

  it('are named where it does not take them', async () => {
    await fill(account('app', old))
    standIn.deaf = true
    expect(await fill(account('batch', old))).to.deep.equal([
      'ERR00054 batch was configured there, but the proxy refuses its login',
      'ERR00054 app was removed but can still log in',
    ])
  })

  it('are not all taken away by databases that show none', async () => {
    await fill(account('app', old))
    expect(await filled([])).to.have.nested.property('failure.message', 'the databases show no account')
    expect(standIn.users()).to.deep.equal([`app ${old}`])
  })

  it('are not managed where that is disabled', () => {
    expect(createProxysql({ ...config, users: false })).not.to.have.property('fillUsers')
  })

  it('are not read where it does not answer', async () => {
    standIn.mood = 'hung'
    const answer = await filled([account('app', old)], { fillMs: 300 })
    expect(answer).to.have.nested.property('failure.code', 'proxy-failed')
  })
})
