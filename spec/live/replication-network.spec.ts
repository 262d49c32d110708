// The story of replicas that follow over a network of their own: the manager reaches the servers at 127.0.0.1, they each other at
// 127.0.0.2.
import { expect } from 'chai'
import type { Plan } from '../../lib/model/operation/preview.js'
import { caughtUp, type Node, replicate } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { freePorts } from '../support/machine/ports.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { replicasOf, SWITCHOVER, switchable, switchOver, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const NETWORK = '127.0.0.2'
const C = '/api/clusters/story'

describe('Replicas that follow over a network of their own', () => {
  let cluster: ProtectedCluster
  let first: Node
  let second: Node
  let third: Node

  async function overTheNetwork(nodes: readonly Node[]): Promise<void> {
    const [primary, ...replicas] = nodes
    if (!primary) throw new Error('there is a first node')
    await prepareWrites(primary)
    await replicate(primary, replicas, { heartbeatSeconds: 1, at: { host: NETWORK, port: primary.port } })
    for (const replica of replicas) await caughtUp(primary, replica)
  }

  before(async () => {
    cluster = await startProtectedCluster({
      options: [...durable, '--bind-address=0.0.0.0'],
      arrange: overTheNetwork,
      settings: { 'failover-limit': 0, 'failover-time-limit': 0 },
    })
    await cluster.ready()
    first = await cluster.primary()
    ;[second, third] = await replicasOf(cluster)
  })
  after(() => end(cluster))

  /** The address over which each follower of the primary follows it, as soon as all do. */
  async function addresses(primary: Node): Promise<readonly string[]> {
    await cluster.convergesOn(primary)
    const others = cluster.nodes.filter((node) => node !== primary)
    const rows = await Promise.all(others.map((node) => node.sql('SHOW SLAVE STATUS')))
    return rows.map(([{ Master_Host, Master_Port } = {}]) => `${Master_Host}:${Master_Port}`)
  }
  const at = (host: string, { port }: Node) => Array.from({ length: 2 }, () => `${host}:${port}`)

  const state = async (value: string) => {
    const { status, body } = await cluster.manager.post(`${C}/settings/actions/set/replication-hosts`, { value })
    expect(status, body).to.equal(200)
  }
  const planFor = async (candidate: Node) => {
    const { status, body } = await cluster.manager.post(`${SWITCHOVER}?plan=true`, wishFor(cluster, candidate))
    expect(status, body).to.equal(200)
    return JSON.parse(body) as Plan
  }
  const textOf = ({ steps, risks }: Plan) => [...steps.map(({ text }) => text), ...risks].join('\n')

  it('are named before a switchover that would end it: in a finding, and in the plan', async () => {
    await cluster.opens('WARN0259')
    await switchable(cluster, second)
    expect(textOf(await planFor(second))).to.include(
      `Replicas follow ${cluster.addressOf(first)} over ${NETWORK}:${first.port}; they will follow ` +
        `${cluster.addressOf(second)} over ${cluster.addressOf(second)}`,
    )
  })

  it('follow a server that had none there by the address of the manager, and the first one as they did before', async () => {
    await switchOver(cluster, second)
    expect(await addresses(second)).to.deep.equal(at('127.0.0.1', second))
    await cluster.manager.end('SIGKILL')
    cluster.manager.start()
    await cluster.manager.alive()
    await switchable(cluster, first)
    expect(textOf(await planFor(first))).to.include(`over ${NETWORK}:${first.port}`)
    await switchOver(cluster, first)
    expect(await addresses(first)).to.deep.equal(at(NETWORK, first))
  })

  it('follow every server where replication-hosts says, there and back', async () => {
    await state(`127.0.0.1=${NETWORK}`)
    await cluster.closes('WARN0259')
    for (const next of [second, first]) {
      await switchOver(cluster, next)
      expect(await addresses(next)).to.deep.equal(at(NETWORK, next))
    }
  })

  it('follow there after the primary was killed, and so does that one when it is back', async () => {
    await first.kill()
    const next = await cluster.movedFrom(first)
    first.start()
    await first.waitUp()
    expect(await addresses(next)).to.deep.equal(at(NETWORK, next))
    await switchOver(cluster, first)
  })

  it('refuse a switchover to a server whose address there is that of another one', async () => {
    await state(`127.0.0.1:${second.port}=${NETWORK}:${third.port}, 127.0.0.1=${NETWORK}`)
    await cluster.opens('ERR00194')
    const plan = await planFor(second)
    expect(plan).to.include({ possible: false, judgement: 'refused' })
    // A failover would follow at the next address.
    expect((await cluster.manager.get<{ isFailable: boolean }>(C)).isFailable).to.equal(true)
    expect(plan.refusal).to.include(`${NETWORK}:${third.port}`).and.include('another server')
    const { status, body } = await cluster.manager.post(SWITCHOVER, wishFor(cluster, second))
    expect([status, body.includes('replication-hosts')], body).to.deep.equal([409, true])
    expect(await first.value('SELECT @@read_only')).to.equal('0')
    expect(await addresses(first)).to.deep.equal(at(NETWORK, first))
  })

  it('follow at the address that they used before where nothing answers at the one that is stated, and a finding says so', async () => {
    const [closed] = await freePorts(1)
    await state(`127.0.0.1:${second.port}=${NETWORK}:${closed}, 127.0.0.1=${NETWORK}`)
    await cluster.closes('ERR00194')
    await switchable(cluster, second)
    expect(textOf(await planFor(second))).to.include(`Whether ${NETWORK}:${closed} leads to`)
    await switchOver(cluster, second)
    expect(await addresses(second)).to.deep.equal(at(NETWORK, second))
    await cluster.opens('WARN0260')
    await eventually(
      () => cluster.manager.log().includes(`could not be followed over ${NETWORK}:${closed}`),
      () => `the log says it\n${cluster.manager.log().slice(-3_000)}`,
    )
    await state(`127.0.0.1=${NETWORK}`)
    await cluster.closes('WARN0260')
  })
})
