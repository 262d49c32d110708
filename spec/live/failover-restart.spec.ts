// Stories of a primary that is killed and that its host starts again at once, open for writes by its own configuration.
import { expect } from 'chai'
import { sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import {
  durable,
  end,
  expectKeptOut,
  expectWhole,
  load,
  lossless,
  onlyOn,
  onlyWriter,
  progress,
  Sentry,
} from '../support/stories/story.js'

/** A server that is the primary no more is found by the next knock, and its fence has this long. */
const FENCE_MS = 300

interface Restart {
  readonly old: Node
  readonly primary: Node
  /** Acknowledged rows that the primary does not hold. */
  readonly lost: readonly string[]
  /** How long the old one was open although another was the primary, without the stalls of the machine, milliseconds. */
  readonly openMs: number
}

async function dieAndRestart(cluster: ProtectedCluster, afterMs: number, ...args: readonly string[]): Promise<Restart> {
  const writers = load(cluster, { count: 8 })
  const old = await cluster.primary()
  const sentry = new Sentry(cluster.nodes)
  await progress(writers, 100)
  await old.kill()
  const died = performance.now()
  await sleep(afterMs)
  old.start(...args)
  await old.waitUp()
  await progress(writers, 200)
  const primary = await onlyWriter(cluster)
  await Promise.all([writers.stop(), sentry.stop()])
  const lost = await writers.missingOn(primary)
  const span = primary === old ? undefined : sentry.openSpan(old, died)
  const openMs = span ? span.until - span.from - sentry.stalls(primary, span.from, span.until) : 0
  return { old, primary, lost, openMs }
}

/** One primary, which everybody follows who wrote nothing alone. */
async function expectSettled(cluster: ProtectedCluster, { old, primary }: Restart): Promise<void> {
  if ((await onlyOn(old, primary)).length === 0) await expectWhole(cluster, primary)
  else await expectKeptOut(cluster, old, primary)
}

describe('a primary that its host starts again at once, open for writes', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  for (const afterMs of [0, 60, 250])
    it(`is no second writer, and nothing acknowledged is lost, when it waits for replicas (${afterMs} ms later)`, async () => {
      cluster = await startProtectedCluster({ semiSync: true, options: lossless })
      const restart = await dieAndRestart(cluster, afterMs, '--rpl-semi-sync-master-enabled=ON')
      expect(restart.lost).to.deep.equal([])
      expect(restart.openMs).to.be.below(FENCE_MS)
      await expectSettled(cluster, restart)
    })

  it('is closed at once, and what slipped in is counted and saved, when it is asynchronous', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const restart = await dieAndRestart(cluster, 0)
    expect(await onlyOn(restart.old, restart.primary)).to.include.members([...restart.lost])
    expect(restart.openMs).to.be.below(FENCE_MS)
    await expectSettled(cluster, restart)
  })
})
