import { expect } from 'chai'
import { readOnlyOf } from '../../../../../lib/dialect/shared/probe/origins.js'

describe('readOnlyOf', () => {
  for (const [what, row, readOnlySet] of [
    ['of MariaDB', { value: 1, by_statement: 1 }, { on: true, byStatement: true }],
    ['that its start left off', { value: 0, by_statement: 0 }, { on: false, byStatement: false }],
    ['of MySQL without SET PERSIST', { value: 1, by_statement: 1, kept: null }, { on: true, byStatement: true }],
    ['that MySQL has kept on', { value: 1, by_statement: 1, kept: 1 }, { on: true, byStatement: true, kept: true }],
    [
      'of MySQL with super_read_only',
      { value: 1, by_statement: 0, super: 0, kept: null },
      { on: true, byStatement: false, superOn: false },
    ],
    ['that MySQL has kept off', { value: 1, by_statement: 1, kept: 0 }, { on: true, byStatement: true, kept: false }],
  ] as const)
    it(`reads a value ${what}`, () => {
      expect(readOnlyOf([row])).to.deep.equal({ readOnlySet })
    })

  it('is empty where it was not read, or nothing is listed', () => {
    expect([readOnlyOf(), readOnlyOf([]), readOnlyOf([{ value: 1, by_statement: null, kept: null }])]).to.deep.equal([
      {},
      {},
      {},
    ])
  })
})
