// The gap that clients see when the primary is killed, against a script that promotes at the first connection reset.
import { SECOND, sleep } from '../../lib/base/time.js'
import { armFailover } from './floor.js'
import { measureGap, modeName, withBareCluster, withManagedCluster } from './gap.js'
import { median, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 7
/** A running manager is measured, not one that is still starting. */
const SETTLED_MS = 3 * SECOND

export async function benchFailover(): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = []
  for (const semiSync of [false, true]) {
    const { floor, managed } = await takeTurns(ROUNDS, {
      floor: () => killUnderScript(semiSync),
      managed: () => killUnderManager(semiSync),
    })
    rows.push(
      judgeRow({
        name: `kill -9, ${modeName(semiSync)}: gap of writes, median of ${ROUNDS}`,
        value: median(managed),
        unit: 'ms',
        floor: median(floor),
        target: atMostTimes(5),
      }),
    )
  }
  return rows
}

const killUnderScript = (semiSync: boolean): Promise<number> =>
  withBareCluster(semiSync, async (node) => {
    const nodes = [node(0), node(1), node(2)] as const
    await armFailover(nodes, semiSync)
    return measureGap(nodes, () => node(0).kill())
  })

const killUnderManager = (semiSync: boolean): Promise<number> =>
  withManagedCluster(semiSync, async (cluster) => {
    const primary = await cluster.primary()
    await sleep(SETTLED_MS)
    return measureGap(cluster.nodes, () => primary.kill())
  })
