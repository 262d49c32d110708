// What clusters cost: the statement of a cluster, and those of the whole service.
import * as z from 'zod'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { ok, type Result } from '../../../../lib/base/result.js'
import {
  addTick,
  type Month,
  type MonthStatement,
  monthPattern,
  perFamily,
  renderCsv,
  renderStatement,
} from '../../../../lib/price/index.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { clusterStatementSchema, monthStatementSchema, pricesSchema } from '../../schemas/price.js'

const monthText = z.string().regex(monthPattern)

const form = z
  .enum(['json', 'csv'])
  .default('json')
  .describe('csv: a line for each unit family of each cluster, as `Accept: text/csv` gives it.')

const globalSchema = z
  .object({ statement: monthStatementSchema, months: z.array(monthText) })
  .meta({ id: 'GlobalStatement' })

const clusterSchema = z
  .object({
    ...{ month: monthText, final: z.boolean(), elapsedPct: z.number(), currency: z.string(), prices: pricesSchema },
    cluster: clusterStatementSchema,
  })
  .meta({ id: 'ClusterMonth' })

type ClusterMonth = z.output<typeof clusterSchema>

const failures = usual('disabled', 'no-statement', 'file-unreadable')

export const priceRoutes = {
  'price.cluster': route({
    cli: 'cluster price',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/price'],
    summary:
      'What the cluster costs in the running month, or in the one named: by unit family, with partners and sponsors. Of several managers each has the time in which it owned the cluster.',
    grant: 'token',
    query: z.object({ month: monthText.optional().describe('YYYY-MM; without it the running month.'), form }),
    reply: { status: 200, type: 'json', schema: clusterSchema, csv: (value: ClusterMonth) => renderCsv(alone(value)) },
    failures: { ...noCluster, ...failures },
    example: { reply: exampleOf().cluster },
    answer: async ({ manager, params, query }) => {
      const read = await manager.price.clusterStatement(params.cluster, query.month)
      if (!read.ok) return read
      const { statement, cluster } = read.value
      const { month, final, elapsedPct, currency, defaultPrices: prices } = statement
      return ok({ month, final, elapsedPct, currency, prices, cluster })
    },
  }),

  'price.show': route({
    methods: ['GET'],
    paths: ['/api/global/price'],
    summary: 'The statement of the running month for all clusters, and which months have one.',
    grant: 'global-admin-show',
    query: z.object({ form }),
    reply: { status: 200, type: 'json', schema: globalSchema, csv: csvOf },
    failures,
    example: { reply: exampleOf().global },
    answer: ({ manager }) => answerMonth(manager),
  }),

  'price.month': route({
    methods: ['GET'],
    paths: ['/api/global/price/:month'],
    summary: 'The statement of a month (YYYY-MM) for all clusters; a closed one is final and never changes.',
    grant: 'global-admin-show',
    params: z.looseObject({ month: monthText }),
    query: z.object({ form }),
    reply: { status: 200, type: 'json', schema: globalSchema, csv: csvOf },
    failures,
    example: { reply: exampleOf().global },
    answer: ({ manager, params }) => answerMonth(manager, params.month),
  }),
}

async function answerMonth(manager: ManagerFace, month?: Month): Promise<Result<unknown>> {
  const statement = await manager.price.statement(month)
  if (!statement.ok) return statement
  const months = await manager.price.months()
  return months.ok ? ok({ statement: statement.value, months: months.value }) : months
}

function csvOf({ statement }: { readonly statement: MonthStatement }): string {
  return renderCsv(statement)
}

/** The statement with this cluster alone. */
const alone = ({ month, final, currency, cluster }: ClusterMonth) => ({
  ...{ month, final, currency },
  clusters: { [cluster.cluster]: cluster },
})

/** Half of a month of two databases of three units each. */
function exampleOf() {
  const at = Date.parse('2026-11-16T00:00:00Z')
  const tariff = { price: 400_000, overPct: 150, underPct: 80 }
  const none = { plan: 0, billable: 0, tariff: { ...tariff, price: 0 } }
  const readings = { ...perFamily(() => none), dbu: { plan: 6, billable: 6, tariff } }
  const sample = {
    cluster: 'demo',
    term: 0,
    readings,
    partners: ['ops@partner.example'],
    sponsors: ['ann@shop.example'],
  }
  const tick = (wall: number) => ({
    instant: { wall, steady: wall, boot: '' },
    ...{ currency: 'EUR', samples: [sample], known: new Set(['demo']) },
  })
  const ledgers = addTick(addTick({}, tick(at - 60_000)), tick(at))
  const ledger = ledgers['2026-11'] ?? { month: '2026-11', currency: 'EUR', final: false, clusters: {} }
  const statement = renderStatement(ledger, { at, prices: { ...perFamily(() => 0), dbu: 400_000 } })
  const { month, final, elapsedPct, currency, defaultPrices: prices, clusters } = statement
  return {
    global: { statement, months: ['2026-10', '2026-11'] },
    cluster: { month, final, elapsedPct, currency, prices, cluster: clusters.demo },
  }
}
