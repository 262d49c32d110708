// How long it takes until a former primary that comes back, restarted or woken up, is closed, against a script that does only that.
import { unwrap } from '../../lib/base/result.js'
import { SECOND, sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import type { SqlSession } from '../../lib/connect/sql/session.js'
import type { Node } from '../support/databases/node.js'
import { withBareCluster, withManagedCluster } from './gap.js'
import { median, takeTurns } from './measure.js'
import { atMostTimes, type BenchRow, judgeRow } from './row.js'
import { Sentry } from './sentry.js'

const ROUNDS = 3
const CLOSE = 'SET GLOBAL read_only = 1'
const LIMIT_MS = 30 * SECOND
const KNOCK_MS = 5

export async function benchFence(): Promise<readonly BenchRow[]> {
  const took = await takeTurns(ROUNDS, {
    knock: () => scripted(restartUnderScript),
    restart: () => managed(restart),
    await: () => scripted(closeWhenItWakes),
    wake: () => managed(wake),
  })
  const row = (name: string, [values, floor]: readonly (readonly number[])[], bound: number) =>
    judgeRow({
      name: `old primary ${name} to its fence, median of ${ROUNDS}`,
      value: median(values ?? []),
      unit: 'ms',
      floor: median(floor ?? []),
      target: atMostTimes(bound),
    })
  // A connection to a server that is awake takes a few milliseconds: a probe before the fence is many times that.
  return [row('from its start', [took.restart, took.knock], 5), row('from waking', [took.wake, took.await], 20)]
}

type Comeback = (old: Node, sentry: Sentry, moved: () => Promise<unknown>) => Promise<number>

const managed = (comeback: Comeback): Promise<number> =>
  withManagedCluster(false, async (cluster) => {
    const old = await cluster.primary()
    return watched(old, (sentry) => comeback(old, sentry, () => cluster.movedFrom(old)))
  })

const scripted = (close: (node: Node, sentry: Sentry) => Promise<number>): Promise<number> =>
  withBareCluster(false, (node) => watched(node(0), (sentry) => close(node(0), sentry)))

async function watched(node: Node, work: (sentry: Sentry) => Promise<number>): Promise<number> {
  const sentry = new Sentry(node)
  try {
    return await work(sentry)
  } finally {
    await sentry.stop()
  }
}

const restart: Comeback = async (old, sentry, moved) => {
  await old.kill()
  await moved()
  const since = performance.now()
  old.start()
  return sentry.closedMs(since)
}

/** The same by a script that knocks without pause. */
async function restartUnderScript(node: Node, sentry: Sentry): Promise<number> {
  await node.kill()
  const since = performance.now()
  node.start()
  for (let session: SqlSession | undefined; !session; await sleep(KNOCK_MS)) {
    const opened = await openSession(node.target('monitor', 500))
    if (!opened.ok) continue
    session = opened.value
    unwrap(await session.run(CLOSE, [], LIMIT_MS))
    session.close()
  }
  return sentry.closedMs(since)
}

const wake: Comeback = async (old, sentry, moved) => {
  old.pause()
  await moved()
  const since = performance.now()
  old.resume()
  return sentry.closedMs(since)
}

async function reachAndClose(node: Node, sentry: Sentry): Promise<number> {
  const since = performance.now()
  const session = unwrap(await openSession(node.target('monitor')))
  unwrap(await session.run(CLOSE, [], LIMIT_MS))
  session.close()
  return sentry.closedMs(since)
}

async function closeWhenItWakes(node: Node, sentry: Sentry): Promise<number> {
  node.pause()
  const closing = reachAndClose(node, sentry)
  const since = performance.now()
  node.resume()
  await closing
  return sentry.closedMs(since)
}
