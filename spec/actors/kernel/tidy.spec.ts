// Memory is returned when much of it is idle, and only then.
import { getHeapStatistics } from 'node:v8'
import { expect } from 'chai'
import { collectCompactly, isWasteful } from '../../../actors/kernel/tidy.js'

const MB = 1 << 20

describe('isWasteful', () => {
  it('finds a heap wasteful whose pages stand half empty', () => {
    expect(isWasteful({ heldBytes: 105 * MB, usedBytes: 60 * MB })).to.equal(true)
  })

  it('leaves alone a small heap, and a large one with little room to spare', () => {
    expect(isWasteful({ heldBytes: 25 * MB, usedBytes: 12 * MB })).to.equal(false)
    expect(isWasteful({ heldBytes: 500 * MB, usedBytes: 420 * MB })).to.equal(false)
  })
})

describe('collectCompactly', () => {
  it('gives back what garbage between living objects held', () => {
    const kept: unknown[] = []
    let garbage: unknown[] = []
    for (let count = 0; count < 400_000; count += 1)
      (count % 10 === 0 ? kept : garbage).push({ count, text: `t${count}` })
    garbage = []
    const before = getHeapStatistics().total_physical_size
    collectCompactly()
    expect(before - getHeapStatistics().total_physical_size).to.be.above(10 * MB)
    expect([kept.length, garbage.length]).to.deep.equal([40_000, 0])
    expect('gc' in globalThis).to.equal(false)
  })
})
