// Columns return the same as the record they were created from.
import { expect } from 'chai'
import { differingNames, named, namedOf, nothingNamed, textOf } from '../../../../lib/model/server/named.js'

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

describe('namedOf', () => {
  it('orders the names, each with its value, so that any one is found', () => {
    const pairs = ['b_2', 'B', 'a', 'b', 'b_10', '_'].map((name) => [name, `value of ${name}`] as const)
    const columns = namedOf(pairs)
    expect(columns.names).to.deep.equal(['B', '_', 'a', 'b', 'b_10', 'b_2'])
    for (const [name, value] of pairs) expect(textOf(columns, name)).to.equal(value)
  })
})

describe('differingNames', () => {
  const left = named({ a: '1', b: '2', c: '3' })

  it('compares what both have', () => {
    expect(differingNames(left, named({ b: '2', c: '4', d: '5' }))).to.deep.equal(['c'])
  })

  it('compares columns that share their names', () => {
    expect(differingNames(left, { names: left.names, values: ['1', '0', '3'] })).to.deep.equal(['b'])
    expect(differingNames(left, left)).to.deep.equal([])
  })
})
