// Stories of a primary that hangs (SIGSTOP) while clients write, is replaced, and wakes up again.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { writtenOn } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { changesBy, FENCE, generalLog, logLength } from '../support/stories/general-log.js'
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
} from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Awakening {
  readonly old: Node
  readonly next: Node
  /** Acknowledged rows that the new primary does not hold. */
  readonly lost: readonly string[]
  /** Rows that only the old one holds and that it did not hold yet when it was seen closed. */
  readonly late: readonly string[]
  /** What the manager changed on the old one after it woke up, in order. */
  readonly changes: readonly string[]
}

/** The primary hangs under clients that wait for it; others write to its successor; then it wakes up. */
async function hangAndWake(cluster: ProtectedCluster): Promise<Awakening> {
  const patient = load(cluster, { count: 8, pauseMs: 0 })
  const old = await cluster.primary()
  await progress(patient, 150)
  old.pause()
  const logged = logLength(old)
  const next = await cluster.movedFrom(old)
  const others = load(cluster, { count: 8, first: 8, pauseMs: 0 })
  await progress(others, 50)
  old.resume()
  await eventually(async () => (await old.value('SELECT @@read_only')) === '1', 'the old primary is closed')
  const heldWhenClosed = await writtenOn(old)
  await progress(patient, 50)
  await judged(cluster, old)
  await Promise.all([patient.stop(), others.stop()])
  const lost = (await Promise.all([patient, others].map((group) => group.missingOn(next)))).flat()
  const late = (await onlyOn(old, next)).filter((row) => !heldWhenClosed.has(row))
  return { old, next, lost, late, changes: changesBy(old, 'monitor', logged) }
}

/** Of all that the manager changed on the old primary the fence came first, and nothing was written there after it. */
function expectClosedFirst({ changes, late }: Awakening): void {
  expect(changes[0]).to.equal(FENCE)
  expect(late).to.deep.equal([])
}

/** What it wrote that no other server has is kept, counted and named; with nothing of the kind it is a replica again. */
async function expectSettled(cluster: ProtectedCluster, { old, next }: Awakening): Promise<void> {
  if ((await onlyOn(old, next)).length === 0) await expectWhole(cluster, next)
  else await expectKeptOut(cluster, old, next)
}

describe('a primary that hangs and wakes up', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  it('is closed before anything else and acknowledges nothing that is lost when it is semi-synchronous', async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: [...lossless, ...generalLog] })
    const awakening = await hangAndWake(cluster)
    expect(awakening.lost).to.deep.equal([])
    expectClosedFirst(awakening)
    await expectSettled(cluster, awakening)
  })

  it('is closed before anything else, and what slipped in is counted and saved, when it is asynchronous', async () => {
    cluster = await startProtectedCluster({ options: [...durable, ...generalLog] })
    const awakening = await hangAndWake(cluster)
    expect(await onlyOn(awakening.old, awakening.next)).to.include.members([...awakening.lost])
    expectClosedFirst(awakening)
    await expectSettled(cluster, awakening)
  })
})
