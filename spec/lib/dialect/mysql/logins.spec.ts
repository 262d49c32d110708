// Authentication of MySQL accounts, and statements that change it.
import { expect } from 'chai'
import { dialectFor } from '../../../../lib/dialect/for.js'

const dialect = (patch: number) =>
  dialectFor({ flavour: 'mysql', version: { major: 8, minor: 0, patch }, versionText: `8.0.${patch}` })
const change = { user: 'm', from: 'old', to: 'new' }
const row = (host: string, second: 0 | 1, plugin = 'caching_sha2_password') => ({ user: 'm', host, plugin, second })

describe('the accounts of MySQL', () => {
  it('keep the old password beside the new one, and lose it', () => {
    expect(dialect(36).admitPassword([row('%', 0)], change)).to.deep.equal([
      {
        sql: 'ALTER USER IF EXISTS ?@? IDENTIFIED WITH ? BY ? RETAIN CURRENT PASSWORD',
        values: ['m', '%', 'caching_sha2_password', 'new'],
      },
    ])
    expect(dialect(36).dropPassword([row('%', 1)], change)).to.deep.equal([
      { sql: 'ALTER USER IF EXISTS ?@? DISCARD OLD PASSWORD', values: ['m', '%'] },
    ])
  })

  it('get the old password as the primary one again before the new one is discarded', () => {
    const back = { user: 'm', from: 'new', to: 'old', back: true } as const
    expect(dialect(36).dropPassword([row('%', 1)], back)).to.deep.equal([
      { sql: 'ALTER USER IF EXISTS ?@? IDENTIFIED WITH ? BY ?', values: ['m', '%', 'caching_sha2_password', 'old'] },
      { sql: 'ALTER USER IF EXISTS ?@? DISCARD OLD PASSWORD', values: ['m', '%'] },
    ])
    expect(dialect(36).dropPassword([row('%', 0)], back)).to.deep.equal([])
  })

  it('are unchanged when they are as required', () => {
    expect(dialect(36).admitPassword([row('%', 1)], change)).to.deep.equal([])
    expect(dialect(36).dropPassword([row('%', 0)], change)).to.deep.equal([])
  })

  for (const [why, patch, rows] of [
    ['the server is too old', 13, [row('%', 0)]],
    ['there is none', 36, []],
    ['it logs in without a password', 36, [row('%', 0, 'auth_socket')]],
    ['there are several', 36, [row('a', 0), row('b', 0)]],
  ] as const)
    it(`are not rotated when ${why}`, () => {
      expect(dialect(patch).judgeAccounts(rows, change)).to.have.nested.property('failure.code', 'unsupported')
    })

  it('are read with their credentials', () => {
    const app = { user: 'app', host: '%', plugin: 'caching_sha2_password', text: '$A$005$x', tls: '', locked: 'N' }
    expect(dialect(36).readAccounts([app, { ...app, tls: 'ANY' }, { ...app, tls: 'X509', locked: 'Y' }])).to.deep.equal(
      [
        ...(['none', 'any'] as const).map((tls) => ({
          ...{ user: 'app', host: '%', tls, locked: false },
          ways: [{ plugin: 'caching_sha2_password', text: '$A$005$x' }],
        })),
        {
          ...{ user: 'app', host: '%', tls: 'certificate', locked: true },
          ways: [{ plugin: 'caching_sha2_password', text: '$A$005$x' }],
        },
      ],
    )
  })

  it('report a second password, which leaves no room for another', () => {
    expect(dialect(36).judgeAccounts([row('%', 1)], change)).to.deep.equal({
      ok: true,
      value: { second: 'm@% has two passwords already' },
    })
    expect(dialect(36).judgeAccounts([row('%', 0)], change)).to.deep.equal({ ok: true, value: {} })
  })

  it('that have SYSTEM_USER are changed only by what has it, too', () => {
    const guarded = { ...row('%', 0), session: 'monitor@10.0.0.%', guarded: 1 }
    const refused = dialect(36).judgeAccounts([{ ...guarded, may: 0 }], change)
    expect(refused).to.have.nested.property('failure.code', 'wrong-state')
    expect(refused).to.have.nested.property('failure.message').which.contains('`m`@`%` has SYSTEM_USER')
    expect(refused)
      .to.have.nested.property('failure.message')
      .which.contains('GRANT SYSTEM_USER ON *.* TO `monitor`@`10.0.0.%`;')
    expect(dialect(36).judgeAccounts([{ ...guarded, may: 1 }], change)).to.have.property('ok', true)
    expect(dialect(36).judgeAccounts([{ ...guarded, guarded: 0, may: 0 }], change)).to.have.property('ok', true)
  })
})
