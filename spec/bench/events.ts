// How soon five hundred listeners know what happens to a cluster that fails over.
import { sleep } from '../../lib/base/time.js'
import { startChild } from './child.js'
import { withManagedCluster } from './gap.js'
import type { listenerAnswers } from './listener-process.js'
import { quantile } from './measure.js'
import { atMost, type BenchRow, judgeRow } from './row.js'

const LISTENERS = 500
/** The last event of a failover, and a moment for those on the way. */
const SETTLE_MS = 5_000

export const benchEvents = (): Promise<readonly BenchRow[]> =>
  withManagedCluster(false, async (cluster) => {
    const listeners = await startChild<typeof listenerAnswers>(new URL('./listener-process.js', import.meta.url))
    try {
      const { manager } = cluster
      const { body } = await manager.post('/api/login', { username: 'admin', password: 'spec-password' })
      const { token } = JSON.parse(body) as { readonly token: string }
      const target = '/api/clusters/story/events'
      await listeners.ask('start', { port: manager.httpPort, target, token, count: LISTENERS })
      const primary = await cluster.primary()
      await primary.kill()
      await sleep(SETTLE_MS)
      const { late, events, least } = await listeners.ask('late', undefined)
      const what = `${LISTENERS} listeners of a failover, ${events} events`
      return [
        judgeRow({
          name: `${what}: until each has one, p99`,
          value: quantile(late, 0.99),
          unit: 'ms',
          target: atMost(100),
        }),
        judgeRow({ name: `${what}: the same, median`, value: quantile(late, 0.5), unit: 'ms' }),
        judgeRow({
          name: `${what}: that a listener missed`,
          value: events - least,
          unit: 'events',
          target: atMost(0),
        }),
      ]
    } finally {
      await listeners.end()
    }
  })
