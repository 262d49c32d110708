import { expect } from 'chai'
import { keepFairly } from '../../../../lib/access/bound/keep-fairly.js'

describe('keepFairly', () => {
  const keep = (all: string, most: number) => keepFairly([...all], most, (one) => one.toLowerCase()).join('')

  it('drops nothing as long as there is room', () => {
    expect(keep('abab', 4)).to.equal('abab')
  })

  it('drops the oldest of one group', () => {
    expect(keep('AAaa', 3)).to.equal('Aaa')
  })

  it('drops the oldest of the group that has most, however new its things are', () => {
    expect(keep('bbAAAAa', 5)).to.equal('bbAAa')
    expect(keep('bAAAAAA', 2)).to.equal('bA')
  })

  it('keeps as many as there is room for, of groups with equally many the newest', () => {
    expect(keep('abcabc', 4)).to.equal('cabc')
    expect(keep('abcdef', 2)).to.equal('ef')
  })
})
