// What can be done with a cluster: change its primary, reset its counters, rebuild its archives.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { exampleOperation } from '../../kit/examples.js'
import { flag } from '../../kit/input.js'
import { listed, PLAN_WAIT, planWork } from '../../kit/plan/planned.js'
import { asked, clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { ticketSchema } from '../../schemas/operation.js'
import { failOver, findCandidate, operationFailures, planSwitchover, switchOver } from './operations.js'

const operationQuery = z.object({ wait: flag().optional() })

const exampleTicket = { operation: exampleOperation }

export const actionRoutes = {
  'cluster.failover': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/failover'],
    summary: 'Promote a slave in place of a master that is down; `plan=true` only says what would be done.',
    grant: 'cluster-failover',
    query: operationQuery,
    reply: { status: 200, type: 'json', schema: ticketSchema },
    failures: { ...noCluster, ...operationFailures, ...usual('primary-alive') },
    example: { reply: { operation: { ...exampleOperation, kind: 'failover' } } },
    plan: ({ cluster }) => cluster.ask('plan-failover', {}, { deadlineMs: PLAN_WAIT }),
    answer: failOver,
  }),

  'cluster.switchover': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/switchover'],
    summary:
      'Switch over to a slave without losing a transaction; in a Galera cluster, route writes to another member, without closing any. `plan=true` only returns the plan.',
    grant: 'cluster-switchover',
    query: operationQuery,
    body: z
      .object({ prefmaster: z.string().max(300) })
      .partial()
      .default({}),
    reply: { status: 200, type: 'json', schema: ticketSchema },
    failures: {
      ...noCluster,
      ...operationFailures,
      'primary-failed': [400, 'Master failed'],
      'unknown-server': [400],
      'is-primary': [409],
    },
    example: { request: { prefmaster: 'db2:3306' }, reply: exampleTicket },
    plan: ({ manager, cluster, params, body }) => {
      const candidate = findCandidate(manager, params.cluster, body.prefmaster)
      return candidate.ok ? planSwitchover(cluster, candidate.value) : candidate
    },
    answer: ({ manager, cluster, params, query, body, caller, confirmed }) => {
      const candidate = findCandidate(manager, params.cluster, body.prefmaster)
      return candidate.ok ? switchOver({ cluster, caller, query, confirmed, candidate: candidate.value }) : candidate
    },
  }),

  'cluster.reset-failover-control': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/reset-failover-control'],
    summary:
      'Reset the failover counter and the time since the last one, and accept the transactions that the master is missing (ERR00117) or that a slave passed over (ERR00128).',
    grant: 'cluster-settings',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked },
    plan: ({ cluster }) => planWork(cluster, { type: 'reset', what: 'failover-control' }),
    answer: ({ cluster, caller }) => cluster.ask('reset-failover-control', { user: caller.user }),
  }),

  'cluster.reset-sla': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/reset-sla'],
    summary: 'Reset the availability counters.',
    grant: 'cluster-reset-sla',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked },
    plan: ({ cluster }) => planWork(cluster, { type: 'reset', what: 'sla' }),
    answer: ({ cluster, caller }) => cluster.ask('reset-sla', { user: caller.user }),
  }),

  'cluster.regenerate-configs': route({
    methods: ['GET', 'POST'],
    paths: [
      '/api/clusters/:cluster/actions/regenerate-configs',
      '/api/clusters/:cluster/settings/actions/generate-configs',
      '/api/clusters/:cluster/settings/actions/generate-configs/:type',
    ],
    summary: "Evaluate tags and resources again and rebuild every server's archive.",
    grant: ['db-config-flag', 'proxy-config-flag'],
    reply: { status: 200, type: 'json', schema: z.object({ built: z.number().int(), unchanged: z.number().int() }) },
    failures: { ...clusterNotFound, ...usual('archive-failed', 'file-unwritable', 'deadline-passed') },
    example: { reply: { built: 3, unchanged: 0 } },
    plan: ({ manager, params }) => {
      const { servers = [], proxies = [] } = manager.members(params.cluster) ?? {}
      const steps = [...servers, ...proxies].map(
        ({ name }) => `Build the archive of ${name} from its tags and resources`,
      )
      return listed('regenerate-configs', ok(undefined), {
        texts: steps,
        follows: ['Archives with the same bytes as now are not delivered again.'],
      })
    },
    answer: ({ manager, params, caller }) => manager.regenerateArchives(params.cluster, caller.user),
  }),
}
