// Removes the services of a cluster with their data, before the cluster is dropped.
import { done, fail, type Result } from '../../../lib/base/result.js'
import type { ClusterProtocol } from '../../protocol/cluster.js'
import type { ActorRef } from '../../protocol/envelope.js'

interface Removal {
  readonly cluster: string
  readonly user: string
  readonly deadlineMs: number
}

/** Done where it has none. Failures: those of the jobs; what is removed already is no failure of a second attempt. */
export async function removeServices(
  actor: ActorRef<ClusterProtocol> | undefined,
  { cluster, user, deadlineMs }: Removal,
): Promise<Result<void>> {
  if (!actor) return fail('unknown-cluster', `no cluster ${cluster}`)
  const request = { user, action: 'unprovision', force: true, wait: true } as const
  const removed = await actor.ask('run-services', request, { deadlineMs })
  if (removed.ok) return done
  if (removed.failure.code !== 'wrong-state') return removed
  const snapshot = await actor.ask('snapshot', {}, { deadlineMs })
  return snapshot.ok && snapshot.value.servers.length === 0 ? done : removed
}
