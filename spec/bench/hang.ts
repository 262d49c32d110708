// The gap that clients see when the primary hangs: silence needs time to be proof, and not more than promised.
import { SECOND } from '../../lib/base/time.js'
import { defaultSettings } from '../../lib/settings/index.js'
import { measureGap, modeName, withManagedCluster } from './gap.js'
import { median, takeTurns } from './measure.js'
import { atMost, type BenchRow, judgeRow } from './row.js'

const ROUNDS = 3
/** Deciding and moving. */
const MOVE_SECONDS = 1
/** A semi-synchronous replica of a hung source takes two seconds to let go of it. */
const LET_GO_SECONDS = 2.5
/** Clients that are used to servers that hang. */
const PATIENCE_MS = 100

export async function benchHang(): Promise<readonly BenchRow[]> {
  const timeout = defaultSettings()['failover-falsepositive-heartbeat-timeout']
  const { plain, semi } = await takeTurns(ROUNDS, { plain: () => hang(false), semi: () => hang(true) })
  const row = (semiSync: boolean, gaps: readonly number[]) =>
    judgeRow({
      name: `SIGSTOP, ${modeName(semiSync)}: gap of writes, median of ${ROUNDS}`,
      value: median(gaps) / SECOND,
      unit: 's',
      target: atMost(timeout + MOVE_SECONDS + (semiSync ? LET_GO_SECONDS : 0)),
    })
  return [row(false, plain), row(true, semi)]
}

const hang = (semiSync: boolean): Promise<number> =>
  withManagedCluster(semiSync, async (cluster) => {
    const primary = await cluster.primary()
    return measureGap(cluster.nodes, () => primary.pause(), { patienceMs: PATIENCE_MS })
  })
