// What a cluster is busy with, and how its proxies route.
import { z } from 'zod'
import { fail, ok } from '../../../../lib/base/result.js'
import { findMember } from '../../kit/member.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { queryRuleSchema, topSchema } from '../../kit/schemas.js'
import { renderTop } from '../../views/server/top.js'

export const clusterReadRoutes = {
  'clusters.top': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/top'],
    summary:
      'Active sessions (60 per server) and charts of counters per second, of every server that answers or the one named.',
    grant: ['cluster-process', 'db-show-process'],
    query: z.object({ serverName: z.string().optional() }),
    reply: { status: 200, type: 'json', schema: z.array(topSchema) },
    failures: { ...noCluster, ...usual('unknown-server'), ...asked },
    example: {
      reply: [
        {
          id: 'db1234567890',
          url: 'db1:3306',
          header: { graphs: [{ name: 'Queries', data: [{ name: 'Select', value: 112.5 }] }] },
          processlist: [{ id: 7, user: 'app', host: '10.0.0.5:51234', command: 'Query' }],
        },
      ],
    },
    answer: async ({ cluster, manager, params, query }) => {
      const { serverName } = query
      const view = manager.members(params.cluster)
      const member = serverName && view ? findMember(view, serverName) : undefined
      if (serverName && !member) return fail('unknown-server', `${params.cluster} has no server ${serverName}`)
      const busy = await cluster.ask('read-busy', member ? { server: member.id } : {})
      return busy.ok ? ok(renderTop(busy.value)) : busy
    },
  }),

  'clusters.queryrules': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/queryrules'],
    summary: 'Query rules of the proxies that have such; one line for all that agree on it.',
    grant: 'cluster-show-routes',
    reply: {
      status: 200,
      type: 'view',
      schema: z.array(queryRuleSchema),
      list: { fields: ['schemaName', 'userName'] },
    },
    failures: { ...noCluster, ...asked },
    example: {
      reply: [
        {
          ...{
            ruleId: 10,
            active: 1,
            userName: { String: '', Valid: false },
            schemaName: { String: '', Valid: false },
          },
          ...{ digest: { String: '', Valid: false }, matchDigest: { String: '^SELECT', Valid: true } },
          ...{ matchPattern: { String: '', Valid: false }, destinationHostgroup: { Int64: 20, Valid: true } },
          ...{
            mirrorHostgroup: { Int64: 0, Valid: false },
            multiplex: { Int64: 0, Valid: false },
            proxies: 'lb1:6032',
          },
        },
      ],
    },
    answer: ({ manager, params }) => manager.view(params.cluster, 'queryrules'),
  }),
}
