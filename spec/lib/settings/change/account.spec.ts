import { expect } from 'chai'
import { isAccountName, splitAccount } from '../../../../lib/settings/change/account.js'

describe('splitAccount', () => {
  it('gives the two settings of an account; a password may hold colons, and be empty', () => {
    expect(splitAccount('ProxySQL-servers-credential', 'ops:a:b')).to.deep.equal({
      ok: true,
      value: { name: 'proxysql-password', values: { 'proxysql-user': 'ops', 'proxysql-password': 'a:b' } },
    })
    expect(splitAccount('maxscale-servers-credential', 'ops:')).to.deep.equal({
      ok: true,
      value: { name: 'maxscale-pass', values: { 'maxscale-user': 'ops', 'maxscale-pass': '' } },
    })
  })

  it('refuses what names no user', () => {
    for (const value of ['', 'ops', ':secret'])
      expect(splitAccount('proxysql-servers-credential', value)).to.have.nested.property('failure.code', 'wrong-value')
  })

  it('is nothing for the name of a setting', () => {
    expect(splitAccount('proxysql-user', 'a:b')).to.equal(undefined)
    expect(isAccountName('replication-credential')).to.equal(false)
  })
})
