import { expect } from 'chai'
import fc from 'fast-check'
import { applyPatch, comparePlain, copyPlain } from '../../../lib/base/patch.js'

const value = fc.jsonValue({ maxDepth: 4 })
/** What is written is read by another process. */
const written = <T>(given: T): T => (given === undefined ? given : JSON.parse(JSON.stringify(given)))

describe('comparePlain', () => {
  it('leads from any value to any other one, also after it was written', () => {
    fc.assert(
      fc.property(value, value, (before, next) => {
        const from = written(before)
        expect(applyPatch(from, written(comparePlain(from, next)))).to.deep.equal(written(next))
        expect(from).to.deep.equal(written(before))
      }),
    )
  })

  it('is nothing for equal values, and names only the parts that differ', () => {
    fc.assert(fc.property(value, (one) => comparePlain(one, structuredClone(one)) === undefined))
    expect(comparePlain({ a: 1, b: { c: [1, 2], d: 3 }, e: 4 }, { a: 1, b: { c: [1, 5], d: 3 } })).to.deep.equal({
      b: { c: { 1: [5] } },
      e: 0,
    })
  })

  it('takes what is undefined for missing, and stores the text that is to be stored', () => {
    expect(comparePlain({ a: undefined }, {})).to.equal(undefined)
    expect(comparePlain({ a: 'x' }, { a: undefined })).to.deep.equal({ a: 0 })
    const loud = (text: string) => text.toUpperCase()
    expect(comparePlain({ a: 'x' }, { a: 'y', b: ['z'] }, loud)).to.deep.equal({ a: ['Y'], b: [['Z']] })
    expect(copyPlain({ a: undefined, b: 'c' }, loud)).to.deep.equal({ b: 'C' })
  })

  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])
    it(`takes a part named ${name} for a part like any other`, () => {
      const holder = (value: unknown) => JSON.parse(`{"a":1,"${name}":${JSON.stringify(value)}}`)
      const cases = [holder({ x: 1, y: 2 }), holder({ x: 1 }), holder(7), holder([1, 2]), { a: 1 }, {}]
      for (const before of cases)
        for (const after of cases) {
          const patch = JSON.stringify(comparePlain(before, after) ?? null)
          const reached = applyPatch(before, JSON.parse(patch) ?? undefined)
          expect(JSON.stringify(reached)).to.equal(JSON.stringify(after))
          expect(Object.getPrototypeOf(reached)).to.equal(Object.prototype)
          expect(JSON.stringify(copyPlain(after))).to.equal(JSON.stringify(after))
        }
    })

  it('changes no prototype by a patch that names one', () => {
    const known = Object.getOwnPropertyNames(Object.prototype)
    for (const hostile of [
      '{"__proto__":{"polluted":[true]}}',
      '{"__proto__":[{"polluted":true}]}',
      '{"constructor":{"prototype":{"polluted":[true]}}}',
      '{"a":{"__proto__":{"polluted":[true]}}}',
    ]) {
      let reached: unknown
      try {
        reached = applyPatch({ a: {} }, JSON.parse(hostile))
      } catch (error) {
        expect(error).to.be.instanceOf(TypeError)
      }
      expect((reached as { readonly polluted?: unknown } | undefined)?.polluted).to.equal(undefined)
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).to.deep.equal(known)
    expect(({} as { readonly polluted?: unknown }).polluted).to.equal(undefined)
  })
})
