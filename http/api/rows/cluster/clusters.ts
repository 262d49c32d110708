// Clusters: which there are, one of them, a new one, one less.
import { z } from 'zod'
import type { ManagerFace, PublishedView } from '../../../../actors/protocol/manager/face.js'
import { fail, ok } from '../../../../lib/base/result.js'
import { clusterNamePattern, clusterNameRule, isClusterName } from '../../../../lib/settings/index.js'
import { exampleCluster } from '../../kit/examples.js'
import { publishJson, publishList } from '../../kit/published.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { globalGrants, route } from '../../kit/route.js'
import { absentClusterSchema, aliveSchema, briefSchema, clusterSchema } from '../../kit/schemas.js'

const clusterName = z.string().refine(isClusterName, clusterNameRule).meta({ pattern: clusterNamePattern })

const clusterForm = z
  .object({ clusterName: z.string(), orchestrator: z.string(), plan: z.string() })
  .partial()
  .default({})

const exampleBrief = {
  ...{ name: 'demo', topology: 'master-slave', failoverMode: 'automatic', isPaused: false, isObserved: false },
  ...{ primary: 'db1', isDown: false, isHealthy: true, isFailable: true, fault: '', servers: 3, answering: 3, lag: 0 },
  ...{ errors: 0, warnings: 0, worst: null, operation: null },
} as const

export const clusterRoutes = {
  'clusters.list': route({
    methods: ['GET'],
    paths: ['/api/clusters'],
    summary: 'The clusters the caller holds any grant on.',
    grant: 'token',
    reply: { status: 200, type: 'view', schema: z.array(z.union([clusterSchema, absentClusterSchema])) },
    failures: usual('not-logged-in'),
    example: { reply: [exampleCluster] },
    answer: async ({ manager, caller }) =>
      ok(
        await publishList(manager, {
          clusters: manager.clusters().filter((name) => caller.sees(name)),
          view: 'cluster',
          missing: (name, { message }) => ({ name, unavailable: message }),
        }),
      ),
  }),

  'clusters.fleet': route({
    cli: 'cluster fleet',
    methods: ['GET'],
    paths: ['/api/fleet'],
    summary:
      'Every cluster the caller holds any grant on in a few fields: its condition, its worst finding, its primary.',
    grant: 'token',
    reply: { status: 200, type: 'view', schema: z.array(z.union([briefSchema, absentClusterSchema])) },
    failures: usual('not-logged-in'),
    example: { reply: [exampleBrief] },
    answer: async ({ manager, caller }) =>
      ok(
        await publishList(manager, {
          clusters: manager.clusters().filter((name) => caller.sees(name)),
          view: 'brief',
          missing: (name, { message }) => ({ name, unavailable: message }),
        }),
      ),
  }),

  'clusters.one': route({
    cli: 'cluster show',
    methods: ['GET'],
    paths: ['/api/clusters/:cluster'],
    summary: 'One cluster: settings, members, condition, log.',
    grant: 'token',
    reply: { status: 200, type: 'view', schema: clusterSchema },
    failures: { ...noCluster, ...asked },
    example: { reply: exampleCluster },
    answer: ({ manager, params }) => manager.view(params.cluster, 'cluster'),
  }),

  'clusters.status': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/status'],
    summary: 'Whether any error is open in the cluster.',
    grant: 'none',
    reply: { status: 200, type: 'view', schema: aliveSchema },
    failures: { 'unknown-cluster': [400, 'No cluster found'], ...asked },
    example: { reply: { alive: 'running' } },
    answer: ({ manager, params }) => manager.view(params.cluster, 'status'),
  }),

  'clusters.add': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/actions/add/:name'],
    summary: 'Create a cluster without servers and watch it.',
    grant: ['cluster-create', 'prov-cluster'],
    params: z.looseObject({ name: clusterName }),
    body: clusterForm,
    reply: { status: 200, type: 'view', schema: z.union([clusterSchema, absentClusterSchema]) },
    failures: {
      'bad-request': [400, 'Error in request'],
      'bad-name': [400],
      'cluster-exists': [400, 'Cluster already exists'],
      ...usual('file-unwritable', 'setting-grant'),
    },
    example: { request: { orchestrator: 'onpremise' }, reply: { ...exampleCluster, name: 'shop', dbServers: [] } },
    answer: async ({ manager, params, body, caller }) => {
      if (body.orchestrator === 'local' && !globalGrants.some((grant) => caller.may(grant, '')))
        return fail(
          'setting-grant',
          `orchestrator local runs programs of this machine: it needs ${globalGrants.join(' or ')}`,
        )
      const form = {
        ...(body.orchestrator ? { orchestrator: body.orchestrator } : {}),
        ...(body.plan ? { plan: body.plan } : {}),
      }
      const added = await manager.addCluster(params.name, form, caller.user)
      return added.ok ? ok(await firstView(manager, params.name)) : added
    },
  }),

  'clusters.delete': route({
    methods: ['GET', 'POST', 'DELETE'],
    paths: ['/api/clusters/actions/delete/:cluster'],
    summary: 'Stop watching a cluster and remove its working directory; its servers go on running.',
    grant: 'cluster-delete',
    reply: { status: 200, type: 'empty' },
    failures: { 'unknown-cluster': [400, 'Invalid cluster name'], ...usual('operation-running', 'file-unwritable') },
    answer: ({ manager, params, caller }) => manager.deleteCluster(params.cluster, caller.user),
  }),
}

/** The new cluster as it is; it exists even where its first view is not there yet. */
async function firstView(manager: ManagerFace, name: string): Promise<PublishedView> {
  const view = await manager.view(name, 'cluster')
  return view.ok ? view.value : publishJson({ name, unavailable: view.failure.message }, 0)
}
