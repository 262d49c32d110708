// Authentication of MariaDB accounts, and statements that change it.
import { expect } from 'chai'
import {
  accounts,
  admitPassword,
  dropPassword,
  judgeAccounts,
  readAccounts,
} from '../../../../lib/dialect/mariadb/logins.js'

/** As `PASSWORD()` writes them. */
const hashes = {
  old: '*CD02AC33DE7D3D2AFEDF5F2BAB51B07CDB499E79',
  new: '*6FE2B845E049CDA9EFED8CFAF265CD29622FD852',
  other: '*5D5A1ED9AAC5D4E5CA3B0D3FC5E0F1B5E0C8C6A5',
}
const change = { user: 'm', from: 'old', to: 'new' }
const native = (text: string) => ({ plugin: 'mysql_native_password', authentication_string: text })
const row = (host: string, priv: object) => ({ user: 'm', host, priv: JSON.stringify(priv) })
const both = { ...native(hashes.new), auth_or: [{}, native(hashes.old)] }

describe('the accounts of MariaDB', () => {
  it('are asked for by name, whatever their hosts', () => expect(accounts('m').values).to.deep.equal(['m']))

  it('accept a second password, set by hashes that keep it out of logs', () => {
    expect(admitPassword([row('%', native(hashes.old))], change)).to.deep.equal([
      {
        sql: 'ALTER USER IF EXISTS ?@? IDENTIFIED VIA `mysql_native_password` USING ? OR `mysql_native_password` USING ?',
        values: ['m', '%', hashes.new, hashes.old],
      },
    ])
  })

  it('keep their other ways to log in', () => {
    const socket = { plugin: 'unix_socket', authentication_string: '', auth_or: [{}, native(hashes.old)] }
    const [statement] = admitPassword([row('localhost', socket)], change)
    expect(statement?.sql).to.contain('VIA `unix_socket` OR `mysql_native_password` USING ?')
    const [dropped] = dropPassword([row('localhost', { ...socket, auth_or: [{}, ...both.auth_or.slice(1)] })], change)
    expect(dropped?.sql).to.contain('VIA `unix_socket` OR `mysql_native_password` USING ?')
    expect(dropped?.values).to.deep.equal(['m', 'localhost', hashes.new])
  })

  it('are unchanged when they are as required', () => {
    expect(admitPassword([row('%', both)], change)).to.deep.equal([])
    expect(dropPassword([row('%', { ...native(hashes.new), auth_or: [{}] })], change)).to.deep.equal([])
  })

  it('lose every password but the new one', () => {
    const three = { ...both, auth_or: [...both.auth_or, native(hashes.other)] }
    expect(dropPassword([row('%', three)], change))
      .to.have.nested.property('[0].values')
      .that.deep.equals([...['m', '%', hashes.new]])
  })

  it('with another password, and roles, are left to other users', () => {
    const rows = [row('a', native(hashes.other)), row('', { ...native(hashes.old), is_role: true })]
    expect(admitPassword(rows, change)).to.deep.equal([])
    expect(dropPassword(rows, change)).to.deep.equal([])
    expect(judgeAccounts(rows, change))
      .to.have.nested.property('failure.message')
      .that.contains('a (mysql_native_password)')
    expect(judgeAccounts([...rows, row('%', native(hashes.old))], change)).to.have.property('ok', true)
  })

  it('are read with all their credentials, without roles', () => {
    const read = readAccounts([
      row('%', { ...both, ssl_type: 1 }),
      row('b', { ...native(hashes.old), account_locked: true, ssl_type: 2 }),
      row('', { is_role: true }),
    ])
    const [fresh, old] = [hashes.new, hashes.old].map((text) => ({ plugin: 'mysql_native_password', text }))
    expect(read).to.deep.equal([
      { user: 'm', host: '%', ways: [fresh, old], tls: 'any', locked: false },
      { user: 'm', host: 'b', ways: [old], tls: 'certificate', locked: true },
    ])
  })
})
