// The entry module of a host thread: joins cluster actors with the wire's views and the orchestrators.
import { createClusterActor } from '../actors/cluster/actor.js'
import type { ViewSource } from '../actors/cluster/publish.js'
import { runHost } from '../actors/kernel/host.js'
import { renderClusterViews, type ViewInput } from '../http/api/views/index.js'
import { needsOf } from './join/needs.js'
import { offeredTags } from './join/offered-tags.js'
import { orchestratorOf } from './join/orchestrator.js'

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
})
