// A statement adds up to the cent, is projected to the end of its month, and is the same as CSV.
import { expect } from 'chai'
import fc from 'fast-check'
import { renderCsv } from '../../../lib/price/csv.js'
import { perFamily, unitFamilies } from '../../../lib/price/family.js'
import { addTick, closeMonth, type MonthLedger, type Reading } from '../../../lib/price/ledger.js'
import { renderStatement } from '../../../lib/price/statement.js'
import { priceStatement } from '../../support/http/fake-price.js'

const START = Date.parse('2026-11-10T00:00:00Z')
const prices = perFamily(() => 125_000)
const reading = fc.record<Reading>({
  plan: fc.nat(9),
  billable: fc.nat(9),
  tariff: fc.record({ price: fc.nat(9_999_999), overPct: fc.nat(300), underPct: fc.nat(100) }),
})

const accrue = (readings: readonly Reading[]): MonthLedger => {
  const ledgers = readings.reduce<Readonly<Record<string, MonthLedger>>>((before, one, index) => {
    const wall = START + index * 299_000
    const samples = ['crm', 'shop'].map((cluster) => ({
      ...{ cluster, term: 0, readings: perFamily(() => one), partners: ['ops'], sponsors: ['ann'] },
    }))
    const instant = { wall, steady: wall, boot: 'b' }
    return addTick(before, { instant, currency: 'EUR', samples, known: new Set(['crm', 'shop']) })
  }, {})
  return ledgers['2026-11'] as MonthLedger
}

const cents = (amount: number): number => Math.round(amount * 100)
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + cents(amount), 0)

describe('renderStatement', () => {
  it('adds up to the cent: parts to rows, rows to clusters, clusters to the month', () => {
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 8 }), (readings) => {
        const ledger = accrue(readings)
        const statement = renderStatement(ledger, { at: START + readings.length * 299_000, prices })
        const clusters = Object.values(statement.clusters)
        for (const { units, ...own } of clusters) {
          for (const row of units)
            expect(cents(row.monthCost)).to.equal(
              cents(row.monthPlanCost) + cents(row.monthOverCost) - cents(row.monthUnderCredit),
            )
          for (const field of ['monthCost', 'rate', 'projected'] as const)
            expect(cents(own[field])).to.equal(sum(units.map((row) => row[field])))
        }
        for (const field of ['monthCost', 'rate', 'projected'] as const)
          expect(cents(statement[field])).to.equal(sum(clusters.map((cluster) => cluster[field])))
      }),
    )
  })

  const tariff = { price: 300_000, overPct: 150, underPct: 80 }
  const ledger = accrue([1, 2].map(() => ({ plan: 1, billable: 1, tariff })))

  it('has a row of each family, with identities', () => {
    const { clusters } = renderStatement(ledger, { at: START + 299_000, prices })
    expect(clusters.shop?.units.map(({ family }) => family)).to.deep.equal([...unitFamilies])
    expect(clusters.shop).to.include({ partner: 'ops', rate: 150, accountedSeconds: 299 })
  })

  it('projects the rest of the month at the latest reading', () => {
    const { clusters } = renderStatement(ledger, { at: START + 299_000, prices })
    // 21 of 30 days at 30 for a month
    expect(clusters.shop?.units[0]?.projected).to.equal(21)
  })

  it('projects nothing of a closed month, and nothing of a cluster that is no longer read', () => {
    const closed = renderStatement(closeMonth(ledger), { at: START + 299_000, prices })
    const late = renderStatement(ledger, { at: START + 700_000, prices })
    for (const { rate, projected, monthCost } of [closed, late]) expect([rate, projected]).to.deep.equal([0, monthCost])
  })
})

describe('renderCsv', () => {
  it('has a line for each family with units, and no text that a spreadsheet runs', () => {
    expect(renderCsv(priceStatement).split('\r\n')).to.deep.equal([
      'month,final,currency,cluster,partners,sponsors,firstSeen,lastSeen,family,unit,unitPrice,overCommitPct,underCommitPct,monthPlan,monthOverCommit,monthUnderCommit,monthPlanCost,monthOverCost,monthUnderCredit,monthCost',
      `2026-11,true,EUR,demo,ops,"'=ann, of the shop",2026-11-01T00:00:00.000Z,2026-11-16T00:00:00.000Z,dbu,DBU,40,150,80,1,0.5,0,40,50,0,90`,
      '',
    ])
  })
})
