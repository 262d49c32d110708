// Months in UTC.
import { expect } from 'chai'
import fc from 'fast-check'
import { lengthOf, monthOf, spanOfMonth, splitByMonth } from '../../../lib/price/month.js'

const DAY = 86_400_000
const at = (text: string) => Date.parse(text)

describe('spanOfMonth', () => {
  for (const [month, days] of [
    ['2026-11', 30],
    ['2026-12', 31],
    ['2027-02', 28],
    ['2028-02', 29],
  ] as const)
    it(`gives ${month} ${days} days`, () => expect(lengthOf(spanOfMonth(month))).to.equal(days * DAY))
})

describe('splitByMonth', () => {
  it('splits at midnight UTC', () => {
    const [from, to] = [at('2026-11-30T23:59:00Z'), at('2026-12-01T00:00:30Z')]
    expect(splitByMonth({ from, to })).to.deep.equal([
      { month: '2026-11', from, to: at('2026-12-01T00:00:00Z') },
      { month: '2026-12', from: at('2026-12-01T00:00:00Z'), to },
    ])
  })

  it('gives nothing for an empty or reversed span', () => {
    expect([splitByMonth({ from: 5, to: 5 }), splitByMonth({ from: 6, to: 5 })]).to.deep.equal([[], []])
  })

  it('loses and repeats no millisecond, and each part is in its month', () => {
    fc.assert(
      fc.property(fc.nat(4_000_000_000_000), fc.nat(100 * DAY), (from, length) => {
        const parts = splitByMonth({ from, to: from + length })
        expect(parts.reduce((sum, part) => sum + lengthOf(part), 0)).to.equal(length)
        for (const { month, from: begin, to } of parts)
          expect([monthOf(begin), monthOf(to - 1)]).to.deep.equal([month, month])
      }),
    )
  })
})
