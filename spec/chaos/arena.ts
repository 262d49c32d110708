// The cluster that faults are done to: servers, gates, manager, the host that starts what died, clients that write, and
// an account of everything that was done.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { now, SECOND, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { Row, SqlSession } from '../../lib/connect/sql/session.js'
import type { Memory } from '../../lib/model/memory.js'
import { replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites, type Writers } from '../support/databases/writers.js'
import { Mesh } from '../support/machine/mesh.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { type ProtectedCluster, SEMI_SYNC_MS, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { asReplica, durable, lossless } from '../support/stories/story.js'
import { acknowledging, startWriters } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'
import type { Dice } from './dice.js'
import { type Disk, delayedDisks, fillableDisks } from './disks.js'
import type { BlindSpan } from './overlap.js'
import { Sampler } from './sampler.js'
import type { Scene } from './scene.js'

const WRITERS = { count: 4, pauseMs: 3 } as const
/** A manager that was away, or sees a server again, has this long to close who is not the primary. */
const GRACE_MS = 5 * SECOND
/** What a session of a person waits for its connection; the servers and the checker share a machine that may be far too busy. */
const CONNECT_MS = 20 * SECOND
/** How long a manager that starts on such a machine may take until it serves. */
const START_MS = 600 * SECOND

/** A server that is shut down has this long. */
const SHUTDOWN_MS = 20 * SECOND

const SERVERS = 3

/** The longest semi-sync timeout that a server takes: README recommends it for the files of a lossless cluster. */
const FOREVER_MS = 4_294_967_295

/** Servers and manager alone in a namespace each; clients come from anywhere. */
const meshedRequest = ({ places }: Mesh, semiSync: boolean) => {
  const manager = places[SERVERS]
  return {
    ...(manager ? { managerIn: manager } : {}),
    networks: places.slice(0, SERVERS),
    arrange: (nodes: readonly Node[]) =>
      arrangeUsual(nodes, semiSync, "CREATE USER writer@'%' IDENTIFIED BY 'writer'; GRANT ALL ON spec.* TO writer@'%'"),
  }
}

/** Each row gets a number as it arrives; a client that names no columns does not see it. */
async function countArrivals({ nodes: [primary] }: ProtectedCluster): Promise<void> {
  await primary?.sql(
    'ALTER TABLE spec.acknowledged ADD COLUMN arrived BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE INVISIBLE',
  )
}

/** As in a cluster that has run for a while: the primary writes a later binary log than its first, and the manager knows it. */
async function leaveFirstLog(cluster: ProtectedCluster): Promise<void> {
  const [primary] = cluster.nodes
  await primary?.sql('FLUSH LOCAL BINARY LOGS')
  const file = await primary?.value('SHOW MASTER STATUS')
  await eventually(async () => (await remembered(cluster)).held?.log?.file === file, 'the manager remembers the log')
}

/** A manager that never saw it on could not switch it on again after a restart of the primary. */
const remembersSemiSync = async (cluster: ProtectedCluster): Promise<boolean> =>
  (await remembered(cluster)).semiSync === true

async function remembered({ manager: { dataDirectory } }: ProtectedCluster): Promise<Partial<Memory>> {
  const text = await readFile(path.join(dataDirectory, 'story', 'state.json'), 'utf8').catch(() => '{}')
  return JSON.parse(text).value?.memory ?? {}
}

/** As every cluster of a story; with one statement more on the primary. */
async function arrangeUsual([primary, ...replicas]: readonly Node[], semiSync: boolean, more = 'DO 0'): Promise<void> {
  if (!primary) throw new Error('a cluster has servers')
  await prepareWrites(primary)
  await primary.sql(more)
  await replicate(primary, replicas, { semiSync, heartbeatSeconds: 1, semiSyncTimeoutMs: SEMI_SYNC_MS })
}

interface Around extends Pick<Arena, 'gates' | 'mesh' | 'disks'> {
  /** Takes the disks away. */
  readonly release: () => void
}

type Work = () => Promise<unknown> | unknown

export class Arena {
  readonly scene: Scene
  readonly cluster: ProtectedCluster
  readonly gates: readonly TcpGate[]
  /** The network of every server, by the order of the nodes, and of the manager, the last. */
  readonly mesh?: Mesh
  /** What can be done to the disk of each server, by the order of the nodes; empty: nothing. */
  readonly disks: readonly Disk[]
  readonly sampler: Sampler
  /** What was done, a line each. */
  readonly account: string[] = []
  /** When the manager could not be held to what a server did. */
  readonly blind: BlindSpan[] = []
  /** A person opened a server that was no primary, so what clients wrote there is their own fault. */
  dirty = false
  /** A person asked for a failover, so what it gives up is their decision. */
  decided = false
  /** The data of a primary were destroyed, so what no replica had received is nowhere. */
  destroyed = false
  /** All servers were dead at once: each may have taken back what the others had received from it. */
  outage = false
  writers: Writers
  episodeFrom = performance.now()
  /** When the episode began, milliseconds since the epoch. */
  begunAt = now()
  readonly #pending = new Map<NodeJS.Timeout, { readonly what: string; readonly work: Work }>()
  readonly #busy = new Set<Promise<unknown>>()
  readonly #born = performance.now()
  /** Ends the time in which the manager was ended. */
  #absent: (() => void) | undefined

  readonly #releaseDisks: () => void

  private constructor(scene: Scene, cluster: ProtectedCluster, { gates, mesh, disks, release }: Around) {
    this.scene = scene
    this.cluster = cluster
    this.gates = gates
    if (mesh) this.mesh = mesh
    this.disks = disks
    this.#releaseDisks = release
    this.sampler = new Sampler(cluster.nodes)
    this.writers = startWriters(cluster, WRITERS)
  }

  static async open(scene: Scene): Promise<Arena> {
    const { semiSync, policy, gated, meshed } = scene
    const mesh = meshed ? await Mesh.create(SERVERS + 1) : undefined
    const gates = gated ? await Promise.all([TcpGate.create(), TcpGate.create(), TcpGate.create()]) : []
    const delayed = scene.disks === 'slow' ? delayedDisks(SERVERS) : []
    let own: Awaited<ReturnType<typeof fillableDisks>> | undefined
    const cluster = await startProtectedCluster({
      semiSync,
      options: [...(semiSync ? lossless : durable), ...(mesh ? ['--bind-address=0.0.0.0'] : [])],
      ...(mesh ? meshedRequest(mesh, semiSync) : {}),
      ...(delayed.length > 0 ? { networks: delayed.map(({ prefix }) => ({ host: '127.0.0.1', prefix })) } : {}),
      ...(scene.disks === 'small'
        ? {
            arrange: async (nodes: readonly Node[]) => {
              own = await fillableDisks(nodes)
              await arrangeUsual(nodes, semiSync)
            },
          }
        : {}),
      settings: { 'failover-limit': 0, ...(policy === 'observed' ? {} : { 'durability-policy': policy }) },
      ...(gated
        ? {
            addresses: (nodes) => {
              for (const [index, gate] of gates.entries()) void gate.lead(nodes[index]?.port ?? 0)
              return gates.map(({ address }) => address)
            },
          }
        : {}),
    })
    if (mesh || own) await cluster.ready()
    await countArrivals(cluster)
    await leaveFirstLog(cluster)
    if (semiSync) {
      await acknowledging(cluster)
      await eventually(() => remembersSemiSync(cluster), 'the manager remembers that commits are to wait')
    }
    const disks = own?.disks ?? delayed
    return new Arena(scene, cluster, {
      ...{ gates, disks, release: own?.release ?? (() => undefined) },
      ...(mesh ? { mesh } : {}),
    })
  }

  get nodes(): readonly Node[] {
    return this.cluster.nodes
  }

  /** A node as the manager calls it. */
  addressOf(node: Node): string {
    return this.gates[this.nodes.indexOf(node)]?.address ?? `${node.host}:${node.port}`
  }

  /** A node as findings name it: by its host alone where no two servers share one. */
  nameOf(node: Node): string {
    return this.mesh ? node.host : this.addressOf(node)
  }

  /** The server that takes writes, as far as is known. */
  primary(): Node {
    const node = this.sampler.latest ?? this.nodes[0]
    if (!node) throw new Error('a cluster has servers')
    return node
  }

  replica(dice: Dice): Node {
    const [first, ...others] = this.nodes.filter((node) => node !== this.primary())
    if (!first) throw new Error('a cluster has replicas')
    return dice.pick([first, ...others])
  }

  /** Mostly the primary. */
  victim(dice: Dice): Node {
    return dice.next() < 0.6 ? this.primary() : this.replica(dice)
  }

  note(text: string): void {
    this.account.push(`${((performance.now() - this.#born) / SECOND).toFixed(3).padStart(8)} ${text}`)
  }

  /** Does it in so many milliseconds, or when calm is asked for. */
  later(ms: number, what: string, work: Work): void {
    const timer = setTimeout(() => {
      this.#pending.delete(timer)
      this.beside(what, work)
    }, ms)
    this.#pending.set(timer, { what, work })
  }

  /** Does it now, without being waited for before calm is asked for. */
  beside(what: string, work: Work): void {
    const done = this.attempt(what, work)
    this.#busy.add(done)
    void done.finally(() => this.#busy.delete(done))
  }

  /** A fault may meet a server that another fault has taken away. */
  async attempt(what: string, work: Work): Promise<void> {
    try {
      const said = await work()
      this.note(typeof said === 'string' ? `${what}: ${said}` : what)
    } catch (error) {
      this.note(`${what}: in vain, ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
    }
  }

  /** The host starts a dead server by its own configuration. */
  startArgs(): readonly string[] {
    const { policy, stopped } = this.scene
    return [
      ...this.#initArgs(),
      ...(policy === 'lossless' ? [`--rpl-semi-sync-master-timeout=${FOREVER_MS}`] : []),
      ...(stopped ? ['--skip-slave-start'] : []),
    ]
  }

  #initArgs(): readonly string[] {
    const { semiSync, init } = this.scene
    const both = ['--rpl-semi-sync-master-enabled=ON', '--rpl-semi-sync-slave-enabled=ON']
    if (init === 'open') return semiSync ? both : []
    if (init === 'replica' || (init === 'none' && semiSync)) return ['--read-only=ON', ...asReplica]
    return ['--read-only=ON', ...(semiSync ? both : [])]
  }

  async kill(node: Node, dice: Dice): Promise<void> {
    const restartMs = dice.pick([0, 60, 300, 1_500])
    const signal = dice.next() < 0.8 ? 'SIGKILL' : 'SIGTERM'
    if (signal === 'SIGTERM') node.resume()
    await Promise.race([node.kill(signal), sleep(SHUTDOWN_MS)])
    await node.kill()
    this.outage ||= this.nodes.every(({ pid }) => pid === 0)
    if (this.scene.init !== 'none')
      this.later(restartMs, `the host starts ${node.name}`, () => {
        if (node.pid === 0) node.start(...this.startArgs())
      })
  }

  /** By hand, past the manager. */
  async hand(node: Node, statement: string, limitMs = 5 * SECOND): Promise<readonly Row[]> {
    const session = await this.session(node)
    try {
      const answer = await session.run(statement, [], limitMs)
      if (!answer.ok) throw new Error(answer.failure.message)
      return answer.value.at(-1) ?? []
    } finally {
      session.close()
    }
  }

  async session(node: Node): Promise<SqlSession> {
    const opened = await openSession({ ...node.target('root', CONNECT_MS), port: node.extraPort })
    if (!opened.ok) throw new Error(opened.failure.message)
    return opened.value
  }

  /** What happens from now to the call of the answer is not the manager's fault; of one server, where it is named. */
  blindfold(node?: string): () => void {
    const span = { from: performance.now(), until: Number.POSITIVE_INFINITY, ...(node === undefined ? {} : { node }) }
    this.blind.push(span)
    return () => {
      span.until = performance.now() + GRACE_MS
    }
  }

  /** It is not held to what happens until it was started again. */
  async endManager(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#absent ??= this.blindfold()
    await this.cluster.manager.end(signal)
  }

  async startManager(): Promise<void> {
    const { manager } = this.cluster
    if (manager.pid === 0) manager.start()
    await manager.alive(START_MS)
    this.#absent?.()
    this.#absent = undefined
  }

  /** Everything is given back: gates, locks, paused and dead servers, the manager. */
  async calm(): Promise<void> {
    for (const [timer, { what, work }] of this.#pending) {
      clearTimeout(timer)
      this.beside(what, work)
    }
    this.#pending.clear()
    await Promise.all(this.#busy)
    for (const gate of this.gates) await gate.set('open')
    await this.mesh?.heal()
    for (const node of this.nodes) {
      node.resume()
      if (node.pid > 0) continue
      this.note(`${node.name} is started`)
      node.start(...this.startArgs())
    }
    await this.startManager()
    this.note('calm')
  }

  /** Clients of an episode; those before have stopped. */
  load(): void {
    this.episodeFrom = performance.now()
    this.dirty = false
    this.decided = false
    this.destroyed = false
    this.outage = false
    this.begunAt = now()
    this.writers = startWriters(this.cluster, WRITERS)
    this.note(`an episode begins at ${new Date(now()).toISOString()}`)
  }

  async close(): Promise<void> {
    for (const [timer] of this.#pending) clearTimeout(timer)
    for (const node of this.nodes) node.resume()
    const stopped = [this.sampler.stop(), this.writers.stop()]
    for (const disk of this.disks) disk.end()
    this.#releaseDisks()
    await this.cluster.destroy()
    for (const gate of this.gates) await gate.close()
    await this.mesh?.close()
    await Promise.race([Promise.all(stopped), sleep(10 * SECOND)])
  }
}
