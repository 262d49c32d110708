// The registry of failures: what a caller reads when something did not work.
import { expect } from 'chai'
import { type FailureCode, failures, hintOf } from '../../../lib/base/failures.js'

describe('failures', () => {
  it('have hints that say what to do, beyond pointing at the message', () => {
    const idle = Object.entries(failures).filter(([, { hint }]) => /^The message [^;]*\.$/.test(hint))
    expect(idle.map(([code]) => code)).to.deep.equal([])
  })

  it('have no addresses or parameters of the API in what the command line prints', () => {
    const codes = Object.keys(failures) as FailureCode[]
    const strange = codes.filter((code) => /\b(GET|POST) |\/api\/|\b[CS]\/|=true|\broute\b/.test(hintOf(code, 'cli')))
    expect(strange).to.deep.equal([])
  })
})
