// The HAProxy proxies of a cluster, as its settings name them.
import type { Settings } from '../../settings/table/index.js'
import type { Proxy as ProxyAdapter } from '../index.js'
import { proxyServices } from '../services.js'
import { createHaproxy } from './adapter.js'

export { createHaproxy, type HaproxyConfig } from './adapter.js'

/** Longest time of one question: it stands in the way of a failover. */
const QUESTION_MS = 500

/** One adapter per HAProxy in mode `runtimeapi`. */
export function haproxyFromSettings(settings: Settings): readonly ProxyAdapter[] {
  if (settings['haproxy-mode'] !== 'runtimeapi') return []
  const backends = {
    write: settings['haproxy-api-write-backend'],
    read: settings['haproxy-api-read-backend'],
  }
  return proxyServices(settings)
    .filter(({ software }) => software === 'haproxy')
    .map(({ id, name, host, port }) => createHaproxy({ id, name, host, port, backends, timeoutMs: QUESTION_MS }))
}
