// What serves demonstrations, tests and those who set a cluster up: traffic, waiting for databases, the vault's token.
import { z } from 'zod'
import { fail } from '../../../../lib/base/result.js'
import { SECOND } from '../../../../lib/base/time.js'
import { wholeNumber } from '../../kit/input.js'
import { planWork } from '../../kit/planned.js'
import { asked, clusterNotFound, noCluster, usual } from '../../kit/refusals.js'
import { type Context, route } from '../../kit/route.js'

/** Seconds. */
const LONGEST_WAIT = 300
const USUAL_WAIT = 60

const changed = usual('wrong-value', 'file-unwritable')

/** The switch of the setting: so it shows in the cluster object, in the settings and in their history. */
const turnTraffic = (
  { manager, params, caller }: Context<{ readonly cluster: string }, unknown, unknown>,
  value: 'true' | 'false',
) => manager.setSetting({ cluster: params.cluster, name: 'test-inject-traffic', value, user: caller.user })

export const trialRoutes = {
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
    summary: 'Mail the token of the vault to `mail-to`: the one of `vault-token`, or one of a login with the role.',
    grant: 'cluster-settings',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...usual('disabled', 'http-failed', 'mail-failed') },
    answer: ({ manager, params, caller }) => manager.users.sendVaultToken({ cluster: params.cluster, by: caller.user }),
  }),
}
