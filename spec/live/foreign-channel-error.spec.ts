// Stories of a channel to another cluster that stops with an error, on the primary and on a replica: one finding has all of it.
import { expect } from 'chai'
import { caughtUp, type Databases, followOver, type Node, startDatabases } from '../support/databases/database.js'
import { findVersion } from '../support/databases/versions.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

interface Software {
  readonly name: 'mariadb' | 'mysql-9'
  /** Of the primary of the other cluster. */
  readonly options: readonly string[]
  readonly restart: string
  /** Error number of a source with the same server_id. */
  readonly sameId: number
}

const softwares: readonly Software[] = [
  {
    name: 'mariadb',
    options: ['--gtid-domain-id=7'],
    restart: "STOP SLAVE 'x'; START SLAVE 'x'",
    sameId: 1593,
  },
  {
    name: 'mysql-9',
    options: [],
    restart: "STOP REPLICA FOR CHANNEL 'x'; START REPLICA FOR CHANNEL 'x'",
    sameId: 13117,
  },
]

function story({ name: software, options, restart, sameId }: Software): void {
  let cluster: ProtectedCluster
  let others: Databases
  const foreign = () => others.node(0)
  const primary = () => cluster.databases.node(0)
  const replica = () => cluster.databases.node(1)
  const log = () => cluster.manager.log()

  before(async () => {
    others = await startDatabases({
      ...{ count: 1, prefix: 'other', software },
      options: [...durable, '--server-id=900', ...options],
    })
    await foreign().sql('CREATE DATABASE elsewhere; CREATE TABLE elsewhere.entries (id INT PRIMARY KEY)')
    cluster = await startProtectedCluster({
      ...{ count: 2, software },
      options: durable,
      arrange: async ([first, second]) => {
        if (!first || !second) throw new Error('there are two')
        await prepareWrites(first)
        await second.sql('SET GLOBAL read_only=ON')
        await followOver(second, first, '')
        await followOver(first, foreign(), 'x')
        await caughtUp(first, second)
      },
    })
    await cluster.ready()
  })
  after(async () => {
    await end(cluster)
    await others?.teardown()
  })

  const reports = async (node: Node, words: string) => {
    const [from, at] = [foreign(), new RegExp(`OPENED WARN0272 [^"]*:${node.port}: channel x from [\\d.]+:`)]
    await eventually(
      () =>
        log()
          .split('\n')
          .some((line) => at.test(line) && line.includes(`:${from.port}: ${words}`)),
      () => `WARN0272 has: ${words}\n${log().slice(-4_000)}`,
    )
    expect(await cluster.alerts()).to.include('WARN0272')
  }
  const hasSameIdAs = async (node: Node) => {
    await foreign().sql(`SET GLOBAL server_id=${await node.value('SELECT @@server_id')}`)
    await node.sql(restart)
    await reports(node, `the receiver is stopped, error ${sameId}: `)
    await foreign().sql('SET GLOBAL server_id=900')
    await node.sql(restart)
    await cluster.closes('WARN0272')
  }

  it('is reported of the primary: its receiver, since both have the same server_id', () => hasSameIdAs(primary()))

  it('is reported of the primary: its applier', async () => {
    await primary().sql('DROP TABLE elsewhere.entries')
    await foreign().sql('INSERT INTO elsewhere.entries VALUES (1)')
    await reports(primary(), 'the applier is stopped, error 1146: ')
    await primary().sql('CREATE TABLE elsewhere.entries (id INT PRIMARY KEY)')
    await primary().sql(restart)
    await cluster.closes('WARN0272')
  })

  it('is reported of a replica, as of the primary', async () => {
    await primary().sql(restart.replace(/;.*/, ''))
    await caughtUp(primary(), replica())
    await followOver(replica(), foreign(), 'x')
    await hasSameIdAs(replica())
  })
}

for (const each of softwares) {
  const title = `A channel to another cluster that stops with an error, ${each.name}`
  const version = each.name === 'mariadb' ? undefined : await findVersion(each.name)
  if (version?.available === false) absent(title, version.reason)
  else describe(title, () => story(each))
}
