// Values are shared, never changed.
import { expect } from 'chai'
import { intern, internValues } from '../../../lib/probe/intern.js'

describe('intern', () => {
  it('answers the same text, long or short, known or not', () => {
    for (const text of ['', 'ON', 'x'.repeat(1_000), 'ON']) expect(intern(text)).to.equal(text)
  })
})

describe('internValues', () => {
  it('keeps every name and value', () => {
    const record = { log_bin: 'ON', init_connect: '', sql_mode: 'STRICT' }
    expect(internValues(record)).to.deep.equal(record)
  })
})
