// The gap of a switchover as 32 clients behind HAProxy see it, against the same clients that connect to the databases.
import { serverId } from '../../lib/model/server/server-id.js'
import { replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type HaproxyProcess, startHaproxy } from '../support/proxies/haproxy.js'
import { measureGap, withManagedCluster } from './gap.js'
import { median, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 5
const CLIENTS = { count: 32, pauseMs: 10, asksWho: true } as const

export async function benchBehindProxy(): Promise<readonly BenchRow[]> {
  const { direct, proxied } = await withManagedCluster(false, (bare) =>
    withProxiedCluster((behind, haproxy) =>
      takeTurns(ROUNDS, {
        direct: () => move(bare, bare.nodes),
        proxied: () => move(behind, [{ port: haproxy.writePort }]),
      }),
    ),
  )
  return [
    judgeRow({
      name: `switchover behind HAProxy, ${CLIENTS.count} clients: gap of writes, median of ${ROUNDS}`,
      value: median(proxied),
      unit: 'ms',
      floor: median(direct),
      target: atMostTimes(1.5),
    }),
  ]
}

async function move(cluster: ProtectedCluster, doors: readonly { readonly port: number }[]): Promise<number> {
  await cluster.ready()
  const ask = async () => {
    const { status, body } = await cluster.manager.post('/api/clusters/story/actions/switchover')
    if (status !== 200) throw new Error(`the switchover answered ${status}: ${body}`)
  }
  return measureGap(doors, ask, CLIENTS)
}

/** A cluster whose manager configures an HAProxy in front of it. */
async function withProxiedCluster<T>(
  work: (cluster: ProtectedCluster, haproxy: HaproxyProcess) => Promise<T>,
): Promise<T> {
  let haproxy: HaproxyProcess | undefined
  const cluster = await startProtectedCluster({
    arrange: async (nodes) => {
      const [primary, ...replicas] = nodes
      if (!primary) throw new Error('there are three nodes')
      await prepareWrites(primary)
      await replicate(primary, replicas)
      haproxy = await startHaproxy(nodes.map(({ port }) => serverId('story', `127.0.0.1:${port}`)))
    },
    settings: () => ({
      haproxy: true,
      'haproxy-servers': '127.0.0.1',
      'haproxy-api-port': haproxy?.apiPort ?? 0,
      'failover-limit': 0,
    }),
  })
  try {
    if (!haproxy) throw new Error('there is no HAProxy')
    return await work(cluster, haproxy)
  } finally {
    await cluster.destroy()
    await haproxy?.stop()
  }
}
