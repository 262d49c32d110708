// Host names as this machine resolves them: bounded, kept, and never a failure.
import { expect } from 'chai'
import { createResolver } from '../../../lib/connect/resolve.js'

describe('createResolver', () => {
  it('answers names only, in lower case, once a minute', async () => {
    const asked: string[] = []
    let now = 0
    const resolve = createResolver(
      async (host) => {
        asked.push(host)
        return ['10.0.0.2', '10.0.0.1']
      },
      () => now,
    )
    expect(await resolve(['DB1', 'db1', '10.0.0.9', '::1', ''])).to.deep.equal({ db1: ['10.0.0.1', '10.0.0.2'] })
    now = 59_999
    await resolve(['db1'])
    expect(asked).to.deep.equal(['db1'])
    now = 60_000
    await resolve(['db1'])
    expect(asked).to.deep.equal(['db1', 'db1'])
    // What is not asked for again is forgotten.
    await resolve([])
    await resolve(['db1'])
    expect(asked).to.have.length(3)
  })

  it('leaves out a name without an address, and one that the name service does not answer', async () => {
    const resolve = createResolver((host) =>
      host === 'silent' ? new Promise(() => undefined) : Promise.reject(new Error('ENOTFOUND')),
    )
    expect(await resolve(['absent', 'silent'])).to.deep.equal({})
  })
})
