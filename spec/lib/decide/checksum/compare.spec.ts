// Rows of a primary and a replica: what differs is found, what only changes meanwhile is not.
import { expect } from 'chai'
import fc from 'fast-check'
import { compareRound, confirmRounds } from '../../../../lib/decide/checksum/compare.js'
import type { RowDigest } from '../../../../lib/model/checksum/checksum.js'

const row = (key: string, digest: string): RowDigest => ({ key: [key], digest })
const round = (before: readonly RowDigest[], replica: readonly RowDigest[], late = before) =>
  compareRound({ before, replica, after: late })

describe('compareRound', () => {
  it('finds the rows that are changed, missing and extra', () => {
    const primary = [row('1', 'a'), row('2', 'b'), row('3', 'c')]
    const { suspects, moving } = round(primary, [row('1', 'a'), row('2', 'x'), row('4', 'd')])
    expect([...suspects.values()].map(({ kind, key }) => `${kind} ${key.join()}`)).to.have.members([
      'changed 2',
      'missing 3',
      'extra 4',
    ])
    expect(moving.size).to.equal(0)
  })

  it('takes a row that the primary changed meanwhile for equal where the replica has either state of it', () => {
    const { suspects, moving } = round(
      [row('1', 'old'), row('2', 'old')],
      [row('1', 'old'), row('2', 'new')],
      [row('1', 'new'), row('2', 'new')],
    )
    expect(suspects.size + moving.size).to.equal(0)
  })

  it('leaves a row open that changed twice meanwhile', () => {
    const { suspects, moving } = round([row('1', 'a')], [row('1', 'b')], [row('1', 'c')])
    expect([suspects.size, moving.size]).to.deep.equal([0, 1])
  })

  it('compares the rows that share a key with NULL in it together, in any order', () => {
    const shared = (digest: string): RowDigest => ({ key: [null], digest })
    expect(round([shared('a'), shared('b')], [shared('b'), shared('a')]).suspects.size).to.equal(0)
    expect(round([shared('a'), shared('b')], [shared('b')]).suspects.size).to.equal(1)
  })

  it('suspects nothing on a replica that shows any state of the primary between the two readings of a row that changed once', () => {
    const rows = fc.uniqueArray(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 3 })), { selector: ([key]) => key })
    fc.assert(
      fc.property(rows, rows, fc.array(fc.boolean(), { minLength: 31, maxLength: 31 }), (old, fresh, applied) => {
        const state = (all: readonly (readonly [number, number])[]) => new Map(all)
        const [first, last] = [state(old), state(fresh)]
        const replica = new Map<number, number>()
        for (const [key, isNew] of applied.entries()) {
          const value = (isNew ? last : first).get(key)
          if (value !== undefined) replica.set(key, value)
        }
        const digests = (all: ReadonlyMap<number, number>) => [...all].map(([key, value]) => row(`${key}`, `${value}`))
        const found = compareRound({ before: digests(first), replica: digests(replica), after: digests(last) })
        expect(found.suspects.size + found.moving.size).to.equal(0)
      }),
    )
  })
})

describe('confirmRounds', () => {
  const primary = [row('1', 'a'), row('2', 'b')]

  it('confirms what two rounds found in the same state', () => {
    const first = round(primary, [row('1', 'x')])
    const confirmed = confirmRounds(first, round(primary, [row('1', 'x')]))
    expect(confirmed.open).to.equal(0)
    expect(confirmed.different).to.deep.equal([
      { kind: 'changed', key: ['1'] },
      { kind: 'missing', key: ['2'] },
    ])
  })

  it('keeps open what the second round found in another state, and drops what it found equal', () => {
    const first = round(primary, [row('1', 'x')])
    expect(confirmRounds(first, round(primary, [row('1', 'y'), row('2', 'b')]))).to.deep.equal({
      different: [],
      open: 1,
    })
    expect(confirmRounds(first, round(primary, primary))).to.deep.equal({ different: [], open: 0 })
  })
})
