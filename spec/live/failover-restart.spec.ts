// Stories of a primary that is killed and that its host starts again, open for writes by its own configuration.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { writtenOn } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { changesBy, FENCE, generalLog } from '../support/stories/general-log.js'
import { JournalWatch, type Moment } from '../support/stories/journal-watch.js'
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

/** When the host starts it again. One that is back before another is promoted may keep the role. */
type Start = 'at once' | 'when another is promoted' | 'when the failover has ended'

interface Restarting {
  readonly moment: Start
  /** Server options of the start. */
  readonly args: (old: Node) => readonly string[]
}

async function dieAndRestart(cluster: ProtectedCluster, { moment, args }: Restarting): Promise<Restart> {
  const writers = load(cluster, { count: 8, pauseMs: 0 })
  const old = await cluster.primary()
  await progress(writers, 100)
  const reached = reaches(cluster, moment)
  await old.kill()
  await reached
  old.start(...generalLog, ...args(old))
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

const hasEnded: Moment['when'] = (entries) => entries.some(({ type }) => type === 'end')

const isPromoting: Moment['when'] = ([begin, ...entries]) =>
  begin?.type === 'begin' &&
  entries.some((entry) => entry.type === 'started' && begin.plan.commands[entry.index]?.type === 'promote')

async function reaches(cluster: ProtectedCluster, moment: Start): Promise<void> {
  if (moment === 'at once') return
  const when = moment === 'when another is promoted' ? isPromoting : hasEnded
  await new JournalWatch(cluster, { kind: 'failover', when }, () => undefined).reached
}

/** Of all that the manager changed on the old primary the fence came first, and nothing was written there after it. */
function expectClosedFirst({ old, primary, late }: Restart): void {
  expect(primary).to.not.equal(old)
  expect(changesBy(old, 'monitor')[0]).to.equal(FENCE)
  expect(late).to.deep.equal([])
}

/** One primary, which all follow that wrote nothing alone. */
async function expectSettled(cluster: ProtectedCluster, { old, primary }: Restart): Promise<void> {
  if ((await onlyOn(old, primary)).length === 0) await expectWhole(cluster, primary)
  else await expectKeptOut(cluster, old, primary)
}

/** A row that the server writes itself while it starts, as a client could that is faster than the manager. */
const SLIPPED = '900/1'
function writesOnStart({ dir }: Node): readonly string[] {
  const file = path.join(dir, 'slipped.sql')
  writeFileSync(file, `INSERT INTO spec.acknowledged VALUES (${SLIPPED.replace('/', ', ')});\n`)
  return [`--init-file=${file}`]
}

describe('a primary that its host starts again, open for writes', () => {
  let cluster: ProtectedCluster
  afterEach(() => end(cluster))

  const waiting = () => ['--rpl-semi-sync-master-enabled=ON']

  it('costs nothing acknowledged, whether its role moves or not, when it waits for replicas', async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    const restart = await dieAndRestart(cluster, { moment: 'at once', args: waiting })
    expect(restart.lost).to.deep.equal([])
    expect(restart.late).to.deep.equal([])
    if (restart.primary !== restart.old) expectClosedFirst(restart)
    await expectSettled(cluster, restart)
  })

  for (const moment of ['when another is promoted', 'when the failover has ended'] as const)
    it(`is closed before anything else, and nothing acknowledged is lost, when it waits for replicas (${moment})`, async () => {
      cluster = await startProtectedCluster({ semiSync: true, options: lossless })
      const restart = await dieAndRestart(cluster, { moment, args: waiting })
      expect(restart.lost).to.deep.equal([])
      expectClosedFirst(restart)
      await expectSettled(cluster, restart)
    })

  it('is closed before anything else, and what slipped in is counted and saved, when it is asynchronous', async () => {
    cluster = await startProtectedCluster({ options: durable })
    const restart = await dieAndRestart(cluster, { moment: 'when another is promoted', args: writesOnStart })
    const own = await onlyOn(restart.old, restart.primary)
    expect(own).to.include.members([...restart.lost, SLIPPED])
    expectClosedFirst(restart)
    await expectKeptOut(cluster, restart.old, restart.primary)
  })
})
