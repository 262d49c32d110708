// Algebraic laws of the set arithmetic that elections and rejoins use.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  compareSets,
  contains,
  countTransactions,
  formatSet,
  type GtidSet,
  isEmpty,
  noTransactions,
  parseGtidSet,
  parsePosition,
  parseState,
  subtract,
  union,
} from '../../../../lib/model/server/gtid.js'

const uuids = [
  '3e11fa47-71ca-11e1-9e33-c80aa9429562',
  '8a94f357-aab4-11df-86ab-c80aa9429562',
  '3e11fa47-71ca-11e1-9e33-c80aa9429562:tag',
] as const

const piece = fc.record({
  stream: fc.constantFrom(...uuids),
  first: fc.integer({ min: 1, max: 40 }),
  length: fc.integer({ min: 0, max: 10 }),
})

/** Sets as a server prints them: any order, overlaps, neighbours. */
const sets: fc.Arbitrary<GtidSet> = fc
  .array(piece, { maxLength: 8 })
  .map((pieces) =>
    parseGtidSet(pieces.map(({ stream, first, length }) => `${stream}:${first}-${first + length}`).join(',')),
  )

const members = (set: GtidSet): Set<string> =>
  new Set(
    Object.entries(set).flatMap(([stream, intervals]) =>
      intervals.flatMap(([first, last]) =>
        Array.from({ length: last - first + 1 }, (_, index) => `${stream} ${first + index}`),
      ),
    ),
  )

/** The claim holds for any two sets. */
function always(claim: (a: GtidSet, b: GtidSet) => void): void {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      claim(a, b)
    }),
  )
}

describe('parseGtidSet', () => {
  it('reads intervals, single numbers, tags and line breaks', () => {
    expect(parseGtidSet(`${uuids[0]}:1-5:7,\n${uuids[1]}:1:tag:3-4`)).to.deep.equal({
      [uuids[0]]: [
        [1, 5],
        [7, 7],
      ],
      [uuids[1]]: [[1, 1]],
      [`${uuids[1]}:tag`]: [[3, 4]],
    })
  })

  it('reads what formatSet prints', () => {
    always((set) => {
      expect(parseGtidSet(formatSet(set))).to.deep.equal(set)
    })
  })
})

describe('parsePosition', () => {
  it('means everything of a domain up to its sequence number', () => {
    expect(parsePosition('0-1-150,1-7-3')).to.deep.equal({ '0': [[1, 150]], '1': [[1, 3]] })
  })

  it('takes the furthest of several of one domain', () => {
    expect(parsePosition('0-1-150,0-2-160')).to.deep.equal({ '0': [[1, 160]] })
  })

  it('leaves out what is no position', () => {
    expect(parsePosition('')).to.deep.equal({})
    expect(parsePosition('nonsense,0-1-2')).to.deep.equal({ '0': [[1, 2]] })
  })
})

describe('parseState', () => {
  it('keeps origins apart', () => {
    expect(parseState('0-1-100,0-2-150')).to.deep.equal({ '0-1': [[1, 100]], '0-2': [[1, 150]] })
  })
})

describe('set arithmetic', () => {
  it('unites like sets of transactions', () => {
    always((a, b) => {
      expect(members(union(a, b))).to.deep.equal(new Set([...members(a), ...members(b)]))
    })
  })

  it('subtracts like sets of transactions', () => {
    always((a, b) => {
      expect(members(subtract(a, b))).to.deep.equal(new Set([...members(a)].filter((one) => !members(b).has(one))))
    })
  })

  it('counts its members', () => {
    always((set) => {
      expect(countTransactions(set)).to.equal(members(set).size)
    })
  })

  it('keeps intervals sorted, apart and not empty', () => {
    always((a, b) => {
      for (const intervals of [...Object.values(union(a, b)), ...Object.values(subtract(a, b))])
        for (const [index, [first, last]] of intervals.entries()) {
          expect(first).to.be.at.most(last)
          expect(first).to.be.above((intervals[index - 1]?.[1] ?? -1) + 1)
        }
    })
  })

  it('restores the union from a difference and the subtracted set', () => {
    always((a, b) => {
      expect(compareSets(union(subtract(a, b), b), union(a, b))).to.equal('equal')
    })
  })
})

describe('compareSets', () => {
  it('is symmetric', () => {
    const mirror = { equal: 'equal', ahead: 'behind', behind: 'ahead', diverged: 'diverged' } as const
    always((a, b) => {
      expect(compareSets(b, a)).to.equal(mirror[compareSets(a, b)])
    })
  })

  it('finds a union ahead of or equal to its parts', () => {
    always((a, b) => {
      expect(compareSets(union(a, b), a)).to.be.oneOf(['equal', 'ahead'])
    })
  })

  it('agrees with contains', () => {
    always((a, b) => {
      expect(contains(a, b)).to.equal(['equal', 'ahead'].includes(compareSets(a, b)))
    })
  })

  it('reports sets that each have transactions missing in the other as diverged', () => {
    expect(compareSets(parseState('0-1-1000'), parseState('0-1-999,0-2-1'))).to.equal('diverged')
  })

  it('finds nothing smaller than nothing', () => {
    always((set) => {
      expect(contains(set, noTransactions)).to.equal(true)
    })
    expect(isEmpty(noTransactions)).to.equal(true)
  })
})
