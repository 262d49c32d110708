// The gap that clients see when the primary role is moved on request, against a minimal script.
import type { ProtectedCluster } from '../support/manager/protected-cluster.js'
import { prepareSwitchover } from './floor.js'
import { measureGap, modeName, withBareCluster, withManagedCluster } from './gap.js'
import { median, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 5

export async function benchSwitchover(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = []
  for (const semiSync of [false, true]) {
    const { floor, managed } = await withManagedCluster(semiSync, (cluster) =>
      takeTurns(ROUNDS, { floor: () => moveByScript(semiSync), managed: () => moveByManager(cluster) }),
    )
    rows.push(
      judgeRow({
        name: `switchover, ${modeName(semiSync)}: gap of writes, median of ${ROUNDS}`,
        value: median(managed),
        unit: 'ms',
        floor: median(floor),
        target: atMostTimes(3),
      }),
    )
  }
  return rows
}

const moveByScript = (semiSync: boolean): Promise<number> =>
  withBareCluster(semiSync, async (node) => {
    const nodes = [node(0), node(1), node(2)] as const
    return measureGap(nodes, await prepareSwitchover([...nodes], semiSync))
  })

async function moveByManager(cluster: ProtectedCluster): Promise<number> {
  await cluster.ready()
  return measureGap(cluster.nodes, async () => {
    const { status, body } = await cluster.manager.post('/api/clusters/story/actions/switchover')
    if (status !== 200) throw new Error(`the switchover answered ${status}: ${body}`)
  })
}
