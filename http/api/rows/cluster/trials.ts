// What serves demonstrations, tests and those who set a cluster up: traffic, benchmarks, waiting for databases, the vault's token.
import * as z from 'zod'
import type { ManagerFace } from '../../../../actors/protocol/manager/face.js'
import { globalGrants } from '../../../../lib/access/grants.js'
import { fail, ok } from '../../../../lib/base/result.js'
import { DAY, SECOND } from '../../../../lib/base/time.js'
import { flag, wholeNumber } from '../../kit/input.js'
import { listed, planWork } from '../../kit/plan/planned.js'
import { asked, clusterNotFound, noCluster, notStated, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'
import { jobLocation } from './services.js'

/** Seconds. */
const LONGEST_WAIT = 300
const USUAL_WAIT = 60

const changed = usual('wrong-value', 'file-unwritable')

/** The switch of the setting: so it shows in the cluster object, in the settings and in their history. */
const turnTraffic = (
  { manager, params, caller }: Context<{ readonly cluster: string }, unknown, unknown>,
  value: 'true' | 'false',
) => manager.setSetting({ cluster: params.cluster, name: 'test-inject-traffic', value, user: caller.user })

const isWriting = (settings: ReturnType<ManagerFace['settings']>): boolean =>
  settings.find(({ name }) => name === 'test-inject-traffic')?.value === true

const begunSchema = z
  .object({ cluster: z.string(), job: z.number().int(), result: z.string() })
  .meta({ id: 'BenchmarkJob' })

export const trialRoutes = {
  'trial.sysbench': route({
    cli: 'cluster sysbench',
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/sysbench'],
    summary:
      'Measure the primary by sysbench as a job: fill tables of a schema that is created for it, run the test, remove the schema. Only where the setting `test` permits it.',
    grant: ['cluster-bench', 'cluster-test'],
    query: z.object({ threads: wholeNumber({ min: 1, max: 1_024 }).optional(), wait: flag().optional() }),
    reply: { status: 200, type: 'json', schema: begunSchema, location: jobLocation },
    failures: {
      ...noCluster,
      ...asked,
      ...usual('wrong-state', 'no-primary', 'operation-running', 'observing', 'script-failed', 'job-cancelled'),
      ...usual('job-interrupted', 'other-manager'),
      ...notStated,
    },
    example: { reply: { cluster: 'shop', job: 12, result: '' } },
    plan: ({ manager, params }) => {
      const permitted = manager.settings(params.cluster).find(({ name }) => name === 'test')?.value === true
      const judged = permitted
        ? ok(undefined)
        : fail('wrong-state', 'set test to true where nobody depends on the cluster')
      return listed('sysbench', judged, [
        'Create schema and account manager_bench on the primary',
        'Fill the tables of the test, and run it',
        'Remove schema and account',
      ])
    },
    answer: async ({ cluster, params, caller, query: { threads, wait = false } }) => {
      const request = { user: caller.user, wait, ...(threads === undefined ? {} : { threads }) }
      const ticket = await cluster.ask('begin-benchmark', request, { deadlineMs: 2 * DAY })
      if (!ticket.ok) return ticket
      const { id, result = '' } = ticket.value.job
      return ok({ cluster: params.cluster, job: id, result })
    },
  }),
  'trial.start-traffic': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/start-traffic'],
    summary:
      'Write test rows on the current master until stop-traffic: four rows per second in a separate schema (`manager_traffic`). Shown as `traffic` of the cluster.',
    grant: 'cluster-traffic',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked, ...changed, ...usual('no-primary') },
    plan: ({ cluster }) => planWork(cluster, { type: 'traffic', run: true }),
    answer: async (context) => {
      const { cluster, params } = context
      // Asked of the actor itself: the published members are a moment older than what waitdatabases has answered.
      const snapshot = await cluster.ask('snapshot', {})
      if (!snapshot.ok) return snapshot
      if (snapshot.value.primary === undefined) return fail('no-primary', `${params.cluster} has no master to write on`)
      return turnTraffic(context, 'true')
    },
  }),

  'trial.stop-traffic': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/stop-traffic'],
    summary: 'End the traffic; its schema stays.',
    grant: 'cluster-traffic',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked, ...changed },
    plan: ({ cluster }) => planWork(cluster, { type: 'traffic', run: false }),
    answer: (context) => turnTraffic(context, 'false'),
  }),

  'trial.switch-traffic': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/switch/database-heartbeat'],
    summary: 'Start the traffic where it is off, else end it: the switch of `test-inject-traffic`.',
    grant: 'cluster-traffic',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...asked, ...changed },
    plan: ({ cluster, manager, params }) =>
      planWork(cluster, { type: 'traffic', run: !isWriting(manager.settings(params.cluster)) }),
    answer: ({ manager, params, caller }) =>
      manager.switchSetting({ cluster: params.cluster, name: 'test-inject-traffic', user: caller.user }),
  }),

  'trial.waitdatabases': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/waitdatabases'],
    summary:
      'Answers when every database answers, there is a master and no error is open; what is missing when that takes too long.',
    grant: 'token',
    query: z.object({
      seconds: wholeNumber({ min: 1, max: LONGEST_WAIT }).default(USUAL_WAIT).describe('Longest wait.'),
    }),
    slow: true,
    reply: { status: 200, type: 'empty' },
    failures: { ...clusterNotFound, ...asked, 'deadline-passed': [500] },
    answer: ({ cluster, query }) =>
      cluster.ask('wait-databases', { seconds: query.seconds }, { deadlineMs: (query.seconds + 10) * SECOND }),
  }),

  'trial.send-vault-token': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/send-vault-token'],
    summary:
      'Mail what opens the token of the vault once to `mail-to` of the configuration files: the one of `vault-token`, or one of a login with the role. For administrators of the whole service.',
    grant: globalGrants,
    reply: { status: 200, type: 'empty' },
    failures: {
      ...noCluster,
      ...usual('no-grant', 'disabled', 'wrong-state', 'too-often', 'http-failed', 'mail-failed'),
    },
    plan: () => listed('send-vault-token', ok(undefined), ['Mail what opens the token of the vault once to mail-to']),
    answer: ({ manager, params, caller }) =>
      globalGrants.some((grant) => caller.may(grant, ''))
        ? manager.users.sendVaultToken({ cluster: params.cluster, by: caller.user })
        : fail('no-grant', `the token of the vault takes ${globalGrants.join(' or ')} for all clusters`),
  }),
}
