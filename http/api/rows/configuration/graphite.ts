// Which metrics of a cluster go to carbon: its two lists of patterns, read, written, activated, reset.
import { z } from 'zod'
import { done, fail, ok } from '../../../../lib/base/result.js'
import { filterTemplates, patternsOf } from '../../../../lib/metrics/metric-filter.js'
import { clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const grant = 'cluster-config-graphs'
const failures = { ...clusterNotFound, ...usual('wrong-value', 'file-unreadable', 'file-unwritable') } as const
const listText = z.string().max(500_000)
const listsSchema = z.object({ whitelist: z.string(), blacklist: z.string() }).meta({ id: 'GraphiteFilterList' })

export const graphiteRoutes = {
  'graphite.filterlist': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/graphite-filterlist'],
    summary:
      'The patterns of the metrics that are sent, those of the black list after a `!`; with `form=object` the texts of both lists.',
    grant: 'token',
    query: z.object({ form: z.enum(['list', 'object']).default('list') }),
    reply: { status: 200, type: 'json', schema: z.union([z.array(z.string()), listsSchema]) },
    failures: { ...noCluster, ...usual('file-unreadable') },
    example: { reply: ['mysql_global_status_threads_running$', '!mysql_global_status_performance_schema'] },
    answer: async ({ manager, params, query }) => {
      const lists = await manager.graphite.lists(params.cluster)
      if (!lists.ok || query.form === 'object') return lists
      const { whitelist, blacklist } = lists.value
      return ok([...patternsOf(whitelist), ...patternsOf(blacklist).map((pattern) => `!${pattern}`)])
    },
  }),

  'graphite.set': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/set-graphite-filterlist/:list'],
    summary: 'Write the white or the black list, one pattern a line; it is in force after a reload.',
    grant,
    params: z.looseObject({ list: z.enum(['whitelist', 'blacklist']) }),
    body: z.object({ whitelist: listText, blacklist: listText }).partial().default({}),
    reply: { status: 200, type: 'empty' },
    failures,
    example: { request: { whitelist: 'mysql_global_status_threads_running$\n' } },
    answer: ({ manager, params, body }) => {
      const name = params.list === 'blacklist' ? 'blacklist' : 'whitelist'
      const text = body[name]
      return text === undefined
        ? fail('bad-request', `${name}: give the patterns in this field of the body`)
        : manager.graphite.setList(params.cluster, name, text)
    },
  }),

  'graphite.reload': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/reload-graphite-filterlist'],
    summary: 'Put the lists as they stand in their files in force.',
    grant,
    reply: { status: 200, type: 'empty' },
    failures,
    answer: ({ manager, params }) => manager.graphite.reloadLists(params.cluster),
  }),

  'graphite.reset': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/settings/actions/reset-graphite-filterlist/:template'],
    summary: 'Reset both lists from a template (none, minimal, grafana, all) and activate them.',
    grant,
    params: z.looseObject({ template: z.enum(filterTemplates) }),
    reply: { status: 200, type: 'empty' },
    failures,
    answer: async ({ manager, params }) => {
      const template = filterTemplates.find((one) => one === params.template)
      return template === undefined ? done : manager.graphite.resetLists(params.cluster, template)
    },
  }),
}
