// Self-service of a hosted service: whether the caller may create a cluster without an operator.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { route } from '../../kit/route.js'

const units = z.number().min(0)

const pool = z.object({
  known: z.boolean().describe('false: no capacity is declared, and nothing is limited by it'),
  ...{ usableDbu: units, plannedDbu: units, freeDbu: units },
  ...{ usableApu: units, plannedApu: units, freeApu: units },
  borrowDbu: units.describe('left of the capacity beyond every plan and all use above them'),
  borrowApu: units,
})

const status = z
  .object({
    enabled: z.boolean().describe('a creation would be accepted now'),
    reason: z.string().optional().describe('the first check that refuses it'),
    orchestrator: z.string(),
    identity: z.string(),
    maxClustersPerUser: z.int().min(0),
    used: z.int().min(0).describe('clusters that the identity sponsors'),
    clusters: z.array(z.string()),
    remaining: z.int().min(0),
    ...{ defaultDbu: units, defaultApu: units, defaultBku: units },
    neededDbu: units.describe('what a new cluster reserves: the plan of a master and a slave'),
    neededApu: units,
    ...{ domain: z.string(), subDomain: z.string(), zone: z.string() },
    pool: pool.optional().describe('for identities that pass the checks before it'),
    poolOk: z.boolean().optional(),
    poolNote: z.string().optional(),
    borrowed: z.boolean().optional().describe('the plan would not be guaranteed'),
    prices: z.object({ currency: z.string(), dbu: z.string(), apu: z.string(), bku: z.string() }),
  })
  .meta({ id: 'SelfService' })

export const selfServiceRoutes = {
  'hosted.self-service': route({
    methods: ['GET'],
    paths: ['/api/hosted/self-service'],
    summary:
      'Whether the caller may create a cluster in self-service, how many it sponsors, and what a new one reserves of which pool.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: status },
    failures: {},
    slow: true,
    example: {
      reply: {
        ...{ enabled: true, orchestrator: 'local', identity: 'ann@shop.example' },
        ...{ maxClustersPerUser: 3, used: 1, clusters: ['ann-shop'], remaining: 2 },
        ...{ defaultDbu: 2, defaultApu: 1, defaultBku: 0, neededDbu: 4, neededApu: 1 },
        ...{ domain: 'acme', subDomain: 'paris', zone: 'a' },
        pool: {
          ...{ known: true, usableDbu: 16, plannedDbu: 4, freeDbu: 11, usableApu: 16, plannedApu: 1, freeApu: 11 },
          ...{ borrowDbu: 11, borrowApu: 11 },
        },
        ...{ poolOk: true, borrowed: false, prices: { currency: 'EUR', dbu: '40', apu: '10', bku: '0' } },
      },
    },
    answer: async ({ manager, caller }) => ok(await manager.selfService.status(caller)),
  }),
}
