// Lists of views: joined once for all who ask while nothing changes.
import { expect } from 'chai'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { publishList } from '../../../../http/api/kit/published.js'
import { fail, ok } from '../../../../lib/base/result.js'

describe('publishList', () => {
  const versions = new Map([
    ['a', 1],
    ['b', 1],
  ])
  const manager = {
    view: async (name: string) => {
      const version = versions.get(name)
      if (version === undefined) return fail('actor-gone', 'it is gone')
      return ok({ bytes: Buffer.from(`{"${name}":${version}}`), etag: `${name}-${version}`, at: 7 })
    },
  } as unknown as ManagerFace
  const list = (...clusters: string[]) =>
    publishList(manager, { clusters, view: 'cluster', missing: (name, { message }) => ({ name, gone: message }) })

  it('joins the views, and what stands in for one that there is not', async () => {
    const { bytes, at } = await list('a', 'c', 'b')
    expect(JSON.parse(bytes.toString())).to.deep.equal([{ a: 1 }, { name: 'c', gone: 'it is gone' }, { b: 1 }])
    expect(at).to.equal(7)
  })

  it('gives the same bytes to all who see the same, until a view changes', async () => {
    const first = await list('a', 'b')
    expect((await list('a', 'b')).bytes).to.equal(first.bytes)
    expect((await list('a')).bytes.toString()).to.equal('[{"a":1}]')
    versions.set('b', 2)
    const second = await list('a', 'b')
    expect(second.bytes.toString()).to.equal('[{"a":1},{"b":2}]')
    expect(second.etag).to.not.equal(first.etag)
  })
})
