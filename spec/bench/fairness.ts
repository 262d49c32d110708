// What a cluster pays for its neighbour on the same thread: probes of a sound one, alone and beside hostile servers.
import { SECOND, sleep } from '../../lib/base/time.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { type HostileKind, hostileKinds, startHostileServer } from '../support/databases/hostile-server.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'
import { atLeastTimes, atMostTimes, type BenchRow, judgeRow } from './row.js'

const WINDOW_MS = 30 * SECOND
/** One processor, and so one thread for all clusters. */
const alone = { host: '127.0.0.1', prefix: ['taskset', '-c', '0'] } as const
const account = { 'db-servers-credential': 'monitor:monitor', 'replication-credential': 'repl:repl' }

interface Figures {
  /** Answered probes of the sound cluster a second. */
  readonly rate: number
  /** Mean round trip of its probes, milliseconds. */
  readonly tripMs: number
}

export async function benchFairness(): Promise<readonly BenchRow[]> {
  const kinds = Object.keys(hostileKinds) as HostileKind[]
  const databases = await startDatabases({ count: 1 })
  const servers = await Promise.all(kinds.map(startHostileServer))
  try {
    const before = await measure(databases, [])
    const beside = await measure(
      databases,
      servers.map(({ port }) => port),
    )
    const name = `a sound cluster beside ${kinds.length} hostile servers, floor alone`
    return [
      judgeRow({
        ...{ name: `${name}: probes answered`, unit: '1/s' },
        ...{ value: beside.rate, floor: before.rate, target: atLeastTimes(0.95) },
      }),
      judgeRow({
        ...{ name: `${name}: round trip, mean`, unit: 'ms' },
        ...{ value: beside.tripMs, floor: before.tripMs, target: atMostTimes(3) },
      }),
    ]
  } finally {
    await Promise.all(servers.map((server) => server.close()))
    await databases.teardown()
  }
}

async function measure(databases: Databases, hostile: readonly number[]): Promise<Figures> {
  const manager = await ManagerProcess.create({
    place: alone,
    clusters: {
      sound: { ...account, 'db-servers-hosts': `127.0.0.1:${databases.node(0).port}` },
      ...(hostile.length === 0
        ? {}
        : { hostile: { ...account, 'db-servers-hosts': hostile.map((port) => `127.0.0.1:${port}`).join() } }),
    },
  })
  try {
    manager.start()
    await manager.alive()
    await eventually(async () => (await readProbes(manager)).count > 5, 'the sound cluster is probed')
    const from = await readProbes(manager)
    const startedAt = performance.now()
    await sleep(WINDOW_MS)
    const to = await readProbes(manager)
    const count = to.count - from.count
    return {
      rate: count / ((performance.now() - startedAt) / SECOND),
      tripMs: ((to.seconds - from.seconds) / count) * SECOND,
    }
  } finally {
    await manager.destroy()
  }
}

async function readProbes({ httpPort }: ManagerProcess): Promise<{ readonly count: number; readonly seconds: number }> {
  const text = await (await fetch(`http://127.0.0.1:${httpPort}/api/prometheus`)).text()
  const read = (what: 'count' | 'sum') =>
    Number(new RegExp(`^manager_probe_seconds_${what}\\{[^}]*cluster="sound"[^}]*\\} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
  return { count: read('count'), seconds: read('sum') }
}
