import { expect } from 'chai'
import { createAllowance } from '../../../lib/base/allowance.js'

describe('createAllowance', () => {
  it('permits so many uses of a key within the time, and counts none that it refuses', () => {
    let now = 0
    const withinMs = 100
    const may = createAllowance({ most: 2, withinMs }, () => now)
    expect([may('a'), may('a'), may('a'), may('b')]).to.deep.equal([true, true, false, true])
    now = 99
    expect(may('a')).to.equal(false)
    now = 100
    expect([may('a'), may('a'), may('a')]).to.deep.equal([true, true, false])
  })
})
