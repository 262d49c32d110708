// Stories of a manager that starts while the primary is dead, and of a replica with a second source: what it knew of that, and what not.
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { caughtUp, type Databases, followOver, type Node, startDatabases } from '../support/databases/database.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const ROWS = 50

describe('A manager that starts while the primary is dead', () => {
  let cluster: ProtectedCluster
  let others: Databases

  before(async () => {
    // Its server_id is that of the primary: nothing but what was seen before distinguishes their transactions.
    others = await startDatabases({ count: 1, prefix: 'other', options: [...durable, '--gtid-domain-id=7'] })
    const foreign = others.node(0)
    await foreign.sql('CREATE DATABASE elsewhere; CREATE TABLE elsewhere.entries (id INT AUTO_INCREMENT PRIMARY KEY)')
    for (let row = 0; row < ROWS; row++) await foreign.sql('INSERT INTO elsewhere.entries VALUES (NULL)')
    cluster = await startProtectedCluster({
      options: durable,
      arrange: async ([primary, other, shared]) => {
        if (!primary || !other || !shared) throw new Error('there are three')
        await prepareWrites(primary)
        for (const node of [other, shared]) await node.sql('SET GLOBAL read_only=ON')
        await followOver(other, primary, '')
        await followOver(shared, primary, '')
        await followOver(shared, foreign, 'x')
        for (const node of [other, shared]) await caughtUp(primary, node)
        await eventually(
          async () => (await shared.value('SELECT COUNT(*) FROM elsewhere.entries')) === `${ROWS}`,
          'it has the rows of the other cluster',
        )
      },
    })
    await cluster.ready()
  })
  after(async () => {
    await end(cluster)
    await others?.teardown()
  })

  const [old, other, shared] = [0, 1, 2].map((index) => () => cluster.databases.node(index)) as [
    () => Node,
    () => Node,
    () => Node,
  ]
  const stateFile = () => path.join(cluster.manager.dataDirectory, 'story', 'state.json')
  const startAgain = async () => {
    const before = cluster.manager.log().length
    cluster.manager.start()
    await cluster.manager.alive()
    return () => cluster.manager.log().slice(before)
  }

  it('elects by the history of this cluster: what came from another one was known before', async () => {
    await eventually(
      async () => (await cluster.explain()).ranking.every(({ missing }) => missing === 0),
      'the replicas are equal',
    )
    await eventually(() => /"streams":\s*\["7"\]/.test(readFileSync(stateFile(), 'utf8')), 'it is remembered')
    await cluster.manager.end('SIGKILL')
    await old().kill()
    const log = await startAgain()
    const next = await cluster.movedFrom(old())
    expect(next.name, log().slice(-4_000)).to.equal(other().name)
    await eventually(async () => (await sourceOf(shared())) === `${next.port} Yes Yes`, 'the shared one follows it')
    expect(log()).to.not.include('OPENED WARN0255')
  })

  it('says so where it never knew: it counts what may be of this cluster', async () => {
    old().start('--read-only=ON')
    await old().waitUp()
    await eventually(async () => (await sourceOf(old())) === `${other().port} Yes Yes`, 'the old primary follows')
    await caughtUp(other(), old())
    await cluster.manager.end('SIGKILL')
    await other().kill()
    rmSync(path.dirname(stateFile()), { recursive: true })
    const log = await startAgain()
    await eventually(
      () => /OPENED WARN0255 .*channel x from [\d.:]+: 7/.test(log()),
      () => `it is reported\n${log().slice(-4_000)}`,
    )
  })
})
