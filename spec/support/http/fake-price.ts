// Statements of one cluster, whatever month is asked for.
import type { PriceFace } from '../../../actors/protocol/manager/price.js'
import { ok, type Result } from '../../../lib/base/result.js'
import { emptyStatement, perFamily, renderStatement } from '../../../lib/price/index.js'

const tariff = { price: 400_000, overPct: 150, underPct: 80 }
const readings = { ...perFamily(() => ({ plan: 0, billable: 0, tariff })), dbu: { plan: 2, billable: 3, tariff } }
const HALF = 15 * 86_400_000
const seen = Date.parse('2026-11-01T00:00:00Z')

/** The first half of November 2026: two units of plan, one above it. */
export const priceStatement = renderStatement(
  {
    ...{ month: '2026-11', currency: 'EUR', final: true },
    clusters: {
      demo: {
        ...{ partners: ['ops'], sponsors: ['=ann, of the shop'], firstSeen: seen, lastSeen: seen + HALF },
        ...{ accountedMs: HALF, readings },
        accrued: { ...perFamily(() => []), dbu: [{ tariff, planMs: 2 * HALF, overMs: HALF, underMs: 0 }] },
      },
    },
  },
  { at: seen + HALF, prices: { ...perFamily(() => 0), dbu: tariff.price } },
)

type Answer = <T>(name: string, given: unknown, value: T) => Result<T>

export const fakePrice = (answer: Answer = (_, __, value) => ok(value)): PriceFace => ({
  statement: async (...given) => answer('statement', given, priceStatement),
  clusterStatement: async (...given) =>
    answer('clusterStatement', given, {
      statement: priceStatement,
      cluster: priceStatement.clusters[given[0]] ?? emptyStatement(given[0]),
    }),
  months: async (...given) => answer('months', given, ['2026-11']),
})
