// What is equal is one and the same object afterwards, and nothing else changes.
import { expect } from 'chai'
import fc from 'fast-check'
import { keepEqual } from '../../../lib/base/keep-equal.js'

describe('keepEqual', () => {
  it('gives back the former value when everything in it is equal', () => {
    const before = { name: 'db1', channels: [{ io: 'running', source: { port: 3306 } }] }
    expect(keepEqual(before, structuredClone(before))).to.equal(before)
  })

  it('keeps the equal parts of a value that changed elsewhere', () => {
    const before = { uptime: 1, channels: [{ heartbeats: 4, source: { port: 3306 } }], gtid: { text: '0-1-1' } }
    const after = { uptime: 2, channels: [{ heartbeats: 5, source: { port: 3306 } }], gtid: { text: '0-1-1' } }
    const kept = keepEqual(before, after)
    expect(kept).to.deep.equal(after)
    expect(kept.gtid).to.equal(before.gtid)
    expect(kept.channels[0]?.source).to.equal(before.channels[0]?.source)
    expect([before.uptime, after.channels[0]?.source]).to.deep.equal([1, { port: 3306 }])
  })

  it('distinguishes an absent part from one that is undefined, a list from an object, and shorter from longer', () => {
    expect(keepEqual({ a: 1, b: 2 }, { a: 1, c: undefined })).to.deep.equal({ a: 1, c: undefined })
    expect(keepEqual({ a: 1, b: 2 }, { a: 1 })).to.deep.equal({ a: 1 })
    expect(keepEqual({ 0: 'x' }, ['x'])).to.deep.equal(['x'])
    expect(keepEqual([1, 2], [1])).to.deep.equal([1])
  })

  it('is always equal to what came last', () => {
    const key = fc.constantFrom('a', 'b', 'c', '0', '1')
    const value = fc.oneof(fc.object({ key }), fc.array(fc.object({ key }), { maxLength: 3 }))
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(keepEqual(one, other)).to.deep.equal(other)
      }),
    )
  })
})
