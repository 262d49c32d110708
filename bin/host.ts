// The entry module of a host thread: joins cluster actors with the wire's views and the orchestrators.
import { createClusterActor } from '../actors/cluster/actor.js'
import { runHost } from '../actors/kernel/host.js'
import { renderClusterViews } from '../http/api/views/index.js'
import { orchestratorOf } from './join/orchestrator.js'

runHost({
  kinds: {
    cluster: createClusterActor({
      render: (view, source) => renderClusterViews[view](source),
      orchestrator: orchestratorOf,
    }),
  },
})
