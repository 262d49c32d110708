// What stories of deaths and returns ask again and again: who holds which rows, how a server came back, who took writes when.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import type { Node } from '../databases/node.js'
import { Writers, type WritersRequest, writtenOn } from '../databases/writers.js'
import { type ProtectedCluster, SEMI_SYNC_MS } from '../manager/protected-cluster.js'
import { eventually } from '../wait.js'

/** What a process survives that is killed: without these a killed server forgets what its own binary log says. */
export const durable = ['--sync-binlog=1', '--innodb-flush-log-at-trx-commit=1'] as const

/**
 * MariaDB: a commit shows only when a replica has acknowledged it, on whichever server is the primary. No primary falls
 * back to asynchronous within a story, however busy the machine is: what it acknowledged then would prove nothing.
 */
export const lossless = [
  ...durable,
  '--rpl-semi-sync-master-wait-point=AFTER_SYNC',
  `--rpl-semi-sync-master-timeout=${SEMI_SYNC_MS}`,
] as const

/** MariaDB: a server that was killed takes back, at its start, what it logged and no replica acknowledged. */
export const asReplica = ['--init-rpl-role=SLAVE', '--rpl-semi-sync-slave-enabled=ON'] as const

const companions = new Set<{ stop(): Promise<void> }>()

/** Clients that begin to write; they end with the story at the latest. */
export function load({ nodes }: ProtectedCluster, request: WritersRequest): Writers {
  const writers = new Writers(nodes, request)
  companions.add(writers)
  writers.start()
  return writers
}

/** Ends a story, also one that failed half-way: clients, manager and databases. */
export async function end(cluster: ProtectedCluster | undefined): Promise<void> {
  const stopped = [...companions].map((companion) => companion.stop())
  companions.clear()
  await cluster?.destroy()
  await Promise.all(stopped)
}

/** Resolves when so many more writes were acknowledged. */
export async function progress(writers: Writers, writes: number): Promise<void> {
  const goal = writers.acknowledged.length + writes
  await eventually(
    () => writers.acknowledged.length >= goal,
    () => `${writes} more writes\n${writers.errors.slice(-3)}`,
    { progress: () => writers.acknowledged.length },
  )
}

/**
 * Resolves when every client writes to the node. One that is still on its way from server to server could meet an old
 * primary that was started again and is not closed yet: what it acknowledged there would be errant.
 */
export async function allWriteTo(writers: Writers, node: Node): Promise<void> {
  await eventually(
    () => writers.allAt(node),
    () => `every client writes to ${node.name}\n${writers.errors.slice(-3)}`,
  )
}

/** Rows that `node` holds and `other` does not. */
export async function onlyOn(node: Node, other: Node): Promise<readonly string[]> {
  const [mine, theirs] = await Promise.all([writtenOn(node), writtenOn(other)])
  return [...mine].filter((row) => !theirs.has(row)).sort()
}

/** Resolves when every server answers, no operation moves the primary, and it alone takes writes. */
export async function onlyWriter(cluster: ProtectedCluster): Promise<Node> {
  let primary: Node | undefined
  await eventually(async () => {
    // In this order: when all answer and then nothing moves the primary, nothing will.
    const states = (await cluster.servers()).map(({ state }) => state)
    if (states.includes('Suspect') || states.includes('Failed')) return false
    if ((await cluster.alerts()).includes('ERR00001')) return false
    primary = await cluster.primary()
    const closed = await Promise.all(cluster.nodes.map((node) => node.value('SELECT @@read_only')))
    return closed.every((value, index) => value === (cluster.nodes[index] === primary ? '0' : '1'))
  }, 'one server takes writes')
  return primary ?? cluster.primary()
}

/** The cluster is whole again on `primary`: one writer, all follow it, all hold the same rows. */
export async function expectWhole(cluster: ProtectedCluster, primary: Node): Promise<void> {
  await cluster.convergesOn(primary)
  const sums = await Promise.all(
    cluster.nodes.map(async (node) => String((await node.sql('CHECKSUM TABLE spec.acknowledged'))[0]?.Checksum)),
  )
  expect(new Set(sums).size, `checksums ${sums.join(', ')}`).to.equal(1)
  await eventually(async () => {
    const states = await Promise.all(cluster.nodes.map((node) => cluster.stateOf(node)))
    return states.every((state, index) => state === (cluster.nodes[index] === primary ? 'Master' : 'Slave'))
  }, `the manager sees ${primary.name} as the primary and the others as its replicas`)
}

/** A crash record as the API shows it. */
export interface CrashView {
  readonly URL: string
  readonly ElectedMasterURL: string
  readonly FailoverSemiSyncSlaveStatus: boolean
  readonly Switchover: boolean
  readonly Outcome?: 'rejoined' | 'diverged' | 'superseded'
  readonly ExtraGtid?: string
  readonly TailFile?: string
}

/** The latest record of this server's end as a primary; there is one as soon as its failover has ended. */
async function crashOf({ manager }: ProtectedCluster, node: Node): Promise<CrashView | undefined> {
  const crashes = await manager.get<readonly CrashView[]>('/api/clusters/story/topology/crashes')
  return crashes.findLast(({ URL }) => URL === `${node.host}:${node.port}`)
}

/** Starts an old primary again; resolves with its crash record when the manager has judged the return. */
export async function comesBack(cluster: ProtectedCluster, node: Node, ...args: readonly string[]): Promise<CrashView> {
  node.start(...args)
  await node.waitUp()
  return judged(cluster, node)
}

/** Resolves when the manager has judged the return of an old primary. */
export async function judged(cluster: ProtectedCluster, node: Node): Promise<CrashView> {
  let crash: CrashView | undefined
  await eventually(
    async () => {
      crash = await crashOf(cluster, node)
      return crash?.Outcome !== undefined
    },
    () => `the return of ${node.name} is judged\n${cluster.manager.log().slice(-3_000)}`,
  )
  if (!crash) throw new Error('it was judged')
  return crash
}

/** The old primary stays out, closed and alone, and its saved tail is exactly what only it holds. */
export async function expectKeptOut(cluster: ProtectedCluster, node: Node, primary: Node): Promise<void> {
  const crash = await judged(cluster, node)
  expect(crash.Outcome).to.equal('diverged')
  expect(await node.value('SELECT @@read_only')).to.equal('1')
  expect(await node.sql('SHOW SLAVE STATUS')).to.deep.equal([])
  const own = await onlyOn(node, primary)
  expect(own, 'it has rows of its own').to.not.deep.equal([])
  expect(await savedRows(crash.TailFile ?? '')).to.deep.equal(own)
  await eventually(async () => (await cluster.alerts()).includes('WARN0186'), 'the finding is open')
  await eventually(() => logLines(cluster, ` ${own.length} transaction`).length > 0, `${own.length} are counted`)
}

/** The rows that a saved tail would write again. */
export async function savedRows(directory: string): Promise<readonly string[]> {
  const text = await readFile(path.join(directory, 'tail.sql'), 'utf8')
  const rows = text.matchAll(/### INSERT INTO `spec`.`acknowledged`\n### SET\n###\s+@1=(\d+)[^\n]*\n###\s+@2=(\d+)/g)
  return [...rows].map(([, writer, entry]) => `${writer}/${entry}`).sort()
}

/** Lines of the manager log that contain `text`. */
export const logLines = ({ manager }: ProtectedCluster, text: string): readonly string[] =>
  manager
    .log()
    .split('\n')
    .filter((line) => line.includes(text))
