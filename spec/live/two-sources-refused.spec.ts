// The story of a failover to a server with another cluster's history whose binary logs are deleted: what each other server is named for.
import { expect } from 'chai'
import {
  caughtUp,
  type Databases,
  followOver,
  type Node,
  purgeLogs,
  startDatabases,
} from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

describe('A failover to a server that no other can follow', () => {
  let cluster: ProtectedCluster
  let others: Databases
  const node = (index: number): Node => cluster.databases.node(index)

  before(async () => {
    others = await startDatabases({
      ...{ count: 1, prefix: 'other' },
      options: [...durable, '--gtid-domain-id=7', '--server-id=900'],
    })
    const foreign = others.node(0)
    await foreign.sql('CREATE DATABASE elsewhere; CREATE TABLE elsewhere.entries (id INT PRIMARY KEY)')
    cluster = await startProtectedCluster({
      options: durable,
      arrange: async ([primary, other, shared]) => {
        if (!primary || !other || !shared) throw new Error('there are three')
        await prepareWrites(primary)
        for (const one of [other, shared]) await one.sql('SET GLOBAL read_only=ON')
        await followOver(other, primary, '')
        await followOver(shared, primary, '')
        await followOver(shared, foreign, 'x')
        for (const one of [other, shared]) await caughtUp(primary, one)
        await eventually(
          async () => (await shared.sql("SHOW TABLES FROM elsewhere LIKE 'entries'").catch(() => [])).length === 1,
          'it has the history of there',
        )
      },
    })
    await cluster.ready()
    await purgeLogs(node(2))
    await node(1).sql('STOP SLAVE IO_THREAD')
    await node(0).sql('CREATE TABLE spec.more (id INT)')
    await caughtUp(node(0), node(2))
    await cluster.opens('ERR00087')
    await node(0).kill()
    expect((await cluster.movedFrom(node(0))).name).to.equal(node(2).name)
  })
  after(async () => {
    await end(cluster)
    await others?.teardown()
  })

  const log = () => cluster.manager.log()
  const isNamed = (replica: Node) => {
    const named = new RegExp(
      `OPENED ERR00125 [^\\n]*:${replica.port}, at [^\\n]* nothing of what came from there \\(7\\)`,
    )
    return eventually(
      () => named.test(log()),
      () => `${replica.name} is named, with the cause\n${log().slice(-4_000)}`,
    )
  }

  it('names each that is refused with the cause, and that none could take over, also when the former primary is back', async () => {
    await isNamed(node(1))
    await cluster.opens('ERR00192')
    node(0).start('--read-only=ON')
    await node(0).waitUp()
    await isNamed(node(0))
    await cluster.opens('WARN0238')
    expect(await cluster.alerts()).to.include('ERR00192')
    expect(log()).to.not.include('RESOLV ERR00192')
  })
})
