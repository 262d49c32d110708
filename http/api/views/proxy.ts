// Proxies with their backends as clients read them: figures of backends are text there.
import type { ProxyBackend, ProxyReading } from '../../../lib/proxy/index.js'
import type { ViewInput } from './input.js'

export function renderProxy(proxy: ProxyReading) {
  const group = (name: ProxyBackend['group']) =>
    proxy.backends.filter((backend) => backend.group === name).map((backend) => renderBackend(backend, proxy))
  return {
    id: proxy.id,
    name: proxy.name,
    type: proxy.kind,
    host: proxy.host,
    port: `${proxy.port}`,
    version: proxy.version,
    state: proxy.alive ? 'ProxyRunning' : 'Failed',
    lastError: proxy.error ?? '',
    backendsWrite: group('write'),
    backendsRead: group('read'),
  }
}

/** `topology/proxies`. */
export const renderProxies = ({ proxies }: ViewInput) => proxies.map(renderProxy)

const renderBackend = (backend: ProxyBackend, proxy: ProxyReading) => ({
  host: backend.host,
  port: `${backend.port}`,
  status: backend.state,
  prxName: proxy.name,
  prxStatus: backend.state,
  prxConnections: `${backend.connections}`,
  prxHostgroup: backend.group,
  prxByteIn: `${backend.bytesIn}`,
  prxByteOut: `${backend.bytesOut}`,
  prxLatency: `${backend.latencyMs}`,
  prxMaintenance: /maint/i.test(backend.state),
})
