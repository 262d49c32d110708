// How long clients are without a primary while something moves it, on real servers.
import { SECOND } from '../../lib/base/time.js'
import { type Databases, replicate, startDatabases } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { startChild } from './child.js'
import type { Clients, clientAnswers } from './client-process.js'

const FEW: ClientHabits = { count: 4, patienceMs: 5 * SECOND }
const LIMIT_MS = 30 * SECOND

export type ClientHabits = Omit<Clients, 'ports'>

/** A move of the primary role as clients see it that know these `doors`: from the last write before to the first one after, milliseconds. */
export async function measureGap(
  doors: readonly { readonly port: number }[],
  move: () => unknown,
  habits: Partial<ClientHabits> = {},
): Promise<number> {
  const clients = await startChild<typeof clientAnswers>(new URL('./client-process.js', import.meta.url))
  try {
    await clients.ask('start', { ...FEW, ...habits, ports: doors.map(({ port }) => port) })
    await clients.ask('mark', undefined)
    await move()
    return await clients.ask('gap', LIMIT_MS)
  } finally {
    await clients.end()
  }
}

/** Three servers that replicate, without a manager. */
export async function withBareCluster<T>(
  semiSync: boolean,
  work: (nodes: Databases['node']) => Promise<T>,
): Promise<T> {
  const databases = await startDatabases({ count: 3, prefix: 'bare' })
  try {
    const [primary, ...replicas] = [databases.node(0), databases.node(1), databases.node(2)]
    await prepareWrites(primary)
    await replicate(primary, replicas, { semiSync, heartbeatSeconds: 1 })
    return await work(databases.node)
  } finally {
    await databases.teardown()
  }
}

/** The same under the real manager in automatic mode with default settings, protected. */
export async function withManagedCluster<T>(
  semiSync: boolean,
  work: (cluster: ProtectedCluster) => Promise<T>,
): Promise<T> {
  const cluster = await startProtectedCluster({ semiSync })
  try {
    return await work(cluster)
  } finally {
    await cluster.destroy()
  }
}

export const modeName = (semiSync: boolean): string => (semiSync ? 'semi-sync' : 'async')
