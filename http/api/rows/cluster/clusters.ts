// Clusters: which there are, one of them, a new one, one less.
import * as z from 'zod'
import type { Caller, ChangesFace, ManagerFace, PublishedView } from '../../../../actors/protocol/manager/face.js'
import { globalGrants } from '../../../../lib/access/grants.js'
import { fail, ok, type Result } from '../../../../lib/base/result.js'
import { clusterNamePattern, clusterNameRule, isClusterName, orchestrators } from '../../../../lib/settings/index.js'
import { exampleCluster } from '../../kit/examples.js'
import { planChange } from '../../kit/plan/foreseen.js'
import { listed } from '../../kit/plan/planned.js'
import { publishJson, publishList } from '../../kit/published.js'
import { asked, noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { clusterSchema } from '../../schemas/cluster.js'
import { absentClusterSchema, aliveSchema } from '../../schemas/shapes.js'
import { jobFailures } from './services.js'

const clusterName = z.string().refine(isClusterName, clusterNameRule).meta({ pattern: clusterNamePattern })

const clusterForm = z
  .object({
    clusterName: z.string(),
    orchestrator: z
      .string()
      .meta({ enum: [...orchestrators] })
      .describe('`prov-orchestrator` of the cluster; `local` takes a grant for the whole service.'),
    plan: z.string().describe('A service plan by its name: 400 for one that there is not.'),
  })
  .partial()
  .default({})

/** Here `plan` names a service plan; none is called `true`. */
const addQuery = z.object({
  plan: z
    .preprocess((given) => given === true || given === 'true', z.boolean())
    .meta({ type: 'string' })
    .describe('`true`: only list what would be done. Any other text is a service plan: 400 for one that there is not.'),
})

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
    summary:
      'Create a cluster without servers and watch it. Needs cluster-create or prov-cluster; a user of single sign-on without them creates it in self-service, where that is on.',
    grant: 'token',
    params: z.looseObject({ name: clusterName }),
    query: addQuery,
    body: clusterForm,
    reply: { status: 200, type: 'view', schema: z.union([clusterSchema, absentClusterSchema]) },
    failures: {
      'bad-request': [400, 'Error in request'],
      'bad-name': [400],
      'cluster-exists': [400, 'Cluster already exists'],
      ...usual('no-grant', 'self-service-refused', 'data-exists'),
      ...usual('file-unwritable', 'setting-grant', 'wrong-value', 'wrong-state', 'unsupported'),
    },
    example: { request: { orchestrator: 'onpremise' }, reply: { ...exampleCluster, name: 'shop', dbServers: [] } },
    plan: ({ manager, params, body, caller }) => {
      const addition = { name: params.name, form: body, caller }
      return mayCreate(caller)
        ? planChange(manager, 'add-cluster', (changes) => addCluster(changes, addition))
        : planSelfService(manager, addition)
    },
    answer: async ({ manager, params, body, caller }) => {
      const addition = { name: params.name, form: body, caller }
      const added = mayCreate(caller)
        ? await addCluster(manager, addition)
        : await manager.selfService.create({ ...addition, form: formOf(body) })
      return added.ok ? ok(await firstView(manager, params.name)) : added
    },
  }),

  'clusters.delete': route({
    methods: ['GET', 'POST', 'DELETE'],
    paths: ['/api/clusters/actions/delete/:cluster'],
    summary:
      'Stop watching a cluster; its servers go on running. In self-service its sponsor drops it with its services and their data.',
    grant: 'cluster-delete',
    reply: { status: 200, type: 'empty' },
    failures: { ...jobFailures, 'unknown-cluster': [400, 'Invalid cluster name'] },
    plan: ({ manager, params, caller }) =>
      planChange(manager, 'delete-cluster', (changes) => changes.deleteCluster(params.cluster, caller.user)),
    answer: async ({ manager, params, caller }) => {
      const cleared = await manager.selfService.clear(params.cluster, caller)
      return cleared.ok ? manager.deleteCluster(params.cluster, caller.user) : cleared
    },
  }),
}

interface Addition {
  readonly name: string
  readonly form: z.output<typeof clusterForm>
  readonly caller: Caller
}

/** For every cluster: what a sponsor holds on its own does not count. */
const mayCreate = ({ may }: Caller): boolean => ['cluster-create', 'prov-cluster'].some((grant) => may(grant, ''))

/** `plan` is a switch of the query, too. */
const formOf = ({ orchestrator, plan }: Addition['form']) => ({
  ...(orchestrator === undefined ? {} : { orchestrator }),
  ...(plan === undefined || isSwitch(plan) ? {} : { plan }),
})

const isSwitch = (plan: string): boolean => /^(true|false)?$/.test(plan)

async function planSelfService({ selfService }: ManagerFace, { name, caller }: Addition) {
  const { enabled, reason = '', neededDbu, neededApu, orchestrator } = await selfService.status(caller)
  return listed('add-cluster', enabled ? ok(undefined) : fail('self-service-refused', reason), [
    `Create ${name} in self-service on the orchestrator ${orchestrator}, with you as its sponsor`,
    `Reserve ${neededDbu} DBU and ${neededApu} APU for it`,
  ])
}

function addCluster(changes: ChangesFace, { name, form, caller }: Addition): Promise<Result<void>> | Result<void> {
  if (form.orchestrator === 'local' && !globalGrants.some((grant) => caller.may(grant, '')))
    return fail(
      'setting-grant',
      `orchestrator local runs programs of this machine: it needs ${globalGrants.join(' or ')}`,
    )
  const { orchestrator, plan = '' } = form
  const sizes = isSwitch(plan) ? {} : { plan }
  return changes.addCluster(name, { ...(orchestrator ? { orchestrator } : {}), ...sizes }, caller.user)
}

/** The new cluster as it is; it exists even where its first view is not there yet. */
async function firstView(manager: ManagerFace, name: string): Promise<PublishedView> {
  const view = await manager.view(name, 'cluster')
  return view.ok ? view.value : publishJson({ name, unavailable: view.failure.message }, 0)
}
