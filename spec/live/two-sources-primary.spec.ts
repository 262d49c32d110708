// The story of a primary that also replicates from another cluster and dies: who takes over, and how it gets back.
import { expect } from 'chai'
import { caughtUp, type Databases, followOver, type Node, startDatabases } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

describe('A primary that also replicates from another cluster', () => {
  let cluster: ProtectedCluster
  let others: Databases
  let written = 0

  before(async () => {
    others = await startDatabases({
      ...{ count: 1, prefix: 'other' },
      options: [...durable, '--gtid-domain-id=7', '--server-id=900'],
    })
    await others.node(0).sql('CREATE DATABASE elsewhere; CREATE TABLE elsewhere.entries (id INT PRIMARY KEY)')
    cluster = await startProtectedCluster({
      options: durable,
      arrange: async ([primary, ...replicas]) => {
        if (!primary) throw new Error('there are three')
        await prepareWrites(primary)
        for (const node of replicas) {
          await node.sql('SET GLOBAL read_only=ON')
          await followOver(node, primary, '')
        }
        await followOver(primary, others.node(0), 'x')
        for (const node of replicas) await caughtUp(primary, node)
      },
    })
    await cluster.ready()
  })
  after(async () => {
    await end(cluster)
    await others?.teardown()
  })

  const write = async (rows: number) => {
    for (let row = 0; row < rows; row++) await others.node(0).sql(`INSERT INTO elsewhere.entries VALUES (${written++})`)
  }
  const has = (node: Node) =>
    eventually(
      async () => (await node.value('SELECT COUNT(*) FROM elsewhere.entries')) === `${written}`,
      () => `${node.name} has ${written} rows of the other cluster\n${cluster.manager.log().slice(-4_000)}`,
    )
  const log = () => cluster.manager.log()
  const old = () => cluster.databases.node(0)
  let next: Node

  it('is replaced when it dies: what it passed on since its last reading makes no replica errant', async () => {
    await write(60)
    for (const node of cluster.nodes) await has(node)
    await old().kill()
    next = await cluster.movedFrom(old())
    expect(log()).to.not.match(/OPENED (WARN0091|ERR00032)/)
  })

  it('stays out when it is back and received more there, and the finding has the way out', async () => {
    await write(20)
    old().start('--read-only=ON')
    await old().waitUp()
    await has(old())
    await cluster.opens('WARN0264')
    await eventually(
      () => /OPENED WARN0264 .*channel x from [\d.:]+: the primary is missing 20 transactions, 7-900:/.test(log()),
      () => `it names the channel and what is missing\n${log().slice(-4_000)}`,
    )
    const [{ Slave_IO_Running } = {}] = await old().sql("SHOW SLAVE 'x' STATUS")
    expect(Slave_IO_Running).to.equal('Yes')
    expect(await cluster.alerts()).to.not.include.members(['WARN0186'])
    expect(log()).to.not.include('save-tail')
  })

  it('follows as soon as the steps of that finding are done: the channel moves to the new primary', async () => {
    await old().sql("STOP SLAVE 'x'")
    await followOver(next, others.node(0), 'x')
    await eventually(
      async () => (await old().sql("SHOW SLAVE '' STATUS"))[0]?.Slave_IO_Running === 'Yes',
      () => `it follows\n${log().slice(-4_000)}`,
    )
    await old().sql("RESET SLAVE 'x' ALL")
    await cluster.closes('WARN0264')
    await write(20)
    for (const node of cluster.nodes) await has(node)
    await cluster.convergesOn(next)
  })

  it('has a replica warned of that opens that channel, too: it may be refused when it connects again', async () => {
    const replica = cluster.nodes.find((node) => node !== next && node !== old()) ?? old()
    await followOver(replica, others.node(0), 'x')
    await cluster.opens('WARN0265')
    await eventually(
      () => new RegExp(`OPENED WARN0265 [^"]*:${replica.port}, channel x from [\\d.:]+: domain 7\\.`).test(log()),
      () => `it names the replica, the channel and the domain\n${log().slice(-4_000)}`,
    )
    expect(await cluster.alerts()).to.not.include.members(['WARN0264'])
    await replica.sql("STOP SLAVE 'x'; RESET SLAVE 'x' ALL")
    await cluster.closes('WARN0265')
    await cluster.convergesOn(next)
  })
})
