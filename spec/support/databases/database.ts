// Real database servers for specs: starts some, lets them replicate, removes them.
//
//   const { nodes: [db1, db2], teardown } = await startDatabases({ count: 2 })
//   await replicate(db1, [db2], { semiSync: true })
//   after(teardown)
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { SECOND } from '../../../lib/base/time.js'
import { newDirectory } from '../machine/directories.js'
import { freePorts } from '../machine/ports.js'
import { eventually, PATIENCE_MS } from '../wait.js'
import { type Engine, installedMariadb } from './engine.js'
import { accounts, Node } from './node.js'
import { copyTemplate } from './template.js'
import { findVersion, type VersionName } from './versions.js'

export { accounts, Node } from './node.js'

export interface DatabaseRequest {
  readonly count: number
  /** Server options for every node, e.g. `--max-connections=10`. */
  readonly options?: readonly string[]
  /** Node names are prefix + 1…; also the start of their directory's name. */
  readonly prefix?: string
  /** Networks of their own, in the order of the nodes. */
  readonly networks?: readonly { readonly host: string; readonly prefix: readonly string[] }[]
  /** Default: the MariaDB installed here. Others must be available (`findVersion`). */
  readonly software?: 'mariadb' | VersionName
}

export interface Databases {
  readonly nodes: readonly Node[]
  /** The node of this index; throws when there is none. */
  node(index: number): Node
  teardown(): Promise<void>
}

/** Starts `count` independent, empty, equal servers and resolves when all answer. */
export async function startDatabases(request: DatabaseRequest): Promise<Databases> {
  const { count, options = [], prefix = 'db', software = 'mariadb' } = request
  const engine = await engineOf(software)
  const ports = await freePorts(count * 2)
  const root = newDirectory(prefix)
  const nodes = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const dir = path.join(root, `${prefix}${index + 1}`)
      await mkdir(dir)
      await copyTemplate(engine, path.join(dir, 'data'))
      const [port = 0, extraPort = 0] = ports.slice(index * 2)
      const network = request.networks?.[index]
      const place = { dir, port, extraPort, serverNumber: index + 1, ...(network ? { network } : {}) }
      const node = new Node({ name: `${prefix}${index + 1}`, engine, place, options })
      node.start()
      return node
    }),
  )
  const teardown = async () => {
    await Promise.all(nodes.map((node) => node.destroy()))
    await rm(root, { recursive: true, force: true })
  }
  await Promise.all(nodes.map((node) => node.waitUp())).catch(async (error: unknown) => {
    await teardown()
    throw error
  })
  const node = (index: number): Node => {
    const found = nodes[index]
    if (!found) throw new Error(`there is no node ${index}`)
    return found
  }
  return { nodes, node, teardown }
}

async function engineOf(software: 'mariadb' | VersionName): Promise<Engine> {
  if (software === 'mariadb') return installedMariadb
  const version = await findVersion(software)
  if (version.available) return version.engine
  throw new Error(version.reason)
}

type Address = Pick<Node, 'host' | 'port'>

export interface ReplicationRequest {
  /** Semi-synchronous: source side on the primary, replica side on the replicas. Default: off. */
  readonly semiSync?: boolean
  readonly semiSyncTimeoutMs?: number
  readonly heartbeatSeconds?: number
  readonly delaySeconds?: number
  /** Where replicas reach the primary, when not directly. */
  readonly at?: Address
  /** Replicas are set read-only unless configured otherwise. */
  readonly readOnly?: boolean
}

/** Makes `replicas` follow `primary` by GTID from its first transaction on; resolves when all threads run. */
export async function replicate(
  primary: Node,
  replicas: readonly Node[],
  request: ReplicationRequest = {},
): Promise<void> {
  const { semiSync = false, semiSyncTimeoutMs = 10_000, readOnly = true } = request
  const { setSource, running, semiSyncPrimary, semiSyncReplica } = wordsOf(primary)
  if (semiSync) await primary.sql(semiSyncPrimary(semiSyncTimeoutMs))
  await Promise.all(
    replicas.map(async (replica) => {
      if (semiSync) await replica.sql(semiSyncReplica)
      if (readOnly) await replica.sql('SET GLOBAL read_only=ON')
      await replica.sql(setSource(request.at ?? primary, request))
      await eventually(async () => {
        const [row = {}] = await replica.sql(running.statement)
        return row[running.io] === 'Yes' && row[running.sql] === 'Yes'
      }, `${replica.name} replicates from ${primary.name}`)
    }),
  )
}

/** Waits until `replica` has applied everything `primary` has committed by now. */
export async function caughtUp(primary: Node, replica: Node): Promise<void> {
  const { position, wait } = wordsOf(primary)
  const reached = await replica.value(wait, await primary.value(position), PATIENCE_MS / SECOND)
  if (reached !== '0') throw new Error(`${replica.name} does not catch up with ${primary.name}`)
}

/** `replica` follows a source over the channel of this name, '' for the default one; resolves when it is started. */
export const followOver = (replica: Node, source: Address, channel: string) =>
  replica.sql(wordsOf(replica).followOver(source, channel))

export interface ChannelSeen {
  readonly name: string
  readonly port: string
  /** `Yes Yes` when both threads run: the one that receives, and the one that applies. */
  readonly runs: string
}

/** All replication channels of a server. */
export async function channelsOf(node: Node): Promise<readonly ChannelSeen[]> {
  const { all, name, port, io, sql } = wordsOf(node).running
  const rows = await node.sql(all)
  return rows.map((row) => ({ name: `${row[name]}`, port: `${row[port]}`, runs: `${row[io]} ${row[sql]}` }))
}

const login = ({ host, port }: Address, prefix: 'MASTER' | 'SOURCE') =>
  `${prefix}_HOST='${host}', ${prefix}_PORT=${port}, ${prefix}_USER='${accounts.replication.user}', ` +
  `${prefix}_PASSWORD='${accounts.replication.password}', ${prefix}_CONNECT_RETRY=1`

/** MySQL: each side is a plugin, and every server may become the other side. */
const semiSyncPlugins = ['source', 'replica']
  .map((side) => `INSTALL PLUGIN rpl_semi_sync_${side} SONAME 'semisync_${side}.so'`)
  .join('; ')

const wordsOf = ({ engine }: Node) => words[engine.oldWords ? 'mysqlBefore' : engine.flavour]

const mysqlPosition = {
  position: 'SELECT @@GLOBAL.gtid_executed',
  wait: 'SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?)',
} as const

const slaveStatus = {
  statement: 'SHOW SLAVE STATUS',
  port: 'Master_Port',
  io: 'Slave_IO_Running',
  sql: 'Slave_SQL_Running',
} as const

/** The harness speaks for itself, so that a fault in lib/dialect cannot hide in its own tests. */
const words = {
  mariadb: {
    setSource: (primary: Address, { heartbeatSeconds = 0.5, delaySeconds = 0 }: ReplicationRequest) =>
      `CHANGE MASTER TO ${login(primary, 'MASTER')}, MASTER_USE_GTID=slave_pos, ` +
      `MASTER_HEARTBEAT_PERIOD=${heartbeatSeconds}, MASTER_DELAY=${delaySeconds}; START SLAVE`,
    followOver: (source: Address, channel: string) =>
      `CHANGE MASTER '${channel}' TO ${login(source, 'MASTER')}, MASTER_USE_GTID=slave_pos, MASTER_HEARTBEAT_PERIOD=1; ` +
      `START SLAVE '${channel}'`,
    running: { ...slaveStatus, all: 'SHOW ALL SLAVES STATUS', name: 'Connection_name' },
    semiSyncPrimary: (timeoutMs: number) =>
      `SET GLOBAL rpl_semi_sync_master_enabled=ON, rpl_semi_sync_master_wait_point=AFTER_SYNC, ` +
      `rpl_semi_sync_master_timeout=${timeoutMs}`,
    semiSyncReplica: 'SET GLOBAL rpl_semi_sync_slave_enabled=ON',
    position: 'SELECT @@GLOBAL.gtid_binlog_pos',
    wait: 'SELECT MASTER_GTID_WAIT(?, ?)',
  },
  mysql: {
    setSource: (primary: Address, { heartbeatSeconds = 0.5, delaySeconds = 0 }: ReplicationRequest) =>
      `CHANGE REPLICATION SOURCE TO ${login(primary, 'SOURCE')}, SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, ` +
      `SOURCE_HEARTBEAT_PERIOD=${heartbeatSeconds}, SOURCE_DELAY=${delaySeconds}; START REPLICA`,
    followOver: (source: Address, channel: string) =>
      `CHANGE REPLICATION SOURCE TO ${login(source, 'SOURCE')}, SOURCE_AUTO_POSITION=1, GET_SOURCE_PUBLIC_KEY=1, ` +
      `SOURCE_HEARTBEAT_PERIOD=1 FOR CHANNEL '${channel}'; START REPLICA FOR CHANNEL '${channel}'`,
    running: {
      ...{ statement: 'SHOW REPLICA STATUS', all: 'SHOW REPLICA STATUS', name: 'Channel_Name', port: 'Source_Port' },
      ...{ io: 'Replica_IO_Running', sql: 'Replica_SQL_Running' },
    },
    semiSyncPrimary: (timeoutMs: number) =>
      `${semiSyncPlugins}; SET GLOBAL rpl_semi_sync_source_enabled=ON, rpl_semi_sync_source_timeout=${timeoutMs}`,
    semiSyncReplica: `${semiSyncPlugins}; SET GLOBAL rpl_semi_sync_replica_enabled=ON`,
    ...mysqlPosition,
  },
  mysqlBefore: {
    setSource: (primary: Address, { heartbeatSeconds = 0.5, delaySeconds = 0 }: ReplicationRequest) =>
      `CHANGE MASTER TO ${login(primary, 'MASTER')}, MASTER_AUTO_POSITION=1, GET_MASTER_PUBLIC_KEY=1, ` +
      `MASTER_HEARTBEAT_PERIOD=${heartbeatSeconds}, MASTER_DELAY=${delaySeconds}; START SLAVE`,
    followOver: (source: Address, channel: string) =>
      `CHANGE MASTER TO ${login(source, 'MASTER')}, MASTER_AUTO_POSITION=1, GET_MASTER_PUBLIC_KEY=1, ` +
      `MASTER_HEARTBEAT_PERIOD=1 FOR CHANNEL '${channel}'; START SLAVE FOR CHANNEL '${channel}'`,
    running: { ...slaveStatus, all: 'SHOW SLAVE STATUS', name: 'Channel_Name' },
    semiSyncPrimary: () => 'SELECT 1',
    semiSyncReplica: 'SELECT 1',
    ...mysqlPosition,
  },
} as const

/**
 * Removes every binary log before the one it writes. A server keeps a file, without an error, as long as its engine has not stored
 * what is in it (binlog checkpoint) or a replica reads it.
 */
export async function purgeLogs(node: Node): Promise<void> {
  await node.sql('FLUSH BINARY LOGS')
  await eventually(async () => {
    const files = await node.sql('SHOW BINARY LOGS')
    if (files.length === 1) return true
    await node.sql('PURGE BINARY LOGS TO ?', files.at(-1)?.Log_name)
    return false
  }, `the binary logs of ${node.name} are purged`)
}
