// Clusters of other shapes than one primary with replicas: relays, pairs, single servers, delayed and empty ones.
import { expect } from 'chai'
import { ApiUser } from '../support/api-user.js'
import { caughtUp, eventually, replicate } from '../support/database.js'
import type { Node } from '../support/node.js'
import { freePorts } from '../support/ports.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/protected-cluster.js'
import { comesBack, durable, end, load, progress } from '../support/story.js'
import { prepareWrites } from '../support/writers.js'

const C = '/api/clusters/story'

let cluster: ProtectedCluster
const node = (index: number): Node => cluster.databases.node(index)
const topology = async () => (await cluster.manager.get<{ topology: string }>(C)).topology
const closed = (one: Node) => one.value('SELECT @@read_only')
const states = async () => (await cluster.servers()).map(({ state }) => state)
/** Waits; a failure tells how things are then. */
const waits = (ask: () => Promise<boolean>, what: string) =>
  eventually(ask, what).catch(async (error: Error) => {
    const sources = await Promise.all(cluster.nodes.map((one) => (one.pid === 0 ? 'down' : sourceOf(one))))
    throw new Error(`${error.message}\n${await states()}\n${sources}\n${cluster.manager.log().slice(-3_000)}`)
  })
const become = (...wanted: readonly string[]) =>
  waits(async () => (await states()).join() === wanted.join(), `the states become ${wanted}`)
const follows = (one: Node, source: Node) =>
  waits(async () => (await sourceOf(one)) === `${source.port} Yes Yes`, `${one.name} follows ${source.name}`)

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
    expect(await topology()).to.equal('multi-tier-slave')
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

  it('goes on when its primary dies, whoever was a relay', async () => {
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

  it('is active and passive at once: a primary that nobody can replace', async () => {
    await become('Master')
    expect(await topology()).to.equal('active-passive')
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
    const { status, body } = await cluster.manager.post(`${C}/actions/switchover`)
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
    expect(await topology()).to.equal('multi-master')
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
    await eventually(async () => (await cluster.explain()).candidate !== undefined, 'somebody could take over')
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

describe('servers that are formed, cleaned up and formed otherwise', () => {
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({ options: durable, arrange: async () => undefined })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => end(cluster))

  const ask = (action: string) => admin.ask(`${C}/actions/replication/${action}`, { method: 'POST' })
  const answers = async (action: string, status = 200) => {
    let reply = { status: 0, text: '' }
    // A server that is being looked at just now, or a repair that is ending, is waited for.
    await waits(async () => {
      reply = await ask(action)
      return reply.status === status
    }, `${action} answers ${status}`).catch((error: Error) => {
      throw new Error(`${reply.status} ${reply.text}: ${error.message}`)
    })
    return reply.text
  }
  const isNobodys = async (one: Node) => {
    expect(await one.sql('SHOW ALL SLAVES STATUS')).to.deep.equal([])
    expect(await one.value('SELECT @@gtid_slave_pos')).to.equal('')
  }
  const writes = async (entry: number) => {
    await node(0).sql('INSERT INTO spec.acknowledged VALUES (?, ?)', 9, entry)
    for (const one of cluster.nodes)
      await waits(
        async () => (await one.value('SELECT COUNT(*) FROM spec.acknowledged')) === String(entry),
        `${one.name} has row ${entry}`,
      )
  }

  it('become a ring, in which every server follows the one before it and one takes writes', async () => {
    await become('StandAlone', 'StandAlone', 'StandAlone')
    expect(await answers('bootstrap/multi-master-ring')).to.equal('')
    for (const [one, source] of [
      [node(1), node(0)],
      [node(2), node(1)],
      [node(0), node(2)],
    ] as const)
      await follows(one, source)
    await waits(async () => (await topology()) === 'multi-master-ring', 'the ring is seen')
    expect(await cluster.primary()).to.equal(node(0))
    await prepareWrites(node(0))
    await writes(1)
    expect(await Promise.all(cluster.nodes.map(closed))).to.deep.equal(['0', '1', '1'])
  })

  it('are not cleaned up while they replicate, unless that is meant', async () => {
    expect(await answers('cleanup', 409)).to.contain('force=true')
    expect(await answers('cleanup?force=true')).to.equal('')
    for (const one of cluster.nodes) await isNobodys(one)
    expect(await Promise.all(cluster.nodes.map(closed))).to.deep.equal(['0', '1', '1'])
    expect(await node(2).value('SELECT COUNT(*) FROM spec.acknowledged')).to.equal('1')
    expect(await answers('cleanup')).to.equal('')
  })

  it('become tiers that the manager leaves so', async () => {
    expect(await answers('bootstrap/multi-tier-slave')).to.equal('')
    await become('Master', 'Relay', 'Slave')
    await follows(node(2), node(1))
    await writes(2)
    expect(await topology()).to.equal('multi-tier-slave')
  })

  it('become a pair with a replica after the next cleanup', async () => {
    expect(await answers('cleanup?force=true')).to.equal('')
    expect(await answers('bootstrap/multi-master')).to.equal('')
    await follows(node(0), node(1))
    await follows(node(1), node(0))
    await follows(node(2), node(0))
    await writes(3)
    await waits(async () => (await topology()) === 'multi-master', 'the pair is seen')
  })

  it('become a master with slaves, without what the other topologies left behind', async () => {
    expect(await answers('bootstrap/master-slave')).to.equal('')
    await become('Master', 'Slave', 'Slave')
    expect(await node(0).sql('SHOW ALL SLAVES STATUS')).to.deep.equal([])
    await writes(4)
  })

  for (const [name, reason] of [
    ['master-slave-no-gtid', 'by GTID'],
    ['maxscale-binlog', 'binlog server'],
    ['multi-master-wsrep', 'runs without Galera'],
  ] as const)
    it(`do not become ${name}, and say why`, async () => {
      expect(await answers(`bootstrap/${name}`, 501)).to.contain(reason)
    })
})

describe('a member of Galera', () => {
  before(async () => {
    const [group = 0] = await freePorts(1)
    cluster = await startProtectedCluster({
      count: 1,
      options: [
        ...['--wsrep-on=ON', '--wsrep-provider=/usr/lib/galera/libgalera_smm.so', '--wsrep-cluster-address=gcomm://'],
        ...['--wsrep-new-cluster', '--wsrep-node-address=127.0.0.1', '--innodb-autoinc-lock-mode=2'],
        ...[
          '--binlog-format=ROW',
          `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${group};gcache.size=8M`,
        ],
      ],
      arrange: async () => undefined,
    })
  })
  after(() => end(cluster))

  it('is seen to be one, and nothing is done to it', async () => {
    const form = () => cluster.manager.post(`${C}/actions/replication/bootstrap/multi-master-wsrep`)
    await waits(async () => (await form()).status === 200, 'the cluster is seen')
    expect(
      await node(0).value(
        "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'WSREP_CLUSTER_STATUS'",
      ),
    ).to.equal('Primary')
  })
})

describe('three empty servers', () => {
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({
      options: [...durable, '--rpl-semi-sync-slave-enabled=ON', '--rpl-semi-sync-master-wait-point=AFTER_SYNC'],
      settings: ([, second]) => ({ 'db-servers-prefered-master': `127.0.0.1:${second?.port}` }),
      arrange: async () => undefined,
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => end(cluster))

  const bootstrap = (shape: string) => admin.ask(`${C}/actions/replication/bootstrap/${shape}`, { method: 'POST' })

  it('stand alone until they are told what to become', async () => {
    await become('StandAlone', 'StandAlone', 'StandAlone')
    expect((await bootstrap('star')).status).to.equal(400)
    expect((await admin.ask(`${C}/actions/switchover`)).status).to.be.oneOf([400, 409, 500])
    expect(await Promise.all(cluster.nodes.map(sourceOf))).to.deep.equal(Array(3).fill('undefined undefined undefined'))
  })

  it('become a semi-synchronous cluster of the preferred one', async () => {
    const { status, text } = await bootstrap('master-slave')
    expect({ status, text }).to.deep.equal({ status: 200, text: '' })
    await become('Slave', 'Master', 'Slave')
    await prepareWrites(node(1))
    await cluster.convergesOn(node(1))
    await eventually(async () => (await cluster.explain()).loss.kind === 'none', 'no commit can be lost')
    expect(await node(1).value('SELECT @@rpl_semi_sync_master_enabled')).to.equal('1')
  })

  it('survive the death of their primary from there on', async () => {
    const writers = load(cluster, { count: 4 })
    await progress(writers, 50)
    await node(1).kill()
    const next = await cluster.movedFrom(node(1))
    await progress(writers, 50)
    await writers.stop()
    expect(await writers.missingOn(next)).to.deep.equal([])
  })

  it('are not bootstrapped again while they hold data that would be given up', async () => {
    expect((await bootstrap('master-slave')).status).to.equal(409)
  })
})
