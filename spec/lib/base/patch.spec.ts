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
})
