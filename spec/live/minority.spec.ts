// Stories of a network that falls apart: the manager on one side, the primary on the other, and replicas on either.
import { expect } from 'chai'
import { caughtUp, replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites, Writers } from '../support/databases/writers.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { expectIntact } from '../support/stories/intact.js'
import { durable, end, load, logLines, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

/** Without a policy an isolated primary acknowledges alone after so long. */
const TIMEOUT_MS = 1_000

/** Ways that can be cut: from the manager to the first and the third node, from the second and the third to the first. */
interface Ways {
  readonly toPrimary: TcpGate
  readonly toOther: TcpGate
  readonly fromOne: TcpGate
  readonly fromOther: TcpGate
}

const openWays = async (): Promise<Ways> => ({
  toPrimary: await TcpGate.create(),
  toOther: await TcpGate.create(),
  fromOne: await TcpGate.create(),
  fromOther: await TcpGate.create(),
})

const followThrough = (node: Node, port: number) =>
  node.sql(
    `STOP SLAVE; CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=${port}, MASTER_HEARTBEAT_PERIOD=1; START SLAVE`,
  )

async function start(ways: Ways, semiSync: boolean, policy?: string): Promise<ProtectedCluster> {
  const cluster = await startProtectedCluster({
    options: durable,
    ...(policy === undefined ? {} : { settings: { 'durability-policy': policy } }),
    addresses: ([first, second, third]) => {
      void ways.toPrimary.lead(first?.port ?? 0)
      void ways.toOther.lead(third?.port ?? 0)
      return [ways.toPrimary.address, `${second?.host}:${second?.port}`, ways.toOther.address]
    },
    arrange: async ([primary, one, other]) => {
      if (!primary || !one || !other) throw new Error('there are three nodes')
      await prepareWrites(primary)
      await ways.fromOne.lead(primary.port)
      await ways.fromOther.lead(primary.port)
      await replicate(primary, [one, other], { semiSync, heartbeatSeconds: 1, semiSyncTimeoutMs: TIMEOUT_MS })
      await followThrough(one, ways.fromOne.port)
      await followThrough(other, ways.fromOther.port)
    },
  })
  await cluster.ready()
  return cluster
}

describe('a network that falls apart', () => {
  let ways: Ways
  let cluster: ProtectedCluster

  beforeEach(async () => {
    ways = await openWays()
  })
  afterEach(async () => {
    await end(cluster)
    for (const way of Object.values(ways)) await way.close()
  })

  for (const semiSync of [true, false])
    it(`a manager in the minority leaves the primary alone and says why: ${semiSync ? 'semi-sync' : 'asynchronous'}`, async () => {
      cluster = await start(ways, semiSync)
      const [primary, one, other] = cluster.nodes as [Node, Node, Node]
      const writers = load(cluster, { count: 4 })
      await progress(writers, 50)
      for (const way of [ways.toPrimary, ways.toOther, ways.fromOne]) await way.set('hang')
      await cluster.opens('ERR00140')
      let verdict = await cluster.explain()
      const policy = () => verdict.rows.find(({ rule }) => rule === 'durability-policy')
      // A late probe of the only witness interrupts the proof for a moment.
      await eventually(async () => {
        verdict = await cluster.explain()
        return verdict.primaryDead && policy()?.state === 'closed'
      }, 'the policy forbids to replace a primary that is taken for dead')
      expect(verdict.wouldFailOver).to.equal(false)
      expect(policy()?.sentence).to.match(/cannot be asked.* about \d+ transactions? (is|are) at stake/)
      // the primary lives, and its clients go on
      await progress(writers, 50)
      for (const way of [ways.toPrimary, ways.toOther, ways.fromOne]) await way.set('open')
      await eventually(async () => (await cluster.stateOf(primary)) === 'Master', 'the primary is seen again')
      await writers.stop()
      for (const node of [one, other]) await followThrough(node, primary.port)
      await cluster.ready()
      expect(logLines(cluster, ' replaced ')).to.deep.equal([])
      await expectIntact(cluster, { primary, writers })
    })

  it('an isolated primary acknowledges nothing under lossless, and nothing is lost when it is replaced', async () => {
    cluster = await start(ways, true, 'lossless')
    const [primary, one, other] = cluster.nodes as [Node, Node, Node]
    await eventually(async () => {
      const waits = await Promise.all(cluster.nodes.map((node) => node.value('SELECT @@rpl_semi_sync_master_timeout')))
      return waits.every((wait) => wait === '4294967295')
    }, 'no server falls back')
    const inside = load(cluster, { count: 4 })
    await progress(inside, 50)
    for (const way of [ways.toPrimary, ways.fromOne, ways.fromOther]) await way.set('hang')
    const next = await cluster.movedFrom(primary)
    const outside = new Writers([one, other], { count: 4, first: 4 })
    outside.start()
    await progress(outside, 50)
    for (const way of [ways.toPrimary, ways.fromOne, ways.fromOther]) await way.set('open')
    await eventually(async () => (await primary.value('SELECT @@read_only')) === '1', 'the old primary is closed')
    await Promise.all([inside.stop(), outside.stop()])
    expect(await inside.missingOn(next), 'acknowledged on the isolated primary').to.deep.equal([])
    expect(await outside.missingOn(next)).to.deep.equal([])
    await caughtUp(next, next === one ? other : one)
  })
})
