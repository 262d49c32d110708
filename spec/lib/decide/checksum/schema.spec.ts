// Definitions of tables: created, dropped, altered, and the lines that differ.
import { expect } from 'chai'
import { changesOf, judgeTable } from '../../../../lib/decide/checksum/schema.js'

const key = JSON.stringify(['shop', 'orders'])
const before = ['shop.orders column id=int NOT NULL', 'shop.orders column n=int NULL', 'shop.orders engine=InnoDB']

describe('judgeTable', () => {
  it('names the lines of an altered table alone', () => {
    const now = ['shop.orders column id=int NOT NULL', 'shop.orders column n=bigint NULL', 'shop.orders engine=InnoDB']
    expect(judgeTable(key, { before, now })).to.deep.equal({
      ...{ schema: 'shop', table: 'orders', kind: 'altered' },
      lines: ['-shop.orders column n=int NULL', '+shop.orders column n=bigint NULL'],
    })
  })

  it('has every line of a table that is new or gone', () => {
    expect(judgeTable(key, { now: before })?.kind).to.equal('created')
    const gone = judgeTable(key, { before })
    expect([gone?.kind, gone?.lines]).to.deep.equal(['dropped', before.map((line) => `-${line}`)])
  })

  it('finds nothing in equal definitions', () => {
    expect(judgeTable(key, { before, now: before })).to.equal(undefined)
    expect(changesOf({ before, now: before })).to.deep.equal([])
  })
})
