// Values are shared, never changed.
import { expect } from 'chai'
import { intern, internNamed } from '../../../lib/probe/intern.js'

describe('intern', () => {
  it('answers the same text, long or short, known or not', () => {
    for (const text of ['', 'ON', 'x'.repeat(1_000), 'ON']) expect(intern(text)).to.equal(text)
  })
})

describe('internNamed', () => {
  const columns = (...values: string[]) => ({ names: ['log_bin', 'init_connect', 'sql_mode'], values })

  it('keeps every name and value', () => {
    expect(internNamed(columns('ON', '', 'STRICT'))).to.deep.equal(columns('ON', '', 'STRICT'))
  })

  it('answers the former columns when nothing has changed, and shares the names when something has', () => {
    const before = internNamed(columns('ON', '', 'STRICT'))
    expect(internNamed(columns('ON', '', 'STRICT'), before)).to.equal(before)
    const after = internNamed(columns('OFF', '', 'STRICT'), before)
    expect(after).to.deep.equal(columns('OFF', '', 'STRICT'))
    expect(after.names).to.equal(before.names)
    expect(before).to.deep.equal(columns('ON', '', 'STRICT'))
  })

  it('shares columns between servers that answer alike, and never between different ones', () => {
    const one = internNamed(columns('ON', 'x', ''))
    expect(internNamed(columns('ON', 'x', ''))).to.equal(one)
    expect(internNamed({ names: ['other'], values: ['ON'] })).to.deep.equal({ names: ['other'], values: ['ON'] })
  })
})
