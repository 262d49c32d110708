import { expect } from 'chai'
import { counted, transactions } from '../../../lib/base/counted.js'

describe('counted', () => {
  it('has a word for one and one for all other numbers', () => {
    expect([0, 1, 2].map((count) => counted(count, 'proxy', 'proxies'))).to.deep.equal([
      '0 proxies',
      '1 proxy',
      '2 proxies',
    ])
    expect([1, 2].map(transactions)).to.deep.equal(['1 transaction', '2 transactions'])
  })
})
