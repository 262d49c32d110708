// The topology of a cluster on the whole screen.
import { Failed, Loading } from '../../parts/basic/empty.js'
import { permissionFor } from '../../plan/action-button.js'
import { useCluster } from '../../store/cluster/live.js'
import { me } from '../../store/me.js'
import type { PageProps } from '../pages.js'
import { TopologyView } from './topology/topology-view.js'

export function page({ params: { cluster = '' } }: PageProps) {
  const live = useCluster(cluster)
  const { value, failure } = live.servers.value
  if (!value)
    return failure ? <Failed failure={failure} onRetry={live.refresh} /> : <Loading what={`Reading ${cluster}`} />
  return (
    <div class={`page ${failure ? 'stale' : ''}`}>
      <TopologyView
        cluster={cluster}
        servers={value}
        proxies={live.proxies.value.value ?? []}
        {...(me.value?.readOnly === false
          ? {
              moves: {
                readiness: live.readiness.value.value,
                allowsTiers: live.facts.value.value?.allowsTiers,
                denied: (action) => permissionFor(action).reason,
              },
            }
          : {})}
      />
    </div>
  )
}
