// Stories of a primary that is killed while clients write.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import type { Writers } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { sample } from '../support/run/soak.js'
import {
  asReplica,
  comesBack,
  durable,
  end,
  expectKeptOut,
  expectWhole,
  load,
  logLines,
  lossless,
  onlyOn,
  progress,
} from '../support/stories/story.js'
import { acknowledging } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

/** Kills the primary after so many writes; resolves with both primaries when clients write again. */
async function killUnderWriters(cluster: ProtectedCluster, writers: Writers, writes: number) {
  const old = await cluster.primary()
  await progress(writers, writes)
  await old.kill()
  const next = await cluster.movedFrom(old)
  await progress(writers, 50)
  await writers.stop()
  return { old, next }
}

describe('the killed primary of a semi-synchronous cluster', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless, settings: { 'failover-limit': 0 } })
  })
  after(() => end(cluster))

  for (const [round, writes] of sample([1, 40, 170, 400], 2).entries())
    it(`takes no acknowledged write with it after ${writes} of them, and comes back automatically`, async () => {
      await acknowledging(cluster)
      // The forecast rests on the last probes: it is certain once both replicas were seen to acknowledge, not one of them.
      await eventually(
        async () => /; 2 acknowledge /.test((await cluster.explain()).loss.reason),
        'the manager has seen both replicas acknowledge',
      )
      const writers = load(cluster, { count: 8, first: round * 8, pauseMs: 0 })
      const { old, next } = await killUnderWriters(cluster, writers, writes)
      expect(await writers.missingOn(next)).to.deep.equal([])
      await eventually(
        () => logLines(cluster, 'every commit waited (AFTER_SYNC) for a replica').length > round,
        'the report of the failover',
      )
      expect((await comesBack(cluster, old, ...asReplica)).Outcome).to.equal('rejoined')
      await expectWhole(cluster, next)
      expect(await writers.missingOn(old)).to.deep.equal([])
    })
})

describe('the killed primary of an asynchronous cluster', () => {
  let cluster: ProtectedCluster
  let old: Node
  let next: Node
  let writers: Writers

  before(async () => {
    cluster = await startProtectedCluster({ options: durable })
    writers = load(cluster, { count: 16, pauseMs: 0 })
    const killed = await killUnderWriters(cluster, writers, 400)
    old = killed.old
    next = killed.next
  })
  after(() => end(cluster))

  it('leaves one writer, which the other replica follows', async () => {
    const living = cluster.nodes.filter((node) => node !== old)
    await cluster.convergesOn(next, living)
  })

  it('keeps to itself exactly what no replica received, saved and named when it returns', async () => {
    const lost = await writers.missingOn(next)
    const { Outcome } = await comesBack(cluster, old)
    const own = await onlyOn(old, next)
    expect(own).to.include.members([...lost])
    expect(Outcome).to.equal(own.length === 0 ? 'rejoined' : 'diverged')
    if (own.length === 0) await expectWhole(cluster, next)
    else await expectKeptOut(cluster, old, next)
  })
})
