// A fleet regenerated after a change of tags: what the probes of its servers notice of it, and how long it takes.
import { SECOND, sleep } from '../../lib/base/time.js'
import { startFleet } from '../support/canned/fleet.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { CLUSTERS, pauseOfLooks, REPLICAS, SETTLE_MS, START_LIMIT_MS, watchAll } from './fleet.js'
import { quantile } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'

const QUIET_MS = 15 * SECOND
const REBUILD_LIMIT_MS = 180 * SECOND

export async function benchRegenerate(): Promise<readonly BenchRow[]> {
  const fleet = await startFleet({ clusters: CLUSTERS, replicas: REPLICAS })
  const clusters = watchAll(fleet)
  const manager = await ManagerProcess.create({ clusters })
  try {
    manager.start()
    await manager.alive(START_LIMIT_MS)
    await sleep(SETTLE_MS)
    const last = fleet.clusters[CLUSTERS - 1]?.[REPLICAS]
    const target = `/api/clusters/c${CLUSTERS}/servers/${last?.host}/${last?.port}/config`
    const etag = async () =>
      (await fetch(`http://127.0.0.1:${manager.httpPort}${target}`, { method: 'HEAD' })).headers.get('etag')
    await fleet.takeGaps()
    await sleep(QUIET_MS)
    const quiet = latenessOf(await fleet.takeGaps())

    const before = await etag()
    const startedAt = performance.now()
    manager.configure({ clusters: watchAll(fleet, 'row,innodb,slow,pfs,docker,linux,readonly') })
    manager.signal('SIGHUP')
    while ((await etag()) === before) {
      if (performance.now() - startedAt > REBUILD_LIMIT_MS) throw new Error('the archives stay as they were')
      await sleep(100)
    }
    const tookMs = performance.now() - startedAt
    const during = latenessOf(await fleet.takeGaps())
    const what = `${CLUSTERS} clusters of ${REPLICAS + 1} regenerated`
    return [
      judgeRow({
        ...{ name: `${what}: lateness of a probe, p99, floor quiet`, unit: 'ms', target: atMostTimes(2) },
        ...{ value: quantile(during, 0.99), floor: quantile(quiet, 0.99) },
      }),
      judgeRow({ name: `${what}: until the last archive is another one`, value: tookMs / SECOND, unit: 's' }),
    ]
  } finally {
    await manager.destroy()
    await fleet.teardown()
  }
}

/** Time between two polls beyond the intended pause. */
const latenessOf = (gaps: readonly number[]): readonly number[] => {
  const pause = pauseOfLooks()
  return gaps.map((gap) => gap - pause)
}
