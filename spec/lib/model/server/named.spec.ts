// Columns answer like the record they were made of.
import { expect } from 'chai'
import { named, nothingNamed, textOf } from '../../../../lib/model/server/named.js'

describe('textOf', () => {
  const columns = named({ log_bin: 'ON', init_connect: '' })

  it('answers the text of a name, empty ones too', () => {
    expect(['log_bin', 'init_connect'].map((name) => textOf(columns, name))).to.deep.equal(['ON', ''])
  })

  it('answers undefined for a name that is not there, also where nothing was read', () => {
    expect([textOf(columns, 'toString'), textOf(nothingNamed, 'log_bin'), textOf(undefined, 'log_bin')]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
  })
})
