// Stories of a manager that is killed in the middle of moving the primary role: the next one settles what it left.
import { expect } from 'chai'
import type { JournalEntry } from '../../lib/store/cluster/journal-entry.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { isSoak, sample } from '../support/run/soak.js'
import { expectIntact } from '../support/stories/intact.js'
import { cutsOf, JournalWatch, latestOf } from '../support/stories/journal-watch.js'
import { asReplica, lossless, progress } from '../support/stories/story.js'
import {
  acknowledging,
  replicasOf,
  SWITCHOVER,
  startWriters,
  switchable,
  wishFor,
} from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

type Kind = 'failover' | 'switchover'

const hasSucceeded = (entries: readonly JournalEntry[]): boolean => {
  const last = entries.at(-1)
  return last?.type === 'end' && last.result.phase === 'succeeded'
}

describe('A manager killed in the middle of an operation', function () {
  this.timeout(900_000)
  let cluster: ProtectedCluster
  let writers: Writers | undefined

  before(async () => {
    cluster = await startProtectedCluster({
      ...{ semiSync: true, gated: true, options: lossless, settings: { 'failover-limit': 0 } },
    })
  })
  // A round that failed leaves its clients behind: the next one counts rows of its own.
  afterEach(() => writers?.stop())
  after(() => cluster?.destroy())

  const begin: { readonly [K in Kind]: (primary: Node) => Promise<unknown> } = {
    failover: (primary) => primary.kill('SIGKILL'),
    switchover: async () => {
      const [replica] = await replicasOf(cluster)
      await switchable(cluster, replica)
      return cluster.manager.post(SWITCHOVER, wishFor(cluster, replica))
    },
  }

  const restart = async () => {
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
  }

  const oneWriter = async (): Promise<Node> => {
    let open: readonly Node[] = []
    await eventually(
      async () => {
        const living = cluster.nodes.filter(({ pid }) => pid > 0)
        const closed = await Promise.all(living.map((node) => node.value('SELECT @@read_only')))
        open = living.filter((_, index) => closed[index] === '0')
        return open.length === 1 && (await cluster.primary()) === open[0]
      },
      () => `one server takes writes\n${cluster.manager.log().slice(-6_000)}`,
    )
    const [writer] = open
    if (!writer) throw new Error('no server takes writes')
    return writer
  }

  /** The latest operation of the journal has its end. */
  const hasEnd = (kind?: Kind) => 'result' in (latestOf(cluster, kind).at(-1) ?? {})

  /** The next manager dies as soon as it has begun something of its own, unless there is nothing left to begin. */
  const killAgain = async () => {
    const kill = () => cluster.manager.signal('SIGKILL')
    const watch = new JournalWatch(cluster, { when: ({ length }) => length > 1 }, kill)
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    // What was cut has an end of its own where nothing is left of it; one writer alone may have been there all the time.
    const settled = eventually(() => hasEnd(), 'the next manager has settled what was cut')
      .then(() => cluster.manager.alive())
      .then(oneWriter)
      .catch(() => undefined)
    await Promise.race([watch.reached, settled])
    watch.close()
  }

  /** Resolves when an operation that begins now has ended, or was cut; one on request may be refused instead. */
  const ends = async (kind: Kind, begun: Promise<unknown>, { isDue, reached }: JournalWatch) => {
    const before = latestOf(cluster, kind)[0]?.operation
    await begun
    if (kind !== 'switchover')
      await eventually(() => {
        const entries = latestOf(cluster, kind)
        return isDue() || (entries[0]?.operation !== before && 'result' in (entries.at(-1) ?? {}))
      }, 'the operation has ended')
    // It can be seen here before the watch hears of it.
    if (isDue()) await reached
  }

  /**
   * One operation under writers, cut short when its journal has so many lines, or all that it gets: two that succeed may differ
   * by a command. The cluster is whole afterwards. Answers whether it was cut: on a busy machine an operation may be undone
   * before it has come so far.
   */
  const round = async (kind: Kind, cut?: { readonly lines: number; readonly twice?: boolean }): Promise<boolean> => {
    await acknowledging(cluster)
    const group = startWriters(cluster, { count: 8, pauseMs: isSoak ? 0 : 50 })
    writers = group
    await progress(group, 50)
    const old = await cluster.primary()
    const when = (entries: readonly JournalEntry[]) =>
      cut !== undefined && (entries.length >= cut.lines || hasSucceeded(entries))
    const watch = new JournalWatch(cluster, { kind, when }, () => cluster.manager.signal('SIGKILL'))
    const begun = begin[kind](old).catch(() => undefined)
    let isCut = false
    const reached = watch.reached.then(() => {
      isCut = true
    })
    if (cut) await Promise.race([reached, ends(kind, begun, watch)])
    if (cut && isCut) {
      if (cut.twice) await killAgain()
      await restart()
    }
    await begun
    watch.close()
    const primary = await oneWriter()
    await progress(group, 50)
    await group.stop()
    if (kind === 'failover') {
      old.start(...asReplica)
      await old.waitUp()
    }
    await expectIntact(cluster, { primary, writers: group })
    return isCut
  }

  /** Cuts there. What was undone before it came so far, as on a busy machine, is tried a second and a third time. */
  const cutAt = async (kind: Kind, cut: { readonly lines: number; readonly twice?: boolean }) => {
    for (let attempt = 1; attempt <= 3; attempt += 1) if (await round(kind, cut)) return
    expect.fail(`no ${kind} came so far as to be cut at line ${cut.lines}`)
  }

  /** The journal of one that was not cut, if need be of the second or third: on a busy machine one may be undone. */
  const wholeOf = async (kind: Kind) => {
    let whole = latestOf(cluster, kind)
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const before = whole[0]?.operation
      await round(kind)
      if (latestOf(cluster, kind)[0]?.operation === before) continue
      // The role has moved before the last lines are written.
      await eventually(
        () => hasEnd(kind),
        () => `the journal has the end\n${cluster.manager.log().slice(-6_000)}`,
      )
      whole = latestOf(cluster, kind)
      if (hasSucceeded(whole)) return whole
    }
    return expect.fail(`no ${kind} succeeded\n${cluster.manager.log().slice(-6_000)}`)
  }

  for (const kind of ['switchover', 'failover'] as const) {
    let cuts: readonly number[] = []

    it(`leaves one primary and no lost write, at every step of a ${kind}`, async () => {
      cuts = cutsOf(await wholeOf(kind))
      expect(cuts).to.have.length.above(8)
      for (const lines of sample(cuts, 3)) await cutAt(kind, { lines })
    })

    it(`leaves them so when the next manager is killed as well, in a ${kind}`, async () => {
      expect(cuts, 'places to cut, as the story before found them').to.not.deep.equal([])
      const some = cuts.filter((_, index) => index % 3 === 2)
      const tried = isSoak ? some : some.filter((_, index) => index === Math.floor(some.length / 2))
      for (const lines of tried) await cutAt(kind, { lines, twice: true })
    })
  }
})
