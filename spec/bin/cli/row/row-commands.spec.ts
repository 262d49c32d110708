import { expect } from 'chai'
import { rowCommands } from '../../../../bin/cli/row/row-commands.js'

describe('rowCommands', () => {
  it('is plain data, which a bundle can hold as JSON', () => {
    expect(JSON.parse(JSON.stringify(rowCommands))).to.deep.equal(rowCommands)
  })
})
