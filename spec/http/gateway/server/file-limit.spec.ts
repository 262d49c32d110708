// How many connections a port may have.
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { boundConnections, readFileLimit } from '../../../../http/gateway/server/file-limit.js'

describe('readFileLimit', () => {
  it('is what the system says of this process, and no bound where it says nothing', async () => {
    const text = await readFile('/proc/self/limits', 'utf8')
    expect(await readFileLimit()).to.equal(Number(/open files\s+(\d+)/.exec(text)?.[1]))
    expect(await readFileLimit('/no/such/file')).to.equal(Infinity)
  })
})

describe('boundConnections', () => {
  for (const [files, places] of [
    [Infinity, 10_000],
    [1_048_576, 10_000],
    [22_048, 10_000],
    [4_096, 1_024],
    [1_024, 256],
    [2, 1],
  ] as const)
    it(`lets a port have ${places} of ${files} files`, () => expect(boundConnections(10_000, files)).to.equal(places))
})
