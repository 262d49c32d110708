// An HAProxy of a cluster, as configured.
import type { Settings } from '../../settings/table/index.js'
import type { Proxy as ProxyAdapter } from '../kit/index.js'
import type { ProxyService } from '../kit/services.js'
import { createHaproxy } from './adapter.js'

export { createHaproxy, type HaproxyConfig } from './adapter.js'

/** Longest time of one request: a failover waits for it. */
const QUESTION_MS = 500

/** Only configured in mode `runtimeapi`; in the others it runs its own checks. */
export function openHaproxy({ id, name, host, port }: ProxyService, settings: Settings): ProxyAdapter | undefined {
  if (settings['haproxy-mode'] !== 'runtimeapi') return undefined
  const backends = { write: settings['haproxy-api-write-backend'], read: settings['haproxy-api-read-backend'] }
  return createHaproxy({ id, name, host, port, backends, timeoutMs: QUESTION_MS })
}
