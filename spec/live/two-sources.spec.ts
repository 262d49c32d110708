// Stories of replicas with two sources: the primary of their cluster, over channels of any name, and a primary that is none of its servers.
import { expect } from 'chai'
import {
  caughtUp,
  channelsOf,
  type Databases,
  followOver,
  type Node,
  purgeLogs,
  startDatabases,
} from '../support/databases/database.js'
import { findVersion } from '../support/databases/versions.js'
import { prepareWrites } from '../support/databases/writers.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { allWriteTo, durable, end, load, progress } from '../support/stories/story.js'
import { SWITCHOVER, switchOver, wishFor } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const FOREIGN = 'x'
/** Milliseconds between two writes of a client. */
const PAUSE = 20
/** What a replica would be called errant by, or kept out for. */
const ERRANT = ['WARN0091', 'ERR00117', 'ERR00124', 'ERR00128', 'ERR00042', 'WARN0186', 'WARN0255', 'ERR00190']

interface Software {
  readonly name: 'mariadb' | 'mysql-9'
  /** Of the foreign primary. */
  readonly options: readonly string[]
  /** SQL: 1 on a server that has a transaction of the foreign primary. */
  readonly mixed: (foreign: Node) => Promise<string>
}

const softwares: readonly Software[] = [
  {
    name: 'mariadb',
    options: ['--gtid-domain-id=7'],
    mixed: async () => "SELECT @@gtid_binlog_state LIKE '%7-1-%' OR @@gtid_slave_pos LIKE '%7-1-%'",
  },
  {
    name: 'mysql-9',
    options: [],
    mixed: async (foreign) => `SELECT @@gtid_executed LIKE '%${await foreign.value('SELECT @@server_uuid')}%'`,
  },
]

/** `x 3306 Yes Yes` of each channel. */
const channels = async (node: Node): Promise<readonly string[]> =>
  (await channelsOf(node)).map(({ name, port, runs }) => `${name} ${port} ${runs}`)

/** A client that writes all the time, until what it answers is called. */
function writeOn(node: Node): () => Promise<void> {
  let isOver = false
  const work = (async () => {
    while (!isOver && !node.destroyed) {
      await node.sql('INSERT INTO elsewhere.entries VALUES (NULL); DO SLEEP(0.005)')
    }
  })()
  return () => {
    isOver = true
    return work
  }
}

function story({ name: software, options, mixed }: Software): void {
  let cluster: ProtectedCluster
  let others: Databases
  let foreign: Node
  let stop: () => Promise<void>

  before(async () => {
    // Its server_id is that of a server of the cluster: between clusters nobody keeps them apart.
    others = await startDatabases({ count: 1, prefix: 'other', options: [...durable, ...options], software })
    foreign = others.node(0)
    await foreign.sql('CREATE DATABASE elsewhere; CREATE TABLE elsewhere.entries (id INT AUTO_INCREMENT PRIMARY KEY)')
    cluster = await startProtectedCluster({
      options: durable,
      software,
      arrange: async ([primary, named, shared]) => {
        if (!primary || !named || !shared) throw new Error('there are three')
        await prepareWrites(primary)
        for (const node of [named, shared]) await node.sql('SET GLOBAL read_only=ON')
        await followOver(named, primary, 'own')
        await followOver(shared, primary, '')
        await followOver(shared, foreign, FOREIGN)
        for (const node of [named, shared]) await caughtUp(primary, node)
      },
    })
    await cluster.ready()
    stop = writeOn(foreign)
  })
  after(async () => {
    await stop?.()
    await end(cluster)
    await others?.teardown()
  })

  const [old, named, shared] = [0, 1, 2].map((index) => () => cluster.databases.node(index)) as [
    () => Node,
    () => Node,
    () => Node,
  ]
  const foreignRows = async () => Number(await shared().value('SELECT COUNT(*) FROM elsewhere.entries'))
  const receivesForeign = async () => {
    const before = await foreignRows()
    await eventually(async () => (await foreignRows()) > before, 'rows of the foreign primary arrive')
    expect(await channels(shared())).to.include(`${FOREIGN} ${foreign.port} Yes Yes`)
  }
  const expectNoneErrant = async () => {
    const open = await cluster.alerts()
    expect(open.filter((code) => ERRANT.includes(code))).to.deep.equal([])
    expect(cluster.manager.log()).to.not.match(new RegExp(`OPENED (${ERRANT.join('|')})`))
  }
  const expectCleanOf = async (node: Node) => expect(await node.value(await mixed(foreign))).to.equal('0')

  it('does not rank by what it has from there, and explain says what its election would mean', async () => {
    await eventually(async () => (await foreignRows()) > 200, 'the foreign primary writes')
    const rank = async () =>
      (await cluster.explain()).ranking.map(({ server, eligible, missing }) => ({ server, eligible, missing }))
    const servers = await cluster.servers()
    const idAt = ({ port }: Node) => servers.find((server) => server.port === `${port}`)?.id
    expect((await rank()).map(({ server }) => server)).to.deep.equal([idAt(named()), idAt(shared())])
    await eventually(
      async () =>
        JSON.stringify(await rank()) ===
        JSON.stringify([named(), shared()].map((node) => ({ server: idAt(node), eligible: true, missing: 0 }))),
      'neither is missing any',
    )
    const reasons = (await cluster.explain()).ranking.map(({ reason }) => reason)
    expect(reasons[1]).to.match(/also replicates from 127\.0\.0\.1:\d+ \(channel x\)/)
  })

  it('is not given the role once it has deleted binary logs of there: no other server could follow it', async () => {
    await purgeLogs(shared())
    await cluster.ready()
    const answer = await cluster.manager.post(SWITCHOVER, wishFor(cluster, shared()))
    expect([answer.status, answer.body].join(' ')).to.match(
      /^409 .*has deleted binary logs with \d+ transactions? that [\d.:]+ never had, of (7|[\da-f-]{36})\b/,
    )
    expect(cluster.manager.log()).to.not.match(/"command":"freeze","state":"(?!skipped")/)
    expect(await channels(named())).to.deep.equal([`own ${old().port} Yes Yes`])
  })

  it('stays a replica when the primary is killed: the other one takes over, and both its channels go on', async () => {
    const before = load(cluster, { count: 2, pauseMs: PAUSE })
    await progress(before, 50)
    await before.stop()
    // Replication is asynchronous here: this is no story of losses.
    for (const node of [named(), shared()]) await caughtUp(old(), node)
    await old().kill()
    const next = await cluster.movedFrom(old())
    expect(next.name).to.equal(named().name)
    expect(await before.missingOn(next)).to.deep.equal([])
    const writers = load(cluster, { count: 2, pauseMs: PAUSE, first: 10 })
    await allWriteTo(writers, next)
    await progress(writers, 20)
    await writers.stop()
    await eventually(
      async () => (await channels(shared())).includes(` ${next.port} Yes Yes`),
      () => `its own channel follows the new primary\n${cluster.manager.log().slice(-4_000)}`,
    )
    expect(await channels(next)).to.deep.equal([])
    await receivesForeign()
    expect((await channels(shared())).length).to.equal(2)
    await caughtUp(next, shared())
    expect(await writers.missingOn(shared())).to.deep.equal(await writers.missingOn(next))
    await expectCleanOf(next)
    await expectNoneErrant()
  })

  it('follows the former primary again after a switchover to it', async () => {
    old().start('--read-only=ON')
    await old().waitUp()
    await eventually(
      async () => (await sourceOf(old())) === `${named().port} Yes Yes`,
      () => `it has rejoined\n${cluster.manager.log().slice(-4_000)}`,
    )
    const next = await switchOver(cluster, old())
    expect(next.name).to.equal(old().name)
    await cluster.convergesOn(next)
    await receivesForeign()
    expect((await channels(shared())).length).to.equal(2)
    await eventually(async () => (await channels(named())).length === 1, 'the other one has one channel')
    for (const node of [old(), named()]) await expectCleanOf(node)
    await expectNoneErrant()
  })
}

for (const each of softwares) {
  const title = `A replica that also replicates from a primary of another cluster, ${each.name}`
  const version = each.name === 'mariadb' ? undefined : await findVersion(each.name)
  if (version?.available === false) absent(title, version.reason)
  else describe(title, () => story(each))
}
