// Who may come through a proxy, by the accounts of the databases.
import { expect } from 'chai'
import type { DatabaseAccount, LoginWay } from '../../../../lib/model/server/database-account.js'
import { proxyUsers } from '../../../../lib/proxy/kit/users.js'

const hash = (digit: string) => `*${digit.repeat(40)}`
const native = (digit: string): LoginWay => ({ plugin: 'mysql_native_password', text: hash(digit) })
const sha2 = { plugin: 'caching_sha2_password', text: "$A$005$sa'lt" }
const ed25519 = { plugin: 'ed25519', text: 'Zm9v' }

const account = (change: Partial<DatabaseAccount>): DatabaseAccount => ({
  ...{ user: 'app', host: '%', ways: [native('A')], tls: 'none', locked: false },
  ...change,
})
const of = (...accounts: readonly DatabaseAccount[]) => proxyUsers(accounts, ['native'])
const fit = { name: 'app', outcome: 'fit', hashes: [hash('A')], tls: false }

describe('proxyUsers', () => {
  it('takes accounts of one name for one user', () => {
    expect(of(account({}), account({ host: '10.0.0.%' }))).to.deep.equal([fit])
  })

  for (const [who, change] of [
    ['who come from the host itself only', { host: 'localhost' }],
    ['who come from its own address only', { host: '127.0.0.1' }],
    ['who come from its own IPv6 address only', { host: '::1' }],
    ['who are locked', { locked: true }],
    ['without a name', { user: '' }],
  ] as const)
    it(`leaves out those ${who}`, () => expect(of(account(change))).to.deep.equal([]))

  it('ignores an account of the host itself beside others of the name', () => {
    expect(of(account({ host: 'localhost', ways: [native('B')] }), account({}))).to.deep.equal([fit])
  })

  it('takes what opens all accounts of a name, the first one first', () => {
    const two = of(account({ ways: [native('A'), native('B')] }), account({ host: 'b', ways: [native('B')] }))
    expect(two).to.deep.equal([{ ...fit, hashes: [hash('B')] }])
    expect(of(account({ ways: [native('B'), native('A')] }))).to.deep.equal([
      { ...fit, hashes: [hash('B'), hash('A')] },
    ])
  })

  it('says who has other passwords from other hosts', () => {
    expect(of(account({}), account({ host: 'b', ways: [native('B')] }))).to.deep.equal([
      { name: 'app', outcome: 'twofold', reason: 'app has different passwords for the hosts %, b' },
    ])
  })

  for (const [reason, change] of [
    ['app logs in by ed25519', { ways: [ed25519] }],
    ['app logs in by ed25519 or by unix_socket', { ways: [ed25519, { plugin: 'unix_socket', text: '' }] }],
    ['app logs in by caching_sha2_password', { ways: [sha2] }],
    ['app logs in without a password', { ways: [{ plugin: 'mysql_native_password', text: '' }] }],
    ['app logs in by mysql_native_password', { ways: [{ plugin: 'mysql_native_password', text: 'invalid' }] }],
    ['app logs in with a client certificate', { tls: 'certificate' }],
  ] as const)
    it(`says that ${reason}`, () => {
      expect(of(account(change))).to.deep.equal([{ name: 'app', outcome: 'unfit', reason }])
    })

  it('takes the way that the proxy can take', () => {
    expect(of(account({ ways: [ed25519, native('A')] }))).to.deep.equal([fit])
    expect(proxyUsers([account({ ways: [sha2] })], ['native', 'caching-sha2'])).to.deep.equal([
      { ...fit, hashes: [sha2.text] },
    ])
  })

  it('wants TLS where every account wants it', () => {
    expect(of(account({ tls: 'any' }))).to.deep.equal([{ ...fit, tls: true }])
    expect(of(account({ tls: 'any' }), account({ host: 'b' }))).to.deep.equal([fit])
  })
})
