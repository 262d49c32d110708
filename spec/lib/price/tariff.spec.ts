// The formula in cents, against the same in fractions of another shape.
import { expect } from 'chai'
import fc from 'fast-check'
import { type Accrual, addAccrual, costOf, joinAccruals, parsePrice } from '../../../lib/price/tariff.js'

const MONTH = 30 * 86_400_000
const tariff = { price: 400_000, overPct: 150, underPct: 80 }

const accruals = fc.array(
  fc.record<Accrual>({
    tariff: fc.record({ price: fc.nat(10_000_000), overPct: fc.nat(500), underPct: fc.nat(100) }),
    planMs: fc.nat(1000).map((units) => units * 1_000_000),
    overMs: fc.nat(1000).map((units) => units * 777_777),
    underMs: fc.nat(1000).map((units) => units * 333_333),
  }),
  { maxLength: 6 },
)

describe('parsePrice', () => {
  for (const [text, price] of [
    ['0', 0],
    ['40', 400_000],
    ['0.0125', 125],
    ['12.5', 125_000],
  ] as const)
    it(`reads ${text}`, () => expect(parsePrice(text)).to.equal(price))
})

describe('costOf', () => {
  it('charges the plan of a whole month at the price', () => {
    const accrued = [{ tariff, planMs: 2 * MONTH, overMs: 0, underMs: 0 }]
    expect(costOf(accrued, MONTH)).to.deep.equal({ plan: 8000, over: 0, under: 0, total: 8000 })
  })

  it('charges a unit above the plan 2.5 times, and one that is not used 0.2 times', () => {
    expect(costOf([{ tariff, planMs: MONTH, overMs: MONTH, underMs: 0 }], MONTH).total).to.equal(4000 + 10_000)
    expect(costOf([{ tariff, planMs: MONTH, overMs: 0, underMs: MONTH }], MONTH).total).to.equal(800)
  })

  it('is the formula, to half a cent in each of its parts, and adds up exactly', () => {
    fc.assert(
      fc.property(accruals, (accrued) => {
        const cost = costOf(accrued, MONTH)
        const exact = (amountOf: (one: Accrual) => number) =>
          accrued.reduce((sum, one) => sum + amountOf(one), 0) / MONTH / 100
        expect(cost.plan).to.be.closeTo(
          exact(({ tariff: { price }, planMs }) => price * planMs),
          0.51,
        )
        expect(cost.over).to.be.closeTo(
          exact(({ tariff: { price, overPct }, overMs }) => price * overMs * (1 + overPct / 100)),
          0.51,
        )
        expect(cost.under).to.be.closeTo(
          exact(({ tariff: { price, underPct }, underMs }) => price * underMs * (underPct / 100)),
          0.51,
        )
        expect(cost.total).to.equal(cost.plan + cost.over - cost.under)
      }),
    )
  })

  it('does not depend on the order in which stretches were added', () => {
    fc.assert(
      fc.property(accruals, (accrued) => {
        const add = (all: readonly Accrual[]) => all.reduce<readonly Accrual[]>(addAccrual, [])
        const [forth, back] = [add(accrued), add(accrued.toReversed())]
        expect(costOf(forth, MONTH)).to.deep.equal(costOf(back, MONTH))
        expect(joinAccruals(forth)).to.deep.equal(joinAccruals(accrued))
      }),
    )
  })
})
