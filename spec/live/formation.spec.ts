// Servers that stand alone are formed into each topology on request, cleaned up, and formed otherwise.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { prepareWrites } from '../support/databases/writers.js'
import { freePorts } from '../support/machine/ports.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { shapeOf } from '../support/stories/shape.js'
import { durable, end, load, lossless, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

let cluster: ProtectedCluster
const { node, topology, closed, waits, become, follows } = shapeOf(() => cluster)

describe('servers that are formed, cleaned up and formed otherwise', () => {
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({ options: durable, arrange: async () => undefined })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => end(cluster))

  const ask = (action: string) => admin.ask(`${C}/actions/replication/${action}`, { method: 'POST' })
  const answers = async (action: string, status = 200, part = '') => {
    let reply = { status: 0, text: '' }
    // A server that is being probed just now, or a repair that is ending, is waited for.
    await waits(async () => {
      reply = await ask(action)
      return reply.status === status && reply.text.includes(part)
    }, `${action} answers ${status} ${part}`).catch((error: Error) => {
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
        // The table itself may still be on its way.
        async () => (await one.value('SELECT COUNT(*) FROM spec.acknowledged').catch(() => '')) === String(entry),
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
    await answers('cleanup', 409, 'force=true')
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
    await waits(async () => (await topology()) === 'multi-tier-slave', 'the tiers are seen')
  })

  it('become a pair with a replica after the next cleanup, which a client that cannot confirm asked for', async () => {
    const unconfirmed = (value: boolean) =>
      cluster.manager.post(`${C}/settings/actions/set/replication-cleanup-force/${value}`)
    expect((await unconfirmed(true)).status).to.equal(200)
    expect(await answers('cleanup')).to.equal('')
    expect((await unconfirmed(false)).status).to.equal(200)
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
      options: [...lossless, '--rpl-semi-sync-slave-enabled=ON'],
      settings: ([, second]) => ({ 'db-servers-prefered-master': `127.0.0.1:${second?.port}` }),
      arrange: async () => undefined,
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => end(cluster))

  const bootstrap = (shape: string) => admin.ask(`${C}/actions/replication/bootstrap/${shape}`, { method: 'POST' })

  it('stay standalone until a topology is asked for', async () => {
    await become('StandAlone', 'StandAlone', 'StandAlone')
    expect((await bootstrap('star')).status).to.equal(400)
    expect((await admin.ask(`${C}/actions/switchover`)).status).to.be.oneOf([400, 409, 500])
    expect(await Promise.all(cluster.nodes.map(sourceOf))).to.deep.equal(Array(3).fill('undefined undefined undefined'))
  })

  it('become a semi-synchronous cluster of the preferred one', async () => {
    let text = ''
    await waits(async () => {
      const reply = await bootstrap('master-slave')
      text = reply.text
      return reply.status === 200
    }, 'they are formed')
    expect(text).to.equal('')
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
