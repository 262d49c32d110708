// Which metrics of a cluster go to carbon: its two lists of patterns, read, written, activated, reset.
import * as z from 'zod'
import { done, fail, ok } from '../../../../lib/base/result.js'
import { filterTemplates, patternsOf } from '../../../../lib/metrics/metric-filter.js'
import type { PlanChange } from '../../../../lib/model/operation/preview.js'
import { listed } from '../../kit/plan/planned.js'
import { clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const grant = 'cluster-config-graphs'
const failures = { ...clusterNotFound, ...usual('wrong-value', 'file-unreadable', 'file-unwritable') } as const
const listText = z.string().max(500_000)
const ownText = listText.describe('Of the list that the path names: 400 without it.')
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
    body: z.object({ whitelist: ownText, blacklist: ownText }).partial().default({}),
    reply: { status: 200, type: 'empty' },
    failures,
    example: { request: { whitelist: 'mysql_global_status_threads_running$\n' } },
    plan: async ({ manager, params, body }) => {
      const name = params.list === 'blacklist' ? 'blacklist' : 'whitelist'
      const text = body[name]
      const lists = await manager.graphite.lists(params.cluster)
      if (!lists.ok) return lists
      const judged = text === undefined ? fail('bad-request', `${name}: give the patterns`) : ok(text)
      return listed('set-graphite-list', judged, {
        texts: [`Write the ${name}`],
        changes: patternChanges(lists.value[name], text ?? ''),
        follows: ['It is in force after a reload.'],
      })
    },
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
    plan: () =>
      listed('reload-graphite-lists', ok(undefined), ['Read both lists from their files and put them in force']),
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
    plan: ({ params }) =>
      listed('reset-graphite-lists', ok(undefined), {
        texts: [`Rewrite both lists from the template ${params.template}`],
        follows: ['They are in force at once; what the lists hold now is overwritten.'],
      }),
    answer: async ({ manager, params }) => {
      const template = filterTemplates.find((one) => one === params.template)
      return template === undefined ? done : manager.graphite.resetLists(params.cluster, template)
    },
  }),
}

/** Lines that come and go. */
function patternChanges(before: string, after: string): readonly PlanChange[] {
  const [was, is] = [patternsOf(before), patternsOf(after)]
  return [
    ...is.filter((line) => !was.includes(line)).map((what) => ({ what, before: null, after: 'listed' })),
    ...was.filter((line) => !is.includes(line)).map((what) => ({ what, before: 'listed', after: null })),
  ]
}
