// What the archives of a cluster's proxies are built from, by its settings.

import { reveal } from '../../../lib/base/secret.js'
import { choosePathContext, type ProxyFacts, type ProxySoftware } from '../../../lib/configure/index.js'
import { addressText } from '../../../lib/model/server/server.js'
import { serverId } from '../../../lib/model/server/server-id.js'
import { type ProxyService, proxyServices } from '../../../lib/proxy/kit/services.js'
import type { Settings } from '../../../lib/settings/index.js'
import { splitAddress } from '../../../lib/settings/kit/address.js'
import { credentials } from '../../../lib/settings/secret/credentials.js'
import type { ProxyArchiveInput } from '../../archive/index.js'
import { certificateSource } from './archives.js'
import { serverDirectory } from './needs.js'

/** One input per configured proxy. */
export function proxyInputs(cluster: string, settings: Settings): readonly ProxyArchiveInput[] {
  const services = proxyServices(settings)
  const certificates = certificateSource(settings)
  const databases = settings['db-servers-hosts'].flatMap((entry) => {
    const address = splitAddress(entry)
    return address ? [{ ...address, id: serverId(cluster, addressText(address)) }] : []
  })
  return services.map((service) => {
    const { id, name, host, port, software } = service
    const position = services.filter((each) => each.software === software).indexOf(service)
    const tags = tagsOf(settings, software)
    const context = choosePathContext({
      ...{ orchestrator: settings['prov-orchestrator'], tags, cluster, server: service },
      directory: serverDirectory(settings['monitoring-datadir'], cluster, service),
    })
    return {
      ...{ cluster, databases, tags, context, certificates },
      ...{ proxy: { id, name, host, port, software, position }, facts: factsOf(settings, service) },
      tree: context.kind !== 'local',
    }
  })
}

/** Tags that settings imply. */
const implied: readonly [tag: string, holds: (settings: Settings, software: ProxySoftware) => boolean][] = [
  ['runtimeapi', (settings, software) => software === 'haproxy' && settings['haproxy-mode'] === 'runtimeapi'],
  ['externalcheck', (settings, software) => software === 'haproxy' && settings['haproxy-mode'] !== 'runtimeapi'],
  ['asuser', (settings) => settings['prov-orchestrator'] === 'local' && systemUser(settings) !== ''],
  ['sphinx', (_, software) => software === 'sphinx'],
]

/** Tags that `prov-proxy-tags` must not name. */
export const impliedTags: readonly string[] = ['runtimeapi', 'externalcheck', 'asuser']

function tagsOf(settings: Settings, software: ProxySoftware): readonly string[] {
  const chosen = settings['prov-proxy-tags'].filter((tag) => !implied.some(([name]) => name === tag))
  const more = implied.flatMap(([tag, holds]) => (holds(settings, software) ? [tag] : []))
  const reads = settings['proxy-servers-read-on-master'] ? ['readonmaster'] : []
  return [...new Set([...chosen, ...reads, ...more])]
}

/** Only root can change to another user. */
const systemUser = (settings: Settings): string => (process.getuid?.() === 0 ? settings['prov-local-user'] : '')

type OwnFacts = Pick<ProxyFacts, 'ports' | 'admin'>

const noPorts = {
  ...{ write: undefined, read: undefined, readWrite: undefined, binlog: undefined },
  ...{ stats: undefined, maxinfo: undefined },
}

/** What differs between the kinds of proxies. */
const ownFacts: Readonly<Record<ProxySoftware, (settings: Settings, admin: number) => OwnFacts>> = {
  haproxy: (settings, admin) => ({
    ports: {
      ...noPorts,
      ...{ write: settings['haproxy-write-port'], read: settings['haproxy-read-port'] },
      ...{ stats: settings['haproxy-stat-port'], admin },
    },
    admin: { user: settings['haproxy-user'], password: reveal(settings['haproxy-password']) },
  }),
  proxysql: (settings, admin) => ({
    ports: { ...noPorts, write: settings['proxysql-port'], read: settings['proxysql-port'], admin },
    admin: { user: settings['proxysql-user'], password: reveal(settings['proxysql-password']) },
  }),
  maxscale: (settings, admin) => ({
    ports: {
      ...noPorts,
      ...{ write: settings['maxscale-write-port'], read: settings['maxscale-read-port'], admin },
      ...{ readWrite: settings['maxscale-read-write-port'], binlog: settings['maxscale-binlog-port'] },
      maxinfo: settings['maxscale-maxinfo-port'],
    },
    admin: { user: settings['maxscale-user'], password: reveal(settings['maxscale-pass']) },
  }),
  sphinx: (settings, admin) => ({
    ports: { ...noPorts, read: settings['sphinx-sql-port'], admin },
    admin: { user: '', password: '' },
  }),
}

function factsOf(settings: Settings, { software, port }: ProxyService): ProxyFacts {
  const monitor = credentials(settings['db-servers-credential'])
  const isLocal = settings['prov-orchestrator'] === 'local'
  return {
    ...ownFacts[software](settings, port),
    binds: { write: settings['haproxy-ip-write-bind'], read: settings['haproxy-ip-read-bind'] },
    backends: { write: settings['haproxy-api-write-backend'], read: settings['haproxy-api-read-backend'] },
    groups: { writer: settings['proxysql-writer-hostgroup'], reader: settings['proxysql-reader-hostgroup'] },
    monitor: { user: monitor.user, password: reveal(monitor.password) },
    maxConnections: settings['proxy-servers-backend-max-connections'],
    maxLag: settings['proxy-servers-backend-max-replication-lag'],
    compression: settings['proxy-servers-backend-compression'],
    ...{ memoryMb: settings['prov-proxy-memory'] * 1024, cores: settings['prov-proxy-cpu-cores'] },
    manager: { host: isLocal ? '127.0.0.1' : settings['monitoring-address'], port: settings['http-port'] },
    route: {
      ...{ address: settings['prov-proxy-route-addr'], netmask: settings['prov-proxy-route-mask'] },
      interface: settings['prov-proxy-route-interface'],
    },
    systemUser: systemUser(settings),
  }
}
