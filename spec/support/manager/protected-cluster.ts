// A replicating cluster under a real manager, for stories: databases, daemon, and what both say.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { FailoverVerdict } from '../../../lib/model/verdict.js'
import { caughtUp, type DatabaseRequest, type Databases, replicate, startDatabases } from '../databases/database.js'
import { accounts, type Node } from '../databases/node.js'
import { prepareWrites } from '../databases/writers.js'
import { newDirectory } from '../machine/directories.js'
import type { Namespace } from '../machine/namespace.js'
import { TcpGate } from '../machine/tcp-gate.js'
import { eventually } from '../wait.js'
import { ManagerProcess } from './manager-process.js'

type ClusterSettings = Readonly<Record<string, string | number | boolean>>

/** A semi-synchronous primary of a story waits so long for an acknowledgement: longer than a story does. */
export const SEMI_SYNC_MS = 60_000

export interface ClusterRequest {
  readonly count?: number
  readonly semiSync?: boolean
  readonly heartbeatSeconds?: number
  /** Server options of every node. */
  readonly options?: readonly string[]
  readonly software?: DatabaseRequest['software']
  /** Settings of the cluster besides those that the story needs anyway. */
  readonly settings?: ClusterSettings | ((nodes: readonly Node[]) => ClusterSettings)
  /** Makes them replicate, unless all are to follow the first; the story itself then waits for what it needs. */
  readonly arrange?: (nodes: readonly Node[]) => Promise<void>
  /** Settings of the server scope. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  /** A folder of programs that the manager finds before those of this machine. */
  readonly programs?: string
  /** The network that the manager runs in, when not the spec's. */
  readonly managerIn?: Pick<Namespace, 'host' | 'prefix'>
  /** Networks of the nodes, when not the spec's. */
  readonly networks?: DatabaseRequest['networks']
  /** Addresses under which the manager reaches the nodes, when not directly. */
  readonly addresses?: (nodes: readonly Node[]) => readonly string[]
  /** The manager reaches every node through a gate: what it says can be held up (`JournalWatch` does). */
  readonly gated?: boolean
}

/** A server as the API shows it: the fields that stories read. */
export interface ServerView {
  readonly id: string
  readonly host: string
  readonly port: string
  readonly state: string
  readonly readOnly: string
  readonly failCount: number
  readonly probeMs: number
}

interface ClusterParts {
  readonly databases: Databases
  readonly manager: ManagerProcess
  readonly addresses: readonly string[]
  readonly gates?: readonly TcpGate[]
}

export class ProtectedCluster {
  readonly databases: Databases
  readonly manager: ManagerProcess
  /** On the way from the manager to each of the nodes; none unless asked for. */
  readonly gates: readonly TcpGate[]
  /** Where the manager reaches each of the nodes. */
  readonly #addresses: readonly string[]

  constructor({ databases, manager, addresses, gates = [] }: ClusterParts) {
    this.databases = databases
    this.manager = manager
    this.gates = gates
    this.#addresses = addresses
  }

  get nodes(): readonly Node[] {
    return this.databases.nodes
  }

  /** Where the manager reaches the node. */
  addressOf(node: Node): string {
    return this.#addresses[this.nodes.indexOf(node)] ?? ''
  }

  /** What it says to the node passes here. */
  gateTo(node: Node): TcpGate {
    const gate = this.gates[this.nodes.indexOf(node)]
    if (!gate) throw new Error(`there is no gate to ${node.name}`)
    return gate
  }

  explain(): Promise<FailoverVerdict> {
    return this.manager.get('/api/clusters/story/failover/explain')
  }

  servers(): Promise<readonly ServerView[]> {
    return this.manager.get('/api/clusters/story/topology/servers')
  }

  async alerts(): Promise<readonly string[]> {
    const { errors, warnings } = await this.manager.get<Record<'errors' | 'warnings', { number: string }[]>>(
      '/api/clusters/story/topology/alerts',
    )
    return [...errors, ...warnings].map(({ number }) => number)
  }

  /** Waits until the finding is open. */
  opens(code: string): Promise<void> {
    return this.#shows(code, true)
  }

  /** Waits until the finding is closed. */
  closes(code: string): Promise<void> {
    return this.#shows(code, false)
  }

  /** The node that the manager takes for the primary, if it knows one just now. */
  async primaryNow(): Promise<Node | undefined> {
    const master = await this.manager.get<ServerView | null>('/api/clusters/story/topology/master')
    return master ? this.#nodeAt(master) : undefined
  }

  /** The node that the manager takes for the primary, as soon as it knows one: right after a start or while roles move it may not. */
  async primary(): Promise<Node> {
    let primary: Node | undefined
    await eventually(
      async () => {
        primary = await this.primaryNow()
        return primary !== undefined
      },
      () => `a node is the primary\n${this.manager.log().slice(-2_000)}`,
    )
    if (!primary) throw new Error('it was found')
    return primary
  }

  /** A replica that the manager calls by such an id. */
  async replicaCalled(fits: (id: string) => boolean): Promise<Node> {
    const primary = await this.primary()
    const ids = new Map((await this.servers()).map((server) => [this.#nodeAt(server), server.id]))
    const node = this.nodes.find((one) => one !== primary && fits(ids.get(one) ?? ''))
    if (!node) throw new Error('no replica is called so')
    return node
  }

  async stateOf(node: Node): Promise<string> {
    return (await this.viewOf(node))?.state ?? 'absent'
  }

  async viewOf(node: Node): Promise<ServerView | undefined> {
    const index = this.nodes.indexOf(node)
    return (await this.servers()).find((server) => this.#isAt(index, server))
  }

  /** Waits until the manager has probed the node so many times more: no two probes take the same microseconds. */
  async probed(node: Node, times: number): Promise<void> {
    const took = new Set([(await this.viewOf(node))?.probeMs])
    await eventually(
      async () => took.add((await this.viewOf(node))?.probeMs).size > times,
      () => `${times} more probes of ${node.name}\n${this.manager.log().slice(-2_000)}`,
      { progress: () => took.size },
    )
  }

  /** Waits until the cluster would survive the death of its primary. */
  async ready(): Promise<void> {
    await eventually(
      async () => {
        const verdict = await this.explain()
        const eligible = verdict.ranking.filter((row) => row.eligible).length
        return verdict.primary !== undefined && eligible === this.nodes.length - 1
      },
      () => `the cluster is protected\n${this.manager.log().slice(-2_000)}`,
    )
  }

  /** Waits until another node than `old` is the primary and takes writes. */
  async movedFrom(old: Node): Promise<Node> {
    let primary = old
    await eventually(
      async () => {
        primary = (await this.primaryNow()) ?? old
        return primary !== old
      },
      () => `the primary moves away from ${old.name}\n${this.manager.log().slice(-4_000)}`,
    )
    await eventually(async () => (await primary.value('SELECT @@read_only')) === '0', `${primary.name} takes writes`)
    return primary
  }

  /** Exactly one of the living nodes takes writes, every other living one follows it, and all are equal. */
  async convergesOn(primary: Node, living: readonly Node[] = this.nodes): Promise<void> {
    const others = living.filter((node) => node !== primary)
    const ports = [primary.port, this.addressOf(primary).split(':').at(-1)]
    const follows = ports.map((port) => `${port} Yes Yes`)
    /** Of each node whether it is closed, and whom it follows. */
    const seen = new Map<Node, string>()
    const look = async (node: Node) =>
      seen.set(node, `${await node.value('SELECT @@read_only')}${node === primary ? '' : ` ${await sourceOf(node)}`}`)
    await eventually(
      async () => {
        await Promise.all(living.map(look))
        const isBelow = (node: Node) => follows.some((source) => seen.get(node) === `1 ${source}`)
        return seen.get(primary) === '0' && others.every(isBelow)
      },
      () =>
        [
          `${others.map(({ name }) => name).join(', ')} follow ${primary.name}, which alone takes writes`,
          ...[...seen].map(([{ name }, answer]) => `${name}: ${answer}`),
          this.manager.log().slice(-4_000),
        ].join('\n'),
    )
    for (const node of others) await caughtUp(primary, node)
    const sums = await Promise.all(living.map((node) => node.value('SELECT COUNT(*) FROM spec.acknowledged')))
    expect(new Set(sums).size, `row counts ${sums.join(', ')}`).to.equal(1)
  }

  async destroy(): Promise<void> {
    await this.manager.destroy()
    await this.databases.teardown()
    for (const gate of this.gates) await gate.close()
  }

  async #shows(code: string, open: boolean): Promise<void> {
    await eventually(
      async () => (await this.alerts()).includes(code) === open,
      () => `${code} is ${open ? 'open' : 'closed'}\n${this.manager.log().slice(-3_000)}`,
    )
  }

  #nodeAt(server: ServerView): Node | undefined {
    return this.nodes.find((_, index) => this.#isAt(index, server))
  }

  #isAt(index: number, { host, port }: Pick<ServerView, 'host' | 'port'>): boolean {
    return this.#addresses[index] === `${host}:${port}`
  }
}

/** The port of a node's source and whether its threads run, by its default channel: `3306 Yes Yes`. */
export async function sourceOf(node: Node): Promise<string> {
  const { flavour, oldWords } = node.engine
  const statement = flavour === 'mariadb' || oldWords ? 'SHOW SLAVE STATUS' : 'SHOW REPLICA STATUS'
  // MySQL lists every channel, MariaDB this one only.
  const row = (await node.sql(statement)).find(({ Channel_Name }) => !Channel_Name) ?? {}
  const { Master_Port, Source_Port = Master_Port } = row
  const { Slave_IO_Running, Replica_IO_Running = Slave_IO_Running } = row
  const { Slave_SQL_Running, Replica_SQL_Running = Slave_SQL_Running } = row
  return `${Source_Port} ${Replica_IO_Running} ${Replica_SQL_Running}`
}

/** A file with the RSA keys that the MySQL servers made for themselves at their first start. */
function keysOf(nodes: readonly Node[]): string {
  const file = path.join(newDirectory('keys'), 'servers.pem')
  const keys = nodes.map(({ dir }) => readFileSync(path.join(dir, 'data/public_key.pem'), 'utf8'))
  writeFileSync(file, keys.join(''))
  return file
}

/** Starts databases that replicate from the first one and a manager in automatic mode; resolves when it is protected. */
export async function startProtectedCluster(request: ClusterRequest = {}): Promise<ProtectedCluster> {
  const {
    count = 3,
    semiSync = false,
    heartbeatSeconds = 1,
    options = [],
    settings = {},
    defaults = {},
    addresses,
    gated = false,
    arrange,
  } = request
  const databases = await startDatabases({
    count,
    options,
    ...(request.software ? { software: request.software } : {}),
    ...(request.networks ? { networks: request.networks } : {}),
  })
  const [primary, ...replicas] = databases.nodes
  if (!primary) throw new Error('a cluster has at least one node')
  const gates = gated ? await Promise.all(databases.nodes.map(({ port }) => TcpGate.to(port))) : []
  const [gate] = gates
  if (arrange) await arrange(databases.nodes)
  else {
    await prepareWrites(primary)
    const at = gate ? { at: { host: '127.0.0.1', port: gate.port } } : {}
    await replicate(primary, replicas, { semiSync, heartbeatSeconds, semiSyncTimeoutMs: SEMI_SYNC_MS, ...at })
    for (const replica of replicas) await caughtUp(primary, replica)
  }
  const { monitor, replication } = accounts
  const direct = databases.nodes.map(({ host, port }) => `${host}:${port}`)
  const reachedAt = gated ? gates.map(({ address }) => address) : (addresses?.(databases.nodes) ?? direct)
  const manager = await ManagerProcess.create({
    settings: defaults,
    ...(request.programs === undefined ? {} : { programs: request.programs }),
    ...(request.managerIn ? { place: request.managerIn } : {}),
    clusters: {
      story: {
        'db-servers-hosts': reachedAt.join(','),
        'db-servers-credential': `${monitor.user}:${monitor.password}`,
        'replication-credential': `${replication.user}:${replication.password}`,
        'force-slave-heartbeat-time': heartbeatSeconds,
        'failover-mode': 'automatic',
        // Chosen, so that nothing is discovered in the middle of a story.
        'prov-db-tags': 'semisync,row,innodb,readonly,gtidstrict,linux',
        ...(request.software?.startsWith('mysql') ? { 'db-servers-public-keys': keysOf(databases.nodes) } : {}),
        ...(typeof settings === 'function' ? settings(databases.nodes) : settings),
      },
    },
  })
  const cluster = new ProtectedCluster({ databases, manager, addresses: reachedAt, gates })
  try {
    manager.start()
    await manager.alive()
    if (!arrange) await cluster.ready()
    return cluster
  } catch (error) {
    await cluster.destroy()
    throw error
  }
}
