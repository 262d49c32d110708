// Stories of a primary that is killed and that its host starts again at once, open for writes by its own configuration.
import { expect } from 'chai'
import { sleep } from '../../lib/base/time.js'
import type { Node } from '../support/databases/node.js'
import { writtenOn } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { changesBy, FENCE, generalLog } from '../support/stories/general-log.js'
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
} from '../support/stories/story.js'

interface Restart {
  readonly old: Node
  readonly primary: Node
  /** Acknowledged rows that the primary does not hold. */
  readonly lost: readonly string[]
  /** Rows that only the old one holds and that it did not hold yet when it was seen closed. */
  readonly late: readonly string[]
}

async function dieAndRestart(cluster: ProtectedCluster, afterMs: number, ...args: readonly string[]): Promise<Restart> {
  const writers = load(cluster, { count: 8, pauseMs: 0 })
  const old = await cluster.primary()
  await progress(writers, 100)
  await old.kill()
  await sleep(afterMs)
  old.start(...generalLog, ...args)
  await old.waitUp()
  await progress(writers, 200)
  const primary = await onlyWriter(cluster)
  const heldWhenClosed = await writtenOn(old)
  await progress(writers, 50)
  await writers.stop()
  const lost = await writers.missingOn(primary)
  const late = (await onlyOn(old, primary)).filter((row) => !heldWhenClosed.has(row))
  return { old, primary, lost, late }
}

/** Of all that the manager changed on the old primary the fence came first, and nothing was written there after it. */
function expectClosedFirst({ old, primary, late }: Restart): void {
  if (primary !== old) expect(changesBy(old, 'monitor')[0]).to.equal(FENCE)
  expect(late).to.deep.equal([])
}

/** One primary, which all follow that wrote nothing alone. */
async function expectSettled(cluster: ProtectedCluster, { old, primary }: Restart): Promise<void> {
  if ((await onlyOn(old, primary)).length === 0) await expectWhole(cluster, primary)
  else await expectKeptOut(cluster, old, primary)
}

describe('a primary that its host starts again at once, open for writes', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  for (const afterMs of [0, 60, 250])
    it(`is closed before anything else, and nothing acknowledged is lost, when it waits for replicas (${afterMs} ms later)`, async () => {
      cluster = await startProtectedCluster({ semiSync: true, options: lossless })
      const restart = await dieAndRestart(cluster, afterMs, '--rpl-semi-sync-master-enabled=ON')
      expect(restart.lost).to.deep.equal([])
      expectClosedFirst(restart)
      await expectSettled(cluster, restart)
    })

  it('is closed before anything else, and what slipped in is counted and saved, when it is asynchronous', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const restart = await dieAndRestart(cluster, 0)
    expect(await onlyOn(restart.old, restart.primary)).to.include.members([...restart.lost])
    expectClosedFirst(restart)
    await expectSettled(cluster, restart)
  })
})
