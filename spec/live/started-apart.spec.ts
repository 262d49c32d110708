// Stories of a replica that was down and starts on the side of an isolated primary: it may be the one that acknowledges.
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { prepareWrites, Writers } from '../support/databases/writers.js'
import { Mesh, type MeshPlace } from '../support/machine/mesh.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end, logLines, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

type Trio = readonly [Node, Node, Node]
type Places = readonly [MeshPlace, MeshPlace, MeshPlace, MeshPlace]

/** Every server and the manager in a network of its own; the manager itself makes commits wait, by the policy. */
function start({ places }: Mesh, policy: string, options: readonly string[]): Promise<ProtectedCluster> {
  const [, , , manager] = places as unknown as Places
  return startProtectedCluster({
    options: [...durable, '--bind-address=0.0.0.0', '--rpl-semi-sync-slave-enabled=ON', ...options],
    settings: { 'durability-policy': policy },
    managerIn: manager,
    networks: places.slice(0, 3),
    arrange: async ([primary, ...replicas]) => {
      if (!primary) throw new Error('there are three nodes')
      await prepareWrites(primary)
      await primary.sql("CREATE USER writer@'%' IDENTIFIED BY 'writer'; GRANT ALL ON spec.* TO writer@'%'")
      await replicate(primary, replicas, { heartbeatSeconds: 1 })
    },
  })
}

const receivers = (node: Node) => node.sql("SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'")
const countedBy = async (node: Node) => String((await receivers(node))[0]?.Value)

describe('a replica that was down and starts on the side of an isolated primary', () => {
  let mesh: Mesh
  let cluster: ProtectedCluster
  let inside: Writers | undefined

  beforeEach(async () => {
    mesh = await Mesh.create(4)
  })
  afterEach(async () => {
    const stopped = inside?.stop()
    await end(cluster)
    await stopped
    await mesh.close()
  })

  const isReplicating = async (node: Node, source: Node) => (await sourceOf(node)) === `${source.port} Yes Yes`

  async function begin(policy: string, options: readonly string[] = []): Promise<Trio> {
    cluster = await start(mesh, policy, options)
    await cluster.ready()
    const trio = cluster.nodes as unknown as Trio
    await eventually(async () => (await countedBy(trio[0])) === '2', 'both replicas acknowledge')
    inside = new Writers([trio[0]], { count: 4 })
    inside.start()
    await progress(inside, 50)
    return trio
  }

  /** One replica is stopped, the network is parted, and the manager decides what to do about the primary that it cannot see. */
  async function isolate([primary, down, other]: Trio): Promise<'waits' | 'replaced'> {
    await down.stop()
    await eventually(async () => (await cluster.stateOf(down)) === 'Failed', 'the manager sees that it is down')
    await eventually(async () => (await countedBy(primary)) === '1', 'the primary counts it no more')
    await cluster.probed(primary, 12)
    const [one, two, three, manager] = mesh.places as unknown as Places
    await mesh.part([one, two], [three, manager])
    let decided: 'waits' | 'replaced' | undefined
    await eventually(async () => {
      if ((await cluster.primaryNow()) === other) decided = 'replaced'
      else if ((await cluster.alerts()).includes('ERR00140')) decided = 'waits'
      return decided !== undefined
    }, 'the manager decides about the silent primary')
    down.start()
    await down.waitUp()
    return decided ?? 'waits'
  }

  /** Acknowledged inside, and missing on the primary that the cluster has in the end. */
  async function missingInTheEnd(): Promise<readonly string[]> {
    const [primary] = cluster.nodes as unknown as Trio
    await mesh.heal()
    await eventually(async () => (await cluster.stateOf(primary)) !== 'Failed', 'the old primary is seen again')
    const last = await cluster.primary()
    if (last !== primary)
      await eventually(async () => (await primary.value('SELECT @@read_only')) === '1', 'the old primary is closed')
    await inside?.stop()
    return (await inside?.missingOn(last)) ?? []
  }

  for (const policy of ['lossless', 'semi-sync'])
    it(`it may acknowledge, so the primary is not replaced, and the reason is reported: ${policy}`, async () => {
      const trio = await begin(policy)
      const [primary, down] = trio
      await cluster.opens('WARN0254')
      const decided = await isolate(trio)
      await eventually(() => isReplicating(down, primary), 'it follows the isolated primary')
      if (inside) await progress(inside, 50)
      const row = (await cluster.explain()).rows.find(({ rule }) => rule === 'durability-policy')
      expect({ decided, missing: await missingInTheEnd() }).to.deep.equal({ decided: 'waits', missing: [] })
      expect(row?.sentence).to.match(/was down before.*: start it where the manager reaches it/)
      expect(logLines(cluster, ' replaced ')).to.deep.equal([])
    })

  it('it starts with replication stopped, so the primary is replaced, and what it acknowledges alone is nothing', async () => {
    const trio = await begin('lossless', ['--skip-slave-start'])
    const [primary, down, other] = trio
    for (const node of [down, other]) {
      await node.stop()
      await eventually(async () => (await cluster.stateOf(node)) === 'Failed', 'the manager sees that it is down')
      node.start()
      await node.waitUp()
      await eventually(() => isReplicating(node, primary), 'the manager starts its replication')
    }
    await cluster.ready()
    await cluster.closes('WARN0254')
    const decided = await isolate(trio)
    const acknowledged = inside?.acknowledged.length
    expect(await sourceOf(down)).to.equal(`${primary.port} No No`)
    expect({ decided, missing: await missingInTheEnd() }).to.deep.equal({ decided: 'replaced', missing: [] })
    expect(inside?.acknowledged.length).to.equal(acknowledged)
    await eventually(() => isReplicating(down, other), 'it follows the new primary')
  })
})
