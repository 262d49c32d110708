import { expect } from 'chai'
import { isNews } from '../../../http/dashboard/src/stream/shared.js'

describe('isNews', () => {
  it('takes each event of a manager once, and every one of the next manager', () => {
    expect(isNews({ event: 'delta', id: '17-5' }, '17-5')).to.equal(false)
    expect(isNews({ event: 'delta', id: '17-4' }, '17-5')).to.equal(false)
    expect(isNews({ event: 'delta', id: '17-10' }, '17-9')).to.equal(true)
    expect(isNews({ event: 'delta', id: '18-1' }, '17-9')).to.equal(true)
  })

  it('takes what has no number, and a snapshot always', () => {
    expect(isNews({ event: 'note', id: undefined }, '17-5')).to.equal(true)
    expect(isNews({ event: 'snapshot', id: '17-5' }, '17-5')).to.equal(true)
    expect(isNews({ event: 'delta', id: '17-1' }, undefined)).to.equal(true)
  })
})
