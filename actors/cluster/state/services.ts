// The databases and proxies of a cluster as services. Pure.
import type { ServiceSpec } from '../../../lib/model/operation/services.js'
import { proxyServices } from '../../../lib/proxy/kit/services.js'
import type { ClusterState } from './state.js'

/** Databases first, then proxies. */
export const listServices = ({ snapshot, settings }: ClusterState): readonly ServiceSpec[] => [
  ...snapshot.servers.map(({ id, name, host, port }): ServiceSpec => ({ kind: 'database', id, name, host, port })),
  ...proxyServices(settings),
]
