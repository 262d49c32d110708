// Stories of switchovers that fail when another server has taken writes already: it keeps the role, and no write is given up.
import { expect } from 'chai'
import type { JournalEntry } from '../../lib/store/cluster/journal-entry.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { isSoak } from '../support/run/soak.js'
import { byHand, moveByHand } from '../support/stories/by-hand.js'
import { expectIntact } from '../support/stories/intact.js'
import { JournalWatch } from '../support/stories/journal-watch.js'
import { allWriteTo, durable, end, load, logLines, progress } from '../support/stories/story.js'
import { replicasOf, SWITCHOVER, switchable, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const OPENS = /SET GLOBAL read_only = 0/
const CLOSES = /SET GLOBAL read_only = 1/
const PARTS = /RESET SLAVE/

/** The candidate is about to be asked what it has: it is cut from its source next. */
function catchesUp([begin, ...entries]: readonly JournalEntry[]): boolean {
  const commands = begin?.type === 'begin' ? begin.plan.commands : []
  return entries.some((entry) => 'index' in entry && commands[entry.index]?.type === 'catch-up')
}

describe('A switchover that fails when the new primary takes writes', () => {
  let cluster: ProtectedCluster
  let old: Node
  let candidate: Node
  let writers: Writers

  before(async () => {
    cluster = await startProtectedCluster({ gated: true, options: durable, settings: { 'failover-mode': 'manual' } })
  })
  beforeEach(async () => {
    await cluster.ready()
    old = await cluster.primary()
    candidate = (await replicasOf(cluster))[0]
    await switchable(cluster, candidate)
    writers = load(cluster, { count: 4 })
    await progress(writers, 50)
  })
  afterEach(() => writers.stop())
  after(() => end(cluster))

  /** Does something before the manager sends the candidate what the pattern names, once. */
  const beforeSending = (pattern: RegExp, then: () => void) => {
    const gate = cluster.gateTo(candidate)
    gate.beforeBytes = (bytes) => {
      if (!pattern.test(bytes.toString())) return
      gate.beforeBytes = () => undefined
      then()
    }
  }

  /** How often the log has it that opening a server failed. */
  const unanswered = () => logLines(cluster, 'make-writable').filter((line) => line.includes('failed')).length

  const switchOver = () => cluster.manager.post(SWITCHOVER, wishFor(cluster, candidate))

  const expectKept = async ({ status, body }: { readonly status: number; readonly body: string }) => {
    expect(status, body).to.equal(500)
    expect(body).to.include('it keeps the role')
    await allWriteTo(writers, candidate)
    await progress(writers, 50)
    await writers.stop()
    await expectIntact(cluster, { primary: candidate, writers })
  }

  it('by an order whose answer was lost: the old primary stays closed, and the new one keeps the role', async () => {
    const gate = cluster.gateTo(candidate)
    const failed = unanswered()
    beforeSending(OPENS, () => setImmediate(() => void gate.set('hang')))
    const answer = switchOver()
    await allWriteTo(writers, candidate)
    await eventually(() => unanswered() > failed, 'no answer comes')
    await gate.set('open')
    await expectKept(await answer)
  })

  it('by an order whose answer was lost, and the manager is killed before it opens it again: the next one does', async () => {
    const gate = cluster.gateTo(candidate)
    const failed = unanswered()
    const isClosed = () => candidate.value('SELECT @@read_only')
    beforeSending(OPENS, () => setImmediate(() => void gate.set('hang')))
    const answer = switchOver().catch(String)
    await allWriteTo(writers, candidate)
    await eventually(() => unanswered() > failed, 'no answer comes')
    beforeSending(CLOSES, () => setImmediate(() => void gate.set('hang')))
    await gate.set('open')
    await eventually(async () => (await isClosed()) === '1', 'it is closed to be asked')
    await cluster.manager.end('SIGKILL')
    await answer
    await gate.set('open')
    cluster.manager.start()
    await cluster.manager.alive()
    await allWriteTo(writers, candidate)
    await progress(writers, 50)
    await writers.stop()
    await expectIntact(cluster, { primary: candidate, writers })
  })

  it('by hand, while the manager was suspended: it is left open, and the old primary follows it', async () => {
    let isStopped: () => void = () => undefined
    const stopped = new Promise<void>((resolve) => {
      isStopped = resolve
    })
    beforeSending(PARTS, () => {
      cluster.manager.signal('SIGSTOP')
      isStopped()
    })
    const answer = switchOver()
    await stopped
    await byHand(candidate, 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only=OFF')
    const sessions = await old.sql("SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = 'monitor'")
    for (const { id } of sessions) await byHand(old, `KILL ${id}`)
    await allWriteTo(writers, candidate)
    cluster.manager.signal('SIGCONT')
    await expectKept(await answer)
  })

  // Once in a whole run the third server did not get the role within 120 s; why is not known.
  if (isSoak)
    it('by hand from a third server, which the candidate follows since: it is not cut from it', async () => {
      const third = (await replicasOf(cluster))[1]
      const suspended = new JournalWatch(cluster, { kind: 'switchover', when: catchesUp }, () =>
        cluster.manager.signal('SIGSTOP'),
      )
      const answer = switchOver()
      await suspended.reached
      await old.kill()
      await moveByHand({ to: third, followers: [candidate], semiSync: true })
      old.start('--read-only=OFF')
      await old.waitUp()
      cluster.manager.signal('SIGCONT')
      const { status, body } = await answer
      expect(status, body).to.equal(500)
      await eventually(
        async () => (await cluster.primary()) === third,
        () => `the third server has the role\n${cluster.manager.log().slice(-8_000)}`,
      )
      await progress(writers, 50)
      await writers.stop()
      await expectIntact(cluster, { primary: third, writers })
    })
})
