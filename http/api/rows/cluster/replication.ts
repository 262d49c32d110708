// Forming a cluster of servers that do not replicate yet, and the way back to such servers.
import * as z from 'zod'
import { done, fail, ok, type Result } from '../../../../lib/base/result.js'
import { formedTopologies, noFormedTopology, unformedTopologies } from '../../../../lib/model/wire.js'
import { flag } from '../../kit/input.js'
import { planWork } from '../../kit/plan/planned.js'
import { noCluster, usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { ended, OPERATION_WAIT, operationFailures } from './operations.js'

const nothing = (result: Result<unknown>): Result<void> => (result.ok ? done : result)

/** Topologies that clients name; of some the answer says why they are not formed. */
const topologies = [...formedTopologies, ...Object.keys(unformedTopologies)]

const topologyOf = (name: string): Result<string> =>
  topologies.includes(name) ? ok(name) : fail('unknown-topology', noFormedTopology(name))

export const replicationRoutes = {
  'replication.bootstrap': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/replication/bootstrap/:topology'],
    summary: `Make standalone servers one of ${formedTopologies.map((name) => `\`${name}\``).join(', ')}: the preferred one (else the first) becomes the master, and the settings say what the cluster is. \`multi-master-wsrep\` gives them the tag \`wsrep\`, restarts them one by one, the first as a new Galera cluster, and lets the others be filled from it, where the orchestrator is \`local\`; elsewhere it sees whether they are one cluster, and says what is lacking. Nothing is lost: a server that holds transactions of its own is a reason to refuse.`,
    grant: 'cluster-replication',
    params: z.looseObject({ topology: z.string().meta({ enum: topologies }) }),
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...operationFailures, ...usual('unknown-topology', 'unsupported', 'file-unwritable') },
    plan: ({ cluster, params }) => {
      const topology = topologyOf(params.topology)
      return topology.ok ? planWork(cluster, { type: 'bootstrap', topology: topology.value }) : topology
    },
    answer: async ({ manager, params, caller }) => {
      const topology = topologyOf(params.topology)
      if (!topology.ok) return topology
      const wish = { cluster: params.cluster, topology: topology.value, user: caller.user }
      return nothing(ended(await manager.formTopology(wish)))
    },
  }),

  'replication.cleanup': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/replication/cleanup'],
    summary:
      'End the replication of every server and forget its history: channels, binary logs, positions. The data stay, the master takes writes. Refused while anybody replicates, unless `force=true`: then every slave that can catches up first.',
    grant: 'cluster-replication',
    query: z.object({ force: flag().optional() }),
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...operationFailures, ...usual('bad-request') },
    plan: ({ cluster, query }) => planWork(cluster, { type: 'cleanup', force: query.force ?? false }),
    answer: async ({ cluster, query, caller }) => {
      const request = { user: caller.user, force: query.force ?? false, wait: true }
      return nothing(ended(await cluster.ask('cleanup', request, { deadlineMs: OPERATION_WAIT })))
    },
  }),
}
