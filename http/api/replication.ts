// Forming a cluster of servers that do not replicate yet.
import { OPERATION_WAIT, operationFailures } from './operations.js'
import { noCluster, usual } from './refusals.js'
import { route } from './route.js'

export const replicationRoutes = {
  'replication.bootstrap': route({
    methods: ['GET', 'POST'],
    paths: ['/api/clusters/:cluster/actions/replication/bootstrap/:topology'],
    summary:
      'Make standalone servers replicate: the preferred one (else the first) becomes the master. Nothing is lost: a server that holds transactions of its own is a reason to refuse.',
    grant: 'cluster-replication',
    reply: { status: 200, type: 'empty' },
    failures: { ...noCluster, ...operationFailures, ...usual('unknown-topology') },
    answer: ({ cluster, params, caller }) =>
      cluster.ask(
        'bootstrap',
        { user: caller.user, topology: params.topology, wait: true },
        { deadlineMs: OPERATION_WAIT },
      ),
  }),
}
