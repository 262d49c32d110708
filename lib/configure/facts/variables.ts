// The variables that a rule may name as `%%ENV:NAME%%`: what each means and how it is computed.
import type { ServerAddress } from '../../model/server/server.js'
import { crc64 } from '../../model/server/server-id.js'
import { type Figure, type FigureName, type MemoryPlan, poolChunkMb } from './memory.js'
import type { PathContext } from './paths.js'
import type { Resources } from './resources.js'
import type { Variable, VariableInput } from './variable.js'
import { figureRows, otherNames, pathRows } from './variable-names.js'

const prefix = 'SVC_CONF_ENV_'

const whoAndWhere: Readonly<Record<string, Variable>> = {
  CLUSTER_NAME: { meaning: 'Name of the cluster.', scope: 'server', compute: ({ cluster }) => cluster },
  SERVER_HOST: {
    meaning: 'Host of the server as the cluster knows it.',
    scope: 'server',
    compute: ({ server }) => server.host,
  },
  SERVER_PORT: { meaning: 'Port of the server.', scope: 'server', compute: ({ server }) => `${server.port}` },
  SERVER_IP: {
    meaning: 'Address the server binds to: its own under the local orchestrator, else every one.',
    scope: 'place',
    compute: ({ context, server }) => (context.kind === 'local' ? bindAddress(server.host) : '0.0.0.0'),
  },
  [`${prefix}EXTRA_PORT`]: {
    meaning:
      'Port for the reserved session of the manager: 3307, or 1000 away from the port where servers share a host.',
    scope: 'server',
    compute: ({ context, server }) => `${extraPort(context, server.port)}`,
  },
  [`${prefix}SERVER_ID`]: {
    meaning: 'Number of the server in replication: the first eight digits of its id.',
    scope: 'server',
    compute: ({ server }) => server.id.replace(/\D/g, '').slice(0, 8),
  },
  [`${prefix}DOMAIN_ID`]: {
    meaning: 'GTID domain: prov-db-domain.',
    scope: 'resources',
    compute: ({ resources }) => `${resources.domainId}`,
  },
  [`${prefix}MYSQL_DATADIR`]: { meaning: 'Data folder.', scope: 'place', compute: ({ paths }) => paths.dataDir },
  [`${prefix}MYSQL_CONFDIR`]: { meaning: 'Folder of my.cnf.', scope: 'place', compute: ({ paths }) => paths.configDir },
  [`${prefix}MYSQL_SOCKET`]: { meaning: 'Path of the socket.', scope: 'place', compute: ({ paths }) => paths.socket },
  [`${prefix}MYSQL_PIDFILE`]: {
    meaning: 'Path of the pid file.',
    scope: 'place',
    compute: ({ paths }) => paths.pidFile,
  },
}

/** Addresses that the members of a multi-primary cluster need of each other. */
const peerRows: Readonly<Record<string, Variable>> = {
  [`${prefix}GCOMM`]: {
    meaning: 'Addresses of all servers for Galera as each announces itself, separated by commas.',
    scope: 'server',
    compute: ({ peers, resources }) => peers.map((peer) => groupAddress(peer, peers, resources)).join(','),
  },
  [`${prefix}WSREP_NODE_ADDRESS`]: {
    meaning:
      'Address that Galera announces to the other members: host and the port of its settings; of several servers on one host each takes a port ten above the one before it.',
    scope: 'server',
    compute: ({ server, peers, resources }) => groupAddress(server, peers, resources),
  },
  [`${prefix}WSREP_SST_ADDRESS`]: {
    meaning:
      'Where a Galera server waits for its first copy: AUTO (port 4444 of its host), or two above its port for Galera where that is not the usual one.',
    scope: 'server',
    compute: ({ server, peers, resources }) => {
      const port = groupPort(server, peers, resources)
      return port === USUAL_GROUP_PORT ? 'AUTO' : `${server.host}:${port + 2}`
    },
  },
  [`${prefix}WSREP_PROVIDER`]: {
    meaning: 'Library of Galera, where the packages of Debian put it.',
    scope: 'resources',
    compute: () => '/usr/lib/galera/libgalera_smm.so',
  },
  [`${prefix}WSREP_SST_METHOD`]: {
    meaning: 'How a Galera server gets its first copy, as its settings say.',
    scope: 'resources',
    compute: ({ resources }) => resources.wsrepSstMethod,
  },
  [`${prefix}GROUP_NAME`]: {
    meaning: 'Name of the group of group replication: a UUID made of the name of the cluster.',
    scope: 'server',
    compute: ({ cluster }) => groupName(cluster),
  },
  [`${prefix}GROUP_LOCAL_ADDRESS`]: {
    meaning: 'Address for group replication: host and the port of its settings.',
    scope: 'server',
    compute: ({ server, resources }) => `${server.host}:${resources.groupPort}`,
  },
  [`${prefix}GROUP_SEEDS`]: {
    meaning: 'Addresses of all servers for group replication, commas between.',
    scope: 'server',
    compute: ({ peers, resources }) => peers.map(({ host }) => `${host}:${resources.groupPort}`).join(','),
  },
}

/** 32 hexadecimal digits in the shape of a UUID. */
const groupName = (cluster: string): string =>
  [`group ${cluster}`, `name ${cluster}`]
    .map((text) => crc64(text).toString(16).padStart(16, '0'))
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

const resourceRows: Readonly<Record<string, Variable>> = {
  [`${prefix}MAX_CORES`]: {
    meaning: 'Cores: prov-db-cores.',
    scope: 'resources',
    compute: ({ resources }) => `${resources.cores}`,
  },
  [`${prefix}MAX_CONNECTIONS`]: {
    meaning: 'Most connections: prov-db-max-connections, 10 at least.',
    scope: 'resources',
    compute: ({ resources }) => `${mostConnections(resources)}`,
  },
  [`${prefix}MAX_USER_CONNECTIONS`]: {
    meaning: 'Most connections of one user: nine tenths of all, so that one application cannot use up all.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.floor(mostConnections(resources) * 0.9)}`,
  },
  [`${prefix}EXPIRE_LOG_DAYS`]: {
    meaning: 'Days that binary logs are kept: prov-db-expire-log-days, 99 at most.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.min(99, resources.expireLogDays)}`,
  },
  [`${prefix}EXPIRE_LOG_SECONDS`]: {
    meaning: 'Seconds that binary logs are kept.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.min(4_294_967_295, resources.expireLogDays * 86_400)}`,
  },
  [`${prefix}INNODB_IO_CAPACITY`]: {
    meaning: 'A third of prov-db-iops, 100 at least.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.max(100, Math.floor(resources.iops / 3))}`,
  },
  [`${prefix}INNODB_IO_CAPACITY_MAX`]: {
    meaning: 'prov-db-iops, 100 at least.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.max(100, resources.iops)}`,
  },
  [`${prefix}INNODB_READ_IO_THREADS`]: {
    meaning: 'One for each core, 1 to 64.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.min(64, resources.cores)}`,
  },
  [`${prefix}INNODB_WRITE_IO_THREADS`]: {
    meaning: 'Threads for prov-db-iops writes of 2 ms each, 2 to 64.',
    scope: 'resources',
    compute: ({ resources }) => `${Math.min(64, Math.max(2, Math.floor(resources.iops * 0.002)))}`,
  },
  [`${prefix}INNODB_LOG_FILE_SIZE`]: {
    meaning: 'Redo log in MB: half the buffer pool, 32 MB to 20 GB, at most a tenth of the disk.',
    scope: 'resources',
    compute: (input) => `${redoLogMb(input)}`,
    why: ({ memory }) => `half of the buffer pool of ${poolMb(memory)} MB, at least 32 MB, at most a tenth of the disk`,
  },
  [`${prefix}RELAY_SPACE_LIMIT`]: {
    meaning: 'Most space of relay logs in MB: a tenth of the disk, 3 GB at least (three logs of their greatest size).',
    scope: 'resources',
    compute: ({ resources }) => `${Math.max(3 * 1024, Math.floor(resources.diskGb * 102.4))}`,
  },
  [`${prefix}JOIN_SPACE_LIMIT`]: {
    meaning: 'Most memory in KB of all join buffers of a query: four of them, 2 MB at least.',
    scope: 'resources',
    compute: ({ memory }) => `${Math.max(2048, 4 * memory.figures.joinBuffer.kb)}`,
  },
  [`${prefix}INNODB_CHUNK_SIZE`]: {
    meaning: 'Size in MB of the pieces that the buffer pool is made of.',
    scope: 'resources',
    compute: ({ memory }) => `${poolChunkMb(poolMb(memory))}`,
  },
}

/** Server minimum. */
const mostConnections = ({ maxConnections }: Resources): number => Math.max(10, maxConnections)

const poolMb = (memory: MemoryPlan): number => memory.figures.innodbBufferPool.kb / 1024

const redoLogMb = ({ memory, resources }: VariableInput): number =>
  Math.floor(Math.min(20_480, resources.diskGb * 102.4, Math.max(32, poolMb(memory) / 2)))

/** A size of the memory plan as a variable in MB or KB. */
const sized = (meaning: string, name: FigureName, unitKb: 1 | 1024): Variable => {
  const figure = ({ memory }: VariableInput): Figure => memory.figures[name]
  return {
    meaning: `${meaning}, ${unitKb === 1 ? 'KB' : 'MB'}.`,
    scope: 'resources',
    compute: (input) => `${figure(input).kb / unitKb}`,
    why: (input) => figure(input).why,
  }
}

const sizeRows: Readonly<Record<string, Variable>> = {
  [`${prefix}INNODB_BUFFER_POOL_SIZE`]: sized('Buffer pool of InnoDB', 'innodbBufferPool', 1024),
  [`${prefix}INNODB_LOG_BUFFER_SIZE`]: sized('Log buffer of InnoDB', 'innodbLogBuffer', 1024),
  [`${prefix}MYISAM_CACHE_SIZE`]: sized('Key cache of MyISAM', 'myisamKeys', 1024),
  [`${prefix}ARIA_CACHE_SIZE`]: sized('Page cache of Aria', 'ariaPages', 1024),
  [`${prefix}QUERY_CACHE_SIZE`]: sized('Query cache', 'queryCache', 1024),
  [`${prefix}ROCKSDB_CACHE_SIZE`]: sized('Block cache of RocksDB', 'rocksdb', 1024),
  [`${prefix}TOKUDB_CACHE_SIZE`]: sized('Cache of TokuDB', 'tokudb', 1024),
  [`${prefix}S3_CACHE_SIZE`]: sized('Page cache of the S3 engine', 's3', 1024),
  [`${prefix}TMP_TABLE_SIZE`]: sized('Most memory of a temporary table', 'tmpTable', 1),
  [`${prefix}JOIN_BUFFER_SIZE`]: sized('Join buffer', 'joinBuffer', 1),
  [`${prefix}SORT_BUFFER_SIZE`]: sized('Sort buffer', 'sortBuffer', 1),
}

const rows: Readonly<Record<string, Variable>> = {
  ...{ ...whoAndWhere, ...pathRows, ...peerRows, ...resourceRows, ...figureRows, ...sizeRows },
}

/** Every variable by name. */
export const variables: Readonly<Record<string, Variable>> = {
  ...rows,
  ...Object.fromEntries(
    Object.entries(otherNames).flatMap(([name, meant]) => {
      const row = rows[meant]
      return row === undefined ? [] : [[name, { ...row, meaning: `The same as ${meant}.` }]]
    }),
  ),
}

/** An address to listen on: a literal stays, a loopback name becomes one, any other name means every interface. */
function bindAddress(host: string): string {
  if (host === 'localhost') return '127.0.0.1'
  return /^[\d.]+$/.test(host) || host.includes(':') ? host : '0.0.0.0'
}

/** Where servers share a host: 1000 away, and below the system's ephemeral ports (32768 and up). */
function extraPort(context: PathContext, port: number): number {
  if (context.kind === 'local') return port + 1000 < 32_768 ? port + 1000 : port - 1000
  return port === 3307 ? 3308 : 3307
}

/** A variable as written in a text. */
export const pattern = /%%ENV:([^%]*)%%/g

/** The names of all variables in a text. */
export const namesOfVariables = (text: string): readonly string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)

/** The text with every variable replaced; checked rules name none that is unknown. */
export const substitute = (text: string, input: VariableInput): string => compile(text)(input)

/** `substitute` for a text of many servers: parsed once. */
export function compile(text: string): (input: VariableInput) => string {
  // Every second part is the name of a variable.
  const parts = text
    .split(pattern)
    .map((part, index) => (index % 2 === 0 ? () => part : (variables[part]?.compute ?? (() => `%%ENV:${part}%%`))))
  return (input) => parts.map((part) => part(input)).join('')
}

/** Where its increments (one above) and copies (two above) do not meet those of a neighbour. */
const GROUP_STEP = 10
const USUAL_GROUP_PORT = 4567

/** Galera listens at one port of a host for each server. */
function groupPort({ host, port }: ServerAddress, peers: readonly ServerAddress[], { wsrepPort }: Resources): number {
  const neighbours = peers.filter((peer) => peer.host === host)
  return (
    wsrepPort +
    GROUP_STEP *
      Math.max(
        0,
        neighbours.findIndex((peer) => peer.port === port),
      )
  )
}

const groupAddress = (server: ServerAddress, peers: readonly ServerAddress[], resources: Resources): string =>
  `${server.host}:${groupPort(server, peers, resources)}`
