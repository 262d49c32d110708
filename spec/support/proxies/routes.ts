// Where the ports of a proxy lead: read by new sessions of clients, and waited for.
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../../lib/connect/sql/session.js'
import type { Node } from '../databases/node.js'
import { eventually } from '../wait.js'
import type { HaproxyProcess } from './haproxy.js'

/** Long enough for a busy machine: a proxy without a server for the session ends it sooner. */
const LIMIT_MS = 5_000

type Ports = Pick<HaproxyProcess, 'writePort' | 'readPort'>

/** A client's session through a port of a proxy, with the monitor's account of `node`; undefined when it gets none. */
export async function connectThrough(node: Node, port: number): Promise<SqlSession | undefined> {
  const session = await openSession({ ...node.target('monitor', LIMIT_MS), port })
  return session.ok ? session.value : undefined
}

/** The port of the database behind the session; 0 when it does not answer. */
export async function portBehind(session: SqlSession): Promise<number> {
  const rows = await session.run('SELECT @@port AS port', [], LIMIT_MS)
  return rows.ok ? Number(rows.value[0]?.[0]?.port) : 0
}

/** Resolves when new clients of the write port get to `node`. */
export async function writesReach(proxy: Ports, node: Node): Promise<void> {
  await eventually(async () => (await reached(node, proxy.writePort)) === node.port, `writes reach ${node.name}`)
}

/** Resolves when new clients of the read port get to all of these nodes and to no other one. */
export async function readsReach(proxy: Ports, nodes: readonly Node[]): Promise<void> {
  const [first] = nodes
  if (!first) throw new Error('reads reach at least one node')
  const sorted = (ports: readonly number[]) => [...new Set(ports)].sort().join()
  const wanted = sorted(nodes.map(({ port }) => port))
  await eventually(
    async () => sorted(await Promise.all(Array.from({ length: 8 }, () => reached(first, proxy.readPort)))) === wanted,
    `reads reach ${nodes.map(({ name }) => name).join(' and ')}`,
  )
}

/** The port of the database that a new client gets; 0 when it gets none. */
async function reached(node: Node, port: number): Promise<number> {
  const session = await connectThrough(node, port)
  const found = session ? await portBehind(session) : 0
  session?.close()
  return found
}
