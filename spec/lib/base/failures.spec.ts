// The registry of failures: what a caller reads when something did not work.
import { expect } from 'chai'
import { failures } from '../../../lib/base/failures.js'

describe('failures', () => {
  it('have hints that say what to do, beyond pointing at the message', () => {
    const idle = Object.entries(failures).filter(([, { hint }]) => /^The message [^;]*\.$/.test(hint))
    expect(idle.map(([code]) => code)).to.deep.equal([])
  })
})
