// Service plans: the list of sizes that clusters may be put on.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { listed } from '../../kit/plan/planned.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const planSchema = z
  .object({
    ...{ id: z.number(), plan: z.string(), dbmemory: z.number(), dbcores: z.number(), dbdatasize: z.number() },
    ...{ dbsystemsize: z.number(), dbiops: z.number(), dbcpufreq: z.number(), prxcores: z.number() },
    prxdatasize: z.number(),
  })
  .meta({ id: 'ServicePlan' })

const example = [
  {
    ...{ id: 1, plan: 'x1.small', dbmemory: 16384, dbcores: 2, dbdatasize: 100, dbsystemsize: 2 },
    ...{ dbiops: 1000, dbcpufreq: 2.4, prxcores: 1, prxdatasize: 10 },
  },
]

export const planRoutes = {
  'plans.list': route({
    methods: ['GET'],
    paths: ['/api/clusters/settings/plans'],
    summary: 'The service plans: memory in MB, disks in GB. Setting `prov-service-plan` of a cluster sets their sizes.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: z.array(planSchema) },
    failures: {},
    example: { reply: example },
    answer: ({ manager }) => ok(manager.configurator.plans.list()),
  }),

  'plans.reload': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/settings/actions/reload-clusters-plans'],
    summary: 'Reload the list of service plans (`prov-service-plan-registry`); on an error the current one is kept.',
    grant: ['global-settings', 'global-admin-config'],
    reply: { status: 200, type: 'json', schema: z.array(planSchema) },
    failures: usual('bad-configuration', 'file-unreadable', 'http-failed'),
    example: { reply: example },
    plan: ({ manager }) =>
      listed('reload-plans', ok(undefined), {
        texts: ['Read the list of service plans again (prov-service-plan-registry)'],
        follows: [
          `${manager.configurator.plans.list().length} plans are known now; an error keeps them.`,
          'Clusters keep the sizes that they were given.',
        ],
      }),
    answer: ({ manager, caller }) => manager.configurator.plans.reload(caller.user),
  }),
}
