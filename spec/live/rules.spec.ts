// Stories of dead primaries whose failover waits for a person: mode, limits and servers that are away on request.
import { expect } from 'chai'
import { openEvents, readEvents } from '../../http/client/events.js'
import { unwrap } from '../../lib/base/result.js'
import type { ClusterEvent } from '../../lib/model/event.js'
import type { Node } from '../support/databases/database.js'
import type { Writers } from '../support/databases/writers.js'
import { moreProbes } from '../support/manager/probes.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { begunIn, expectIntact } from '../support/stories/intact.js'
import { asReplica, logLines, lossless, progress } from '../support/stories/story.js'
import { acknowledging, idOf, replicasOf, startWriters } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'
const FAILOVER = `${C}/actions/failover`
/** So many probes of the three servers, which are 100 ms apart at least, take longer than any failover waits. */
const MANY = 90

describe('A failover that waits for a person', () => {
  let cluster: ProtectedCluster
  let primary: Node
  let writers: Writers

  before(async () => {
    cluster = await startProtectedCluster({
      semiSync: true,
      options: lossless,
      settings: { 'failover-mode': 'manual' },
    })
  })
  beforeEach(async () => {
    await acknowledging(cluster)
    primary = await cluster.primary()
    writers = startWriters(cluster, { count: 8 })
    await progress(writers, 50)
  })
  afterEach(() => writers.stop())
  after(() => cluster?.destroy())

  const ask = async (target: string) => {
    const { status, body } = await cluster.manager.post(target)
    expect(status, body).to.equal(200)
  }

  const set = (name: string, value: string | number) => ask(`${C}/settings/actions/set/${name}/${value}`)

  /** Rules that stand in the way now. */
  const inTheWay = async () =>
    (await cluster.explain()).rows.filter(({ state }) => state === 'closed').map(({ rule }) => rule)

  /** Kills the primary; resolves when it is proven dead and only this rule keeps its role from moving. */
  const diesUnder = async (rule: string, finding: string) => {
    const begun = await begunIn(cluster)
    await primary.kill('SIGKILL')
    await eventually(async () => (await cluster.explain()).primaryDead, 'the primary counts as dead')
    await eventually(async () => (await inTheWay()).join() === rule, `only ${rule} stands in the way`)
    await cluster.opens(finding)
    await moreProbes(cluster.manager, MANY)
    const { wouldFailOver, candidate } = await cluster.explain()
    expect({ wouldFailOver, hasCandidate: candidate !== undefined }).to.deep.equal({
      wouldFailOver: false,
      hasCandidate: true,
    })
    expect(await begunIn(cluster)).to.deep.equal(begun)
  }

  /** The role has moved; the old primary comes back as a replica and nothing is lost. */
  const expectMoved = async () => {
    const next = await cluster.movedFrom(primary)
    await progress(writers, 50)
    await writers.stop()
    primary.start(...asReplica)
    await primary.waitUp()
    await expectIntact(cluster, { primary: next, writers })
    return next
  }

  it('moves the role when it is asked to, and reports it step by step to every listener', async () => {
    const stream = await Listener.open(cluster)
    await diesUnder('failover-mode', 'ERR00002')
    await ask(FAILOVER)
    const isFailover = ({ kind, data }: ClusterEvent) => kind === 'operation' && data?.kind === 'failover'
    await stream.until((event) => isFailover(event) && event.data?.phase === 'succeeded')
    const all = [...stream.events]
    const reported = all.map(({ kind, data }) => [kind, data?.phase ?? data?.code].filter(Boolean).join(' '))
    const steps = all.flatMap(({ kind, data }) => (kind === 'step' ? String(data?.command) : []))
    expect(reported.indexOf('operation running')).to.be.above(-1).and.below(reported.indexOf('step'))
    expect(reported.findIndex((line) => line.startsWith('finding-opened'))).to.be.below(
      reported.indexOf('operation running'),
    )
    const order = ['reprobe', 'stop-receiving', 'apply-received', 'promote', 'make-writable', 'report']
    expect([...new Set(steps)].filter((step) => order.includes(step))).to.deep.equal(order)
    const [later, from] = [all.slice(all.length / 2), all[Math.floor(all.length / 2) - 1]?.id]
    const again = await Listener.open(cluster, from)
    await again.until(({ id }) => id === all.at(-1)?.id)
    expect(again.events.slice(0, later.length)).to.deep.equal(later)
    await expectMoved()
  })

  it('moves automatically again when the limit that it reached is reset', async () => {
    await set('failover-limit', 1)
    await set('failover-mode', 'automatic')
    await diesUnder('failover-limit', 'ERR00027')
    await ask(`${C}/actions/reset-failover-control`)
    await expectMoved()
    await set('failover-limit', 0)
  })

  it('moves before the time between two failovers is over only when it is asked to', async () => {
    await set('failover-time-limit', 3_600)
    await diesUnder('failover-time-limit', 'ERR00029')
    await ask(FAILOVER)
    await expectMoved()
    await set('failover-time-limit', 0)
  })

  it('passes by a replica in maintenance', async () => {
    await set('failover-mode', 'automatic')
    const [away, other] = await replicasOf(cluster)
    await ask(`${C}/servers/${await idOf(cluster, away)}/actions/set-maintenance`)
    // Nothing acknowledged is held by it alone: that would be fetched first.
    await away.sql('STOP SLAVE IO_THREAD')
    await progress(writers, 50)
    await primary.kill('SIGKILL')
    expect(await cluster.movedFrom(primary)).to.equal(other)
    await ask(`${C}/servers/${await idOf(cluster, away)}/actions/del-maintenance`)
    await expectMoved()
  })

  it('fetches from a replica in maintenance what only that one acknowledged', async () => {
    await set('failover-mode', 'automatic')
    const [away, other] = await replicasOf(cluster)
    await ask(`${C}/servers/${await idOf(cluster, away)}/actions/set-maintenance`)
    await other.sql('STOP SLAVE IO_THREAD')
    await progress(writers, 50)
    await primary.kill('SIGKILL')
    await other.sql('START SLAVE IO_THREAD')
    expect(await cluster.movedFrom(primary)).to.equal(other)
    await eventually(() => logLines(cluster, 'failover catch-up').length > 0, 'the log has the catch-up')
    await ask(`${C}/servers/${await idOf(cluster, away)}/actions/del-maintenance`)
    await expectMoved()
  })

  it('does not wait for a replica that was stopped on request', async () => {
    await set('failover-mode', 'automatic')
    const [away, other] = await replicasOf(cluster)
    await ask(`${C}/servers/${await idOf(cluster, away)}/actions/stop`)
    await eventually(() => away.pid === 0, `${away.name} ends`)
    await progress(writers, 50)
    await primary.kill('SIGKILL')
    expect(await cluster.movedFrom(primary)).to.equal(other)
    // Closed: clients that look for the new primary would write to it otherwise.
    away.start(...asReplica, '--read-only=ON')
    await away.waitUp()
    await expectMoved()
  })
})

/** Reads the event stream of the cluster from the moment it is opened. */
class Listener {
  readonly events: ClusterEvent[] = []
  #ended = false

  static async open({ manager }: ProtectedCluster, after?: number): Promise<Listener> {
    const opened = unwrap(await openEvents(manager.session, 'story', after))
    if (opened.type !== 'open') throw new Error(`the stream is refused: ${opened.reply.body}`)
    const listener = new Listener()
    void listener.#read(readEvents(opened.response))
    return listener
  }

  /** Resolves when an event of this kind has come, and closes the stream. */
  async until(wanted: (event: ClusterEvent) => boolean): Promise<void> {
    await eventually(
      () => this.events.some(wanted),
      () => `the event\n${JSON.stringify(this.events.slice(-5))}`,
    )
    this.#ended = true
  }

  async #read(items: ReturnType<typeof readEvents>): Promise<void> {
    for await (const item of items) {
      if (this.#ended) return
      if (item.type === 'event') this.events.push(item.event)
    }
  }
}
