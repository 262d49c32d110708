// How much the log tells, by the settings.
import { expect } from 'chai'
import { verbosityOf } from '../../../bin/join/log.js'

describe('verbosityOf', () => {
  const settings = { 'log-level': 2, 'log-file-level': 1, verbose: false }

  it('is what the levels say', () => expect(verbosityOf(settings)).to.deep.equal({ output: 2, file: 1 }))

  it('is everything on the output while verbose is on', () =>
    expect(verbosityOf({ ...settings, verbose: true })).to.deep.equal({ output: 4, file: 1 }))
})
