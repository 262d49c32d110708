// The variables that a rule for proxies may name as `%%ENV:NAME%%`: what each means and how it is computed.
import type { ServerAddress } from '../../model/server/server.js'
import { crc64 } from '../../model/server/server-id.js'
import type { ProxySoftware } from './gates.js'
import { type ConfiguredServer, placeProxyPaths } from './paths.js'
import type { Account, ConfiguredProxy, ProxyFacts, ProxyValues } from './proxy-facts.js'

export interface ProxyVariable {
  readonly meaning: string
  /** Undefined: it has no value here. */
  readonly compute: (values: ProxyValues) => string | undefined
  /** What to do where it has no value. */
  readonly missing?: string
}

/** In parts that are repeated for each database. */
export interface DatabaseVariable {
  readonly meaning: string
  readonly compute: (database: ConfiguredServer) => string
}

export const databaseRows: Readonly<Record<string, DatabaseVariable>> = {
  DATABASE_ID: { meaning: 'Id of the database, as the manager names it.', compute: ({ id }) => id },
  DATABASE_HOST: { meaning: 'Host of the database.', compute: ({ host }) => host },
  DATABASE_PORT: { meaning: 'Port of the database.', compute: ({ port }) => `${port}` },
  DATABASE_ADDRESS: { meaning: 'Host and port, an IPv6 address in brackets.', compute: socketAddress },
}

const prefix = 'SVC_CONF_ENV_'

const whoAndWhere: Readonly<Record<string, ProxyVariable>> = {
  CLUSTER_NAME: { meaning: 'Name of the cluster.', compute: ({ cluster }) => cluster },
  PROXY_ID: { meaning: 'Id of the proxy.', compute: ({ proxy }) => proxy.id },
  PROXY_NAME: { meaning: 'Name of the proxy.', compute: ({ proxy }) => proxy.name },
  PROXY_SOFTWARE: { meaning: 'What the proxy is: the name of its program.', compute: ({ proxy }) => program(proxy) },
  SERVER_HOST: { meaning: 'Host of the proxy.', compute: ({ proxy }) => proxy.host },
  SERVER_PORT: { meaning: 'Port that the manager connects to.', compute: ({ proxy }) => `${proxy.port}` },
  SERVER_IP: {
    meaning: 'Host of the proxy, an IPv6 address in brackets.',
    compute: ({ proxy }) => bracketed(proxy.host),
  },
  SERVER_FAMILY: {
    meaning: 'ipv4 or ipv6, as the host of the proxy is written.',
    compute: ({ proxy }) => (proxy.host.includes(':') ? 'ipv6' : 'ipv4'),
  },
  [`${prefix}CONFDIR`]: { meaning: 'Folder of its configuration.', compute: (values) => paths(values).configDir },
  [`${prefix}DATADIR`]: { meaning: 'Folder of its data.', compute: (values) => paths(values).dataDir },
  [`${prefix}SSLDIR`]: { meaning: 'Folder of certificates.', compute: (values) => paths(values).tlsDir },
  [`${prefix}SOCKET`]: {
    meaning: 'Path of the socket of its administration.',
    compute: (values) => paths(values).socket,
  },
  [`${prefix}STATEFILE`]: {
    meaning: 'Path of the file with the states of its servers, which it reads when it starts.',
    compute: (values) => paths(values).stateFile,
  },
  [`${prefix}PIDFILE`]: { meaning: 'Path of its pid file.', compute: (values) => paths(values).pidFile },
  [`${prefix}USER`]: {
    meaning: 'System user that it changes to: prov-local-user.',
    compute: ({ facts }) => facts.systemUser || undefined,
    missing: 'set prov-local-user',
  },
}

const port = (meaning: string, name: keyof ProxyFacts['ports']): ProxyVariable => ({
  meaning,
  compute: ({ facts }) => facts.ports[name]?.toString(),
  missing: 'this kind of proxy has no such port',
})

const portRows: Readonly<Record<string, ProxyVariable>> = {
  [`${prefix}PORT_RW`]: port('Port that takes writes.', 'write'),
  [`${prefix}PORT_R_LB`]: port('Port that takes reads.', 'read'),
  [`${prefix}PORT_RW_SPLIT`]: port('Port that accepts both reads and writes and routes them.', 'readWrite'),
  [`${prefix}PORT_BINLOG`]: port('Port of its binary log server.', 'binlog'),
  [`${prefix}PORT_HTTP`]: port('Port of its statistics.', 'stats'),
  [`${prefix}PORT_ADMIN`]: port('Port of its administration.', 'admin'),
  [`${prefix}PORT_TELNET`]: port('Port of the old information service of MaxScale.', 'maxinfo'),
  [`${prefix}BIND_RW`]: {
    meaning: 'Address it takes writes on, an IPv6 address in brackets.',
    compute: ({ facts }) => bracketed(facts.binds.write),
  },
  [`${prefix}BIND_R_LB`]: {
    meaning: 'Address it takes reads on, an IPv6 address in brackets.',
    compute: ({ facts }) => bracketed(facts.binds.read),
  },
}

const account = (whose: 'monitor' | 'admin', part: keyof Account, setting: string): ProxyVariable => ({
  meaning: `${part === 'user' ? 'User' : 'Password'} of ${setting}.`,
  compute: ({ facts }) => facts[whose][part] || undefined,
  missing: `set ${setting}`,
})

const accountRows: Readonly<Record<string, ProxyVariable>> = {
  [`${prefix}MONITOR_USER`]: account('monitor', 'user', 'db-servers-credential'),
  [`${prefix}MONITOR_PASSWORD`]: account('monitor', 'password', 'db-servers-credential'),
  [`${prefix}ADMIN_USER`]: account('admin', 'user', 'the account of its administration'),
  [`${prefix}ADMIN_PASSWORD`]: account('admin', 'password', 'the account of its administration'),
}

const flag = (value: boolean): string => (value ? '1' : '0')

const trafficRows: Readonly<Record<string, ProxyVariable>> = {
  BACKEND_WRITE: { meaning: 'Name of the backend of writes.', compute: ({ facts }) => facts.backends.write },
  BACKEND_READ: { meaning: 'Name of the backend of reads.', compute: ({ facts }) => facts.backends.read },
  [`${prefix}PROXYSQL_WRITER_HOSTGROUP`]: {
    meaning: 'Group of ProxySQL that takes writes.',
    compute: ({ facts }) => `${facts.groups.writer}`,
  },
  [`${prefix}PROXYSQL_READER_HOSTGROUP`]: {
    meaning: 'Group of ProxySQL that takes reads.',
    compute: ({ facts }) => `${facts.groups.reader}`,
  },
  [`${prefix}READ_ON_MASTER`]: {
    meaning: 'true when the primary takes reads too, as a tag or a setting says.',
    compute: ({ tags }) => `${tags.has('readonmaster')}`,
  },
  [`${prefix}USE_SSL`]: {
    meaning: '1 when the proxy uses TLS to the databases: the tag ssl.',
    compute: ({ tags }) => flag(tags.has('ssl')),
  },
  [`${prefix}USE_COMPRESS`]: {
    meaning:
      '1 when it compresses what it sends them: proxy-servers-backend-compression, unless the tag nonetworkcompress.',
    compute: ({ facts, tags }) => flag(facts.compression && !tags.has('nonetworkcompress')),
  },
  [`${prefix}CAUSAL_READ`]: {
    meaning: 'What a session reports so that its reads see its writes.',
    compute: () => 'last_gtid',
  },
  [`${prefix}MAX_CONNECTIONS`]: {
    meaning: 'Connections to one database: proxy-servers-backend-max-connections.',
    compute: ({ facts }) => `${facts.maxConnections}`,
  },
  [`${prefix}MAX_LAG`]: {
    meaning: 'Seconds that a reader may lag: proxy-servers-backend-max-replication-lag.',
    compute: ({ facts }) => `${facts.maxLag}`,
  },
  [`${prefix}MAX_CORES`]: { meaning: 'Cores: prov-proxy-cpu-cores.', compute: ({ facts }) => `${facts.cores}` },
  [`${prefix}SPHINX_MEM`]: {
    meaning: 'Memory of the indexer of Sphinx, MB: a quarter of prov-proxy-memory, 32 to 2047.',
    compute: ({ facts }) => `${Math.min(2047, Math.max(32, Math.floor(facts.memoryMb / 4)))}`,
  },
  [`${prefix}SPHINX_MAX_CHILDREN`]: {
    meaning: 'Searches that Sphinx carries out at once: 30 for each core.',
    compute: ({ facts }) => `${30 * facts.cores}`,
  },
  MANAGER_HOST: {
    meaning: 'Address of the manager: monitoring-address, this machine under the local orchestrator.',
    compute: ({ facts }) => facts.manager.host || undefined,
    missing: 'set monitoring-address',
  },
  MANAGER_PORT: { meaning: 'Its port without TLS: http-port.', compute: ({ facts }) => `${facts.manager.port}` },
}

const routeRows: Readonly<Record<string, ProxyVariable>> = {
  [`${prefix}VIP_ADDR`]: {
    meaning: 'Address that the proxies share: prov-proxy-route-addr.',
    compute: ({ facts }) => facts.route.address || undefined,
    missing: 'set prov-proxy-route-addr',
  },
  [`${prefix}VIP_MASK`]: {
    meaning: 'Length of its prefix: of prov-proxy-route-mask.',
    compute: ({ facts }) => prefixLength(facts.route.netmask),
    missing: 'prov-proxy-route-mask is no mask: write for example 255.255.255.0 or 24',
  },
  [`${prefix}VIP_INTERFACE`]: {
    meaning: 'Network interface that takes it: prov-proxy-route-interface.',
    compute: ({ facts }) => facts.route.interface || undefined,
    missing: 'set prov-proxy-route-interface',
  },
  [`${prefix}VIP_PORT`]: port('Port that clients use behind it: that of writes.', 'write'),
  [`${prefix}VIP_ROUTER_ID`]: {
    meaning: 'Number of the cluster among others on the network, 1 to 255, made of its name.',
    compute: ({ cluster }) => `${1 + Number(crc64(`route ${cluster}`) % 255n)}`,
  },
  [`${prefix}VIP_PRIORITY`]: {
    meaning: 'Priority of the proxy: 100 for the first, 1 less for each further one.',
    compute: ({ proxy }) => `${Math.max(1, 100 - proxy.position)}`,
  },
}

const each =
  (line: (database: ConfiguredServer) => string, between: string) =>
  ({ databases }: ProxyValues) =>
    databases.map(line).join(between) || undefined

const noDatabases = 'set db-servers-hosts'

/** Lists for rules that cannot repeat a part. */
const listRows: Readonly<Record<string, ProxyVariable>> = {
  [`${prefix}SERVERS_HAPROXY_WRITE`]: {
    meaning: 'The server line of the write backend of an HAProxy that gets the primary from the manager.',
    compute: () => '  server leader 127.0.0.1:1 check inter 1s on-marked-down shutdown-sessions disabled',
  },
  [`${prefix}SERVERS_HAPROXY_READ`]: {
    meaning: 'A line for each database of the backend of reads of an HAProxy.',
    compute: each(
      (database) =>
        `  server ${database.id} ${socketAddress(database)} check inter 1s init-addr last,libc,none disabled`,
      '\n',
    ),
    missing: noDatabases,
  },
  [`${prefix}SERVERS_PROXYSQL`]: {
    meaning: 'A group for each database of the list mysql_servers of ProxySQL.',
    compute: ({ databases, facts }) =>
      databases
        .map(({ host, port: at }) => `  { address="${host}" , port=${at} , hostgroup=${facts.groups.reader} }`)
        .join(',\n') || undefined,
    missing: noDatabases,
  },
  [`${prefix}SERVERS`]: {
    meaning: 'A section for each database of MaxScale.',
    compute: each(({ id, host, port: at }) => `[${id}]\ntype=server\naddress=${host}\nport=${at}`, '\n\n'),
    missing: noDatabases,
  },
  [`${prefix}SERVERS_LIST`]: {
    meaning: 'Ids of all databases, commas between.',
    compute: each(({ id }) => id, ','),
    missing: noDatabases,
  },
}

/** Every variable of proxies by name. */
export const proxyVariables: Readonly<Record<string, ProxyVariable>> = {
  ...{ ...whoAndWhere, ...portRows, ...accountRows, ...trafficRows, ...routeRows, ...listRows },
}

/** Variables whose value is a secret: an archive that contains one has restricted access. */
export const secretVariables: readonly string[] = [`${prefix}MONITOR_PASSWORD`, `${prefix}ADMIN_PASSWORD`]

const paths = ({ context, proxy }: ProxyValues) => placeProxyPaths(context, proxy)

const programs: Readonly<Record<ProxySoftware, string>> = {
  ...{ haproxy: 'haproxy', proxysql: 'proxysql', maxscale: 'maxscale', sphinx: 'searchd' },
}
const program = ({ software }: ConfiguredProxy): string => programs[software]

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host)

function socketAddress({ host, port: at }: ServerAddress): string {
  return `${bracketed(host)}:${at}`
}

/** `255.255.255.0` or `24` as a prefix length; undefined for an invalid mask. */
function prefixLength(mask: string): string | undefined {
  if (/^\d{1,3}$/.test(mask)) return Number(mask) <= 128 ? mask : undefined
  const bytes = mask.split('.').map(Number)
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const isMask = bytes.length === 4 && bytes.every((byte) => byte >= 0 && byte <= 255) && /^1*0*$/.test(bits)
  return isMask ? `${bits.replaceAll('0', '').length}` : undefined
}
