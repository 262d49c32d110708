// The entry module of a host thread: joins cluster actors with the wire's views and the orchestrators.
import { createClusterActor } from '../actors/cluster/actor.js'
import { expositionReads } from '../actors/cluster/publish/exposition.js'
import type { ViewSource } from '../actors/cluster/publish/publish.js'
import { runHost } from '../actors/kernel/host.js'
import { needsOf } from '../actors/manager/delivery/needs.js'
import { offeredTags } from '../actors/manager/delivery/offered-tags.js'
import { orchestratorOf } from '../actors/manager/orchestrator/orchestrator.js'
import { renderClusterViews, type ViewInput } from '../http/api/views/index.js'

const tags = offeredTags()

/** The getters of the source stay lazy: only what a view reads is made. */
const withNeeds = (source: ViewSource): ViewInput =>
  Object.create(source, {
    tags: { value: tags },
    needs: {
      get: () => Object.fromEntries(Object.entries(source.cookies).map(([id, cookies]) => [id, needsOf(cookies)])),
    },
  })

runHost({
  kinds: {
    cluster: createClusterActor({
      render: (view, source) => renderClusterViews[view](withNeeds(source)),
      orchestrator: orchestratorOf,
    }),
  },
  reads: expositionReads,
})
