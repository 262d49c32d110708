// Stories of a primary that hangs (SIGSTOP) while clients write, is replaced, and wakes up again.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import {
  durable,
  end,
  expectKeptOut,
  expectWhole,
  judged,
  load,
  lossless,
  onlyOn,
  progress,
  Sentry,
} from '../support/stories/story.js'

/** The manager closes a woken primary within this time, and whatever time the machine takes from all of us. */
const FENCE_MS = 100

interface Awakening {
  readonly old: Node
  readonly next: Node
  /** Acknowledged rows that the new primary does not hold. */
  readonly lost: readonly string[]
  /** From waking to the first look that found it closed, without the stalls of the machine, milliseconds. */
  readonly fencedMs: number
}

/** The primary hangs under clients that wait for it; others write to its successor; then it wakes up. */
async function hangAndWake(cluster: ProtectedCluster): Promise<Awakening> {
  const patient = load(cluster, { count: 8 })
  const old = await cluster.primary()
  await progress(patient, 100)
  const sentry = new Sentry(cluster.nodes)
  await progress(patient, 50)
  old.pause()
  const next = await cluster.movedFrom(old)
  const others = load(cluster, { count: 8, first: 8 })
  await progress(others, 50)
  const wokenAt = performance.now()
  old.resume()
  await progress(patient, 50)
  await judged(cluster, old)
  await Promise.all([patient.stop(), others.stop(), sentry.stop()])
  const closedAt = sentry.closedAt(old, wokenAt)
  const lost = (await Promise.all([patient, others].map((group) => group.missingOn(next)))).flat()
  return { old, next, lost, fencedMs: closedAt - wokenAt - sentry.stalls(next, wokenAt, closedAt) }
}

/** What it wrote that nobody else has is kept, counted and named; with nothing of the kind it is a replica again. */
async function expectSettled(cluster: ProtectedCluster, { old, next }: Awakening): Promise<void> {
  if ((await onlyOn(old, next)).length === 0) await expectWhole(cluster, next)
  else await expectKeptOut(cluster, old, next)
}

describe('a primary that hangs and wakes up', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  it('is closed at once and acknowledges nothing that is lost when it is semi-synchronous', async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    const awakening = await hangAndWake(cluster)
    expect(awakening.lost).to.deep.equal([])
    expect(awakening.fencedMs).to.be.below(FENCE_MS)
    await expectSettled(cluster, awakening)
  })

  it('is closed at once, and what slipped in is counted and saved, when it is asynchronous', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const awakening = await hangAndWake(cluster)
    expect(await onlyOn(awakening.old, awakening.next)).to.include.members([...awakening.lost])
    expect(awakening.fencedMs).to.be.below(FENCE_MS)
    await expectSettled(cluster, awakening)
  })
})
