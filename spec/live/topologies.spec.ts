// Clusters of other shapes than one primary with replicas: relays, pairs, single servers, delayed ones.
import { expect } from 'chai'
import { caughtUp, replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { shapeOf } from '../support/stories/shape.js'
import { comesBack, durable, end, load, progress } from '../support/stories/story.js'
import { SWITCHOVER, switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

let cluster: ProtectedCluster
const { node, topology, closed, become, follows } = shapeOf(() => cluster)

describe('a cluster with a relay', () => {
  before(async () => {
    cluster = await startProtectedCluster({
      count: 4,
      options: durable,
      settings: { 'replication-multi-tier-slave': true },
      arrange: async ([primary, relay, leaf, replica]) => {
        if (!primary || !relay || !leaf || !replica) throw new Error('there are four nodes')
        await prepareWrites(primary)
        await replicate(primary, [relay, replica])
        await replicate(relay, [leaf])
      },
    })
  })
  after(() => end(cluster))

  it('is seen as it is, and left so', async () => {
    await become('Master', 'Relay', 'Slave', 'Slave')
    await eventually(async () => (await topology()) === 'multi-tier-slave', 'it is seen as it is')
    await eventually(async () => (await cluster.explain()).candidate !== undefined, 'there is a candidate')
    const { ranking, candidate } = await cluster.explain()
    expect(ranking).to.have.lengthOf(3)
    const member = (await cluster.servers()).find(({ id }) => id === candidate)
    expect(member?.port, 'the leaf has the least').to.not.equal(String(node(2).port))
    expect(await sourceOf(node(2))).to.equal(`${node(1).port} Yes Yes`)
  })

  it('gives the children of a dead relay its source, and takes the relay back', async () => {
    const writers = load(cluster, { count: 4 })
    await progress(writers, 20)
    await node(1).kill()
    await follows(node(2), node(0))
    await progress(writers, 20)
    node(1).start()
    await node(1).waitUp()
    await follows(node(1), node(0))
    await writers.stop()
    await become('Master', 'Slave', 'Slave', 'Slave')
    await caughtUp(node(0), node(2))
    expect(await writers.missingOn(node(2))).to.deep.equal([])
  })

  it('goes on when its primary dies, whichever server was a relay', async () => {
    // A relay that has just come back refuses a replica that is ahead of it.
    await caughtUp(node(0), node(1))
    await node(2).sql(`STOP SLAVE; CHANGE MASTER TO MASTER_PORT=${node(1).port}; START SLAVE`)
    await become('Master', 'Relay', 'Slave', 'Slave')
    const writers = load(cluster, { count: 4, first: 4 })
    await progress(writers, 50)
    await writers.stop()
    for (const one of [node(1), node(3)]) await caughtUp(node(0), one)
    await node(0).kill()
    const next = await cluster.movedFrom(node(0))
    expect([node(1), node(3)]).to.include(next)
    const other = next === node(1) ? node(3) : node(1)
    await follows(other, next)
    await follows(node(2), node(1))
    expect(await Promise.all([other, node(2)].map(closed))).to.deep.equal(['1', '1'])
    await caughtUp(next, node(2))
    for (const one of [next, node(2)]) expect(await writers.missingOn(one)).to.deep.equal([])
    expect((await comesBack(cluster, node(0))).Outcome).to.equal('rejoined')
    await follows(node(0), next)
  })
})

describe('a cluster of one server', () => {
  before(async () => {
    cluster = await startProtectedCluster({
      count: 1,
      arrange: async ([primary]) => {
        if (primary) await prepareWrites(primary)
      },
    })
  })
  after(() => end(cluster))

  it('is active and passive at once: a primary that no server can replace', async () => {
    await become('Master')
    await eventually(async () => (await topology()) === 'active-passive', 'it is seen as it is')
    await node(0).kill()
    await become('Failed')
    const { wouldFailOver, candidate } = await cluster.explain()
    expect({ wouldFailOver, candidate }).to.deep.equal({ wouldFailOver: false, candidate: undefined })
    expect((await cluster.manager.post(`${C}/actions/failover`)).status).to.equal(409)
    node(0).start('--read-only=ON')
    await node(0).waitUp()
    await eventually(async () => (await closed(node(0))) === '0', 'it takes writes again')
    await become('Master')
  })
})

describe('a pair of servers that replicate from each other', () => {
  before(async () => {
    cluster = await startProtectedCluster({
      count: 2,
      options: durable,
      settings: { 'replication-multi-master': true },
      arrange: async ([first, second]) => {
        if (!first || !second) throw new Error('there are two nodes')
        await prepareWrites(first)
        await replicate(first, [second])
        await replicate(second, [first], { readOnly: false })
      },
    })
  })
  after(() => end(cluster))

  /** Both follow each other, only this one takes writes, and both hold the same. */
  async function writesOn(writer: Node): Promise<void> {
    const other = writer === node(0) ? node(1) : node(0)
    await follows(writer, other)
    await follows(other, writer)
    await eventually(
      async () => (await closed(writer)) === '0' && (await closed(other)) === '1',
      `only ${writer.name} takes writes`,
    )
    await caughtUp(writer, other)
    await eventually(async () => (await cluster.stateOf(writer)) === 'Master', 'the manager knows')
  }

  it('has one writer', async () => {
    await eventually(async () => (await topology()) === 'multi-master', 'the pair is seen')
    await writesOn(node(0))
  })

  it('hands the writes over under writers, and goes on replicating both ways', async () => {
    const writers = load(cluster, { count: 4 })
    await progress(writers, 50)
    await switchable(cluster)
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(200)
    await cluster.movedFrom(node(0))
    await progress(writers, 50)
    await writers.stop()
    await writesOn(node(1))
    expect(await writers.missingOn(node(0))).to.deep.equal([])
  })

  it('writes on the other when one dies, and is a pair again when it returns', async () => {
    const writers = load(cluster, { count: 4, first: 4 })
    await progress(writers, 50)
    await writers.stop()
    await caughtUp(node(1), node(0))
    await node(1).kill()
    expect(await cluster.movedFrom(node(1))).to.equal(node(0))
    expect(await writers.missingOn(node(0))).to.deep.equal([])
    node(1).start()
    await node(1).waitUp()
    await writesOn(node(0))
    await eventually(async () => (await topology()) === 'multi-master', 'the pair is seen')
  })
})

describe('a cluster with a delayed replica', () => {
  before(async () => {
    cluster = await startProtectedCluster({
      options: durable,
      settings: ([, , delayed]) => ({
        'replication-delayed-hosts': `127.0.0.1:${delayed?.port}`,
        'replication-delayed-time': 600,
        'db-servers-prefered-master': `127.0.0.1:${delayed?.port}`,
      }),
      arrange: async ([primary, replica, delayed]) => {
        if (!primary || !replica || !delayed) throw new Error('there are three nodes')
        await prepareWrites(primary)
        await replicate(primary, [replica])
        await replicate(primary, [delayed], { delaySeconds: 600 })
      },
    })
  })
  after(() => end(cluster))

  const delay = async (one: Node) => String((await one.sql('SHOW SLAVE STATUS'))[0]?.SQL_Delay)

  it('never elects it, though it is preferred, and keeps it delayed behind the next primary', async () => {
    await eventually(async () => (await cluster.explain()).candidate !== undefined, 'there is a candidate')
    const { ranking } = await cluster.explain()
    const member = (await cluster.servers()).find(({ port }) => port === String(node(2).port))
    expect(ranking.find(({ server }) => server === member?.id)).to.include({ eligible: false })
    await node(0).sql('INSERT INTO spec.acknowledged VALUES (1, 1)')
    await caughtUp(node(0), node(1))
    await node(0).kill()
    expect(await cluster.movedFrom(node(0))).to.equal(node(1))
    await follows(node(2), node(1))
    expect(await delay(node(2))).to.equal('600')
    expect((await comesBack(cluster, node(0))).Outcome).to.equal('rejoined')
    await follows(node(0), node(1))
    expect(await delay(node(0))).to.equal('0')
  })
})
