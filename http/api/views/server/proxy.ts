// Proxies with their backends as clients read them: figures of backends are text there.
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import { proxyStateTexts } from '../../../../lib/model/wire.js'
import type { ProxyBackend, ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import type { WatchedProxy } from '../../../../lib/proxy/standing.js'
import type { ViewInput } from '../kit/input.js'
import { renderRule } from './query-rules.js'

export function renderProxy(proxy: WatchedProxy) {
  const group = (name: ProxyBackend['group']) =>
    proxy.backends.filter((backend) => backend.group === name).map((backend) => renderBackend(backend, proxy))
  return {
    ...atRestInProxies,
    id: proxy.id,
    name: proxy.name,
    type: proxy.kind,
    host: proxy.host,
    port: `${proxy.port}`,
    version: proxy.version,
    ...doors(proxy),
    queryRules: (proxy.rules ?? []).map(renderRule),
    serviceName: proxy.name,
    state: proxyStateTexts[proxy.state],
    prevState: proxyStateTexts[proxy.before],
    failCount: proxy.failures,
    lastError: proxy.error ?? proxy.differs ?? '',
    backendsWrite: group('write'),
    backendsRead: group('read'),
  }
}

const doors = ({
  doors: { write = 0, read = 0, readWrite = 0, writerGroup = 0, readerGroup = 0 } = {},
}: WatchedProxy) => ({
  ...{ writePort: write, readPort: read, readWritePort: readWrite },
  ...{ writerHostGroup: writerGroup, readerHostGroup: readerGroup },
})

/** What clients read of kinds of proxies that this one is not, or of things that are at rest. */
export const atRestInProxies = {
  ...{
    hostIPV6: '',
    tunnelPort: 0,
    tunnelWritePort: 0,
    tunnel: false,
    internalProxy: null,
    shardProxy: null,
    datadir: '',
  },
  ...{ slaposDatadir: '', process: null, agent: '', weight: '', Lock: {} },
}

/** `topology/proxies`: those that are watched, then those that the settings name only. */
export const renderProxies = (input: ViewInput) => [
  ...input.proxies.map((proxy) => ({ ...renderProxy(proxy), ...renderWanted(input.routes) })),
  ...unwatchedProxies(input).map(renderUnwatched),
]

/** The servers that each proxy should send writes and reads to, whatever it does: `backendsWrite` and `backendsRead` are what it does. */
const renderWanted = (routes: ProxyTarget | undefined) =>
  routes && {
    wantedWrite: routes.primary ? [{ host: routes.primary.host, port: `${routes.primary.port}`, state: 'ready' }] : [],
    wantedRead: routes.readers.map(({ host, port, state }) => ({ host, port: `${port}`, state })),
  }

/** Proxies that the manager delivers files to and does not talk to, or of which nothing was read yet. */
export const unwatchedProxies = ({ proxies, services = [] }: ViewInput): readonly ServiceSpec[] =>
  services.filter(({ kind, id }) => kind === 'proxy' && !proxies.some((watched) => watched.id === id))

/** Without a state: none is known. */
const renderUnwatched = ({ id, name, host, port, software = '' }: ServiceSpec) => ({
  ...atRestInProxies,
  ...{ id, name, type: software, host, port: `${port}`, version: '', serviceName: name },
  ...{ writePort: 0, readPort: 0, readWritePort: 0, writerHostGroup: 0, readerHostGroup: 0 },
  ...{ queryRules: [], state: '', prevState: '', failCount: 0, lastError: '', backendsWrite: [], backendsRead: [] },
})

const renderBackend = (backend: ProxyBackend, proxy: WatchedProxy) => ({
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
  ...(backend.weight === undefined ? {} : { weight: backend.weight }),
  prxMaintenance: /maint|offline_soft/i.test(backend.state),
})
