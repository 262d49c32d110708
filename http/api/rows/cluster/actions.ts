// What can be done with a cluster: change its primary, reset its counters, rebuild its archives.
import { z } from 'zod'
import { exampleOperation } from '../../kit/examples.js'
import { flag } from '../../kit/input.js'
import { asked, clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { planSchema, ticketSchema } from '../../kit/schemas.js'
import { failOver, findCandidate, operationFailures, switchOver } from './operations.js'

const operationQuery = z.object({ plan: flag().optional(), wait: flag().optional() })

const exampleTicket = { operation: exampleOperation }

export const actionRoutes = {
  'cluster.failover': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/failover'],
    summary: 'Promote a slave in place of a master that is down; `plan=true` only says what would be done.',
    grant: 'cluster-failover',
    query: operationQuery,
    reply: { status: 200, type: 'json', schema: z.union([ticketSchema, planSchema]) },
    failures: { ...noCluster, ...operationFailures, ...usual('primary-alive') },
    example: { reply: { operation: { ...exampleOperation, kind: 'failover' } } },
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
    reply: { status: 200, type: 'json', schema: z.union([ticketSchema, planSchema]) },
    failures: {
      ...noCluster,
      ...operationFailures,
      'primary-failed': [400, 'Master failed'],
      'unknown-server': [400],
      'is-primary': [409],
    },
    example: { request: { prefmaster: 'db2:3306' }, reply: exampleTicket },
    answer: ({ manager, cluster, params, query, body, caller }) => {
      const candidate = findCandidate(manager, params.cluster, body.prefmaster)
      return candidate.ok ? switchOver({ cluster, caller, query, candidate: candidate.value }) : candidate
    },
  }),

  'cluster.reset-failover-control': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/reset-failover-control'],
    summary:
      'Reset the failover counter and the time since the last one, and accept the transactions that the master is missing (ERR00117).',
    grant: 'cluster-settings',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked },
    answer: ({ cluster, caller }) => cluster.ask('reset-failover-control', { user: caller.user }),
  }),

  'cluster.reset-sla': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/reset-sla'],
    summary: 'Reset the availability counters.',
    grant: 'cluster-reset-sla',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked },
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
    answer: ({ manager, params, caller }) => manager.regenerateArchives(params.cluster, caller.user),
  }),
}
