// The arithmetic of the pool, against an independent one in fractions, and by its borders.
import { expect } from 'chai'
import fc from 'fast-check'
import { judgePool, type PoolTerms, poolFigures, type Taken, type Units } from '../../../../lib/hosted/index.js'

const none: Units = { dbu: 0, apu: 0 }
const units = fc.record({ dbu: fc.nat(40), apu: fc.nat(40) })
const terms = fc.record({ cores: fc.nat(100), memoryMb: fc.nat(400_000), quotaPct: fc.nat(150) })
const taken = fc.record({ sold: units, over: units })
const wish = fc.record({ need: units, canBorrow: fc.boolean() })

/** Cores and MB that units take, as the price list says. */
const cores = ({ dbu, apu }: Units): number => dbu + apu
const memory = ({ dbu, apu }: Units): number => dbu * 4096 + apu * 2048

/** Whether all of these together fit a share of the capacity, as people would reckon it. */
const holds = ({ cores: c, memoryMb: m }: PoolTerms, share: number, all: readonly Units[]): boolean => {
  const sum = (of: (one: Units) => number) => all.reduce((total, one) => total + of(one), 0)
  return (c === 0 || sum(cores) * 100 <= c * share) && (m === 0 || sum(memory) * 100 <= m * share)
}

describe('judgePool', () => {
  it('guarantees a plan exactly where it fits beside all others, and lends one exactly where all that is used leaves room', () => {
    fc.assert(
      fc.property(terms, taken, wish, (pool, { sold, over }, { need, canBorrow }) => {
        fc.pre(need.dbu > 0)
        const expected = holds(pool, pool.quotaPct, [sold, need])
          ? 'guaranteed'
          : canBorrow && holds(pool, 100, [sold, over, need])
            ? 'borrowed'
            : 'full'
        expect(judgePool(pool, { sold, over, need, canBorrow })).to.equal(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  it('limits nothing where no capacity is declared, and a plan of nothing never', () => {
    const full = { cores: 1, memoryMb: 1, quotaPct: 100 }
    const sold = { dbu: 1_000, apu: 1_000 }
    const unknown = { cores: 0, memoryMb: 0, quotaPct: 100 }
    expect(judgePool(unknown, { sold, over: none, need: sold, canBorrow: false })).to.equal('guaranteed')
    expect(judgePool(full, { sold, over: none, need: none, canBorrow: false })).to.equal('guaranteed')
    expect(judgePool(full, { sold: none, over: none, need: { dbu: 0, apu: 1 }, canBorrow: true })).to.equal('full')
  })

  it('is limited by the resource that is scarcer, and by the one that is known', () => {
    const need = { dbu: 2, apu: 0 }
    const judge = (pool: PoolTerms) => judgePool(pool, { sold: none, over: none, need, canBorrow: false })
    expect(judge({ cores: 100, memoryMb: 8_191, quotaPct: 100 })).to.equal('full')
    expect(judge({ cores: 1, memoryMb: 100_000, quotaPct: 100 })).to.equal('full')
    expect(judge({ cores: 0, memoryMb: 8_192, quotaPct: 100 })).to.equal('guaranteed')
    expect(judge({ cores: 4, memoryMb: 16_384, quotaPct: 49 })).to.equal('full')
  })
})

describe('poolFigures', () => {
  it('shows what fits, never more: a unit less than what is free is guaranteed, one above it is not', () => {
    fc.assert(
      fc.property(terms, taken, (pool, both: Taken) => {
        const { known, freeDbu, borrowDbu } = poolFigures(pool, both)
        fc.pre(known)
        const judge = (dbu: number, canBorrow: boolean) =>
          judgePool(pool, { ...both, need: { dbu, apu: 0 }, canBorrow })
        if (freeDbu >= 1) expect(judge(Math.floor(freeDbu), false)).to.equal('guaranteed')
        expect(judge(Math.floor(freeDbu) + 1, false)).to.equal('full')
        if (borrowDbu >= 1) expect(judge(Math.floor(borrowDbu), true)).to.not.equal('full')
      }),
      { numRuns: 2_000 },
    )
  })

  it('has two decimals, the plans as they are, and nothing below zero', () => {
    const pool = { cores: 10, memoryMb: 30_000, quotaPct: 75 }
    expect(poolFigures(pool, { sold: { dbu: 2, apu: 1 }, over: { dbu: 1, apu: 0 } })).to.deep.equal({
      known: true,
      ...{ usableDbu: 5.49, plannedDbu: 2, freeDbu: 2.99 },
      ...{ usableApu: 7.5, plannedApu: 1, freeApu: 4.5 },
      ...{ borrowDbu: 3.82, borrowApu: 6 },
    })
    const over = poolFigures(pool, { sold: { dbu: 20, apu: 20 }, over: none })
    expect([over.freeDbu, over.freeApu, over.borrowDbu, over.borrowApu]).to.deep.equal([0, 0, 0, 0])
  })
})
