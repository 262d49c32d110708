// Stories of a replica that was down and starts on the side of an isolated primary: it may be the one that acknowledges.
import { expect } from 'chai'
import { replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { findVersion } from '../support/databases/versions.js'
import { prepareWrites, Writers } from '../support/databases/writers.js'
import { Mesh, type MeshPlace } from '../support/machine/mesh.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end, logLines, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

type Trio = readonly [Node, Node, Node]
type Places = readonly [MeshPlace, MeshPlace, MeshPlace, MeshPlace]

/** What differs between the two families. */
interface Family {
  readonly software: 'mariadb' | 'mysql-9'
  readonly options: readonly string[]
  /** The primary's number of replicas that acknowledge. */
  readonly clients: string
  /** A server that starts so does not replicate before its replication is started. */
  readonly stopped: string
  /** How the host of a replica starts it again: closed. */
  readonly closed: readonly string[]
}

const mariadb: Family = {
  software: 'mariadb',
  options: ['--rpl-semi-sync-slave-enabled=ON'],
  clients: 'Rpl_semi_sync_master_clients',
  stopped: '--skip-slave-start',
  closed: ['--read-only=ON'],
}

const mysql: Family = {
  software: 'mysql-9',
  options: [
    '--plugin-load-add=semisync_source.so',
    '--plugin-load-add=semisync_replica.so',
    '--rpl-semi-sync-replica-enabled=ON',
  ],
  clients: 'Rpl_semi_sync_source_clients',
  stopped: '--skip-replica-start',
  closed: ['--super-read-only=ON'],
}

/** The longest wait that both families take. */
const FOREVER_MS = 4_294_967_295

interface Scene {
  readonly family: Family
  readonly policy: string
  readonly mode?: 'automatic' | 'manual'
  /** Commits wait for an acknowledgement without limit, whatever the policy sets. */
  readonly semiSync?: boolean
  readonly options?: readonly string[]
}

/** Every server and the manager in a network of its own; the manager itself makes commits wait, by the policy. */
function start(
  { places }: Mesh,
  { family, policy, mode = 'automatic', semiSync = false, options = [] }: Scene,
): Promise<ProtectedCluster> {
  const [, , , manager] = places as unknown as Places
  return startProtectedCluster({
    software: family.software,
    options: [...durable, '--bind-address=0.0.0.0', ...family.options, ...options],
    settings: { 'durability-policy': policy, 'failover-mode': mode },
    managerIn: manager,
    networks: places.slice(0, 3),
    arrange: async ([primary, ...replicas]) => {
      if (!primary) throw new Error('there are three nodes')
      await prepareWrites(primary)
      await primary.sql("CREATE USER writer@'%' IDENTIFIED BY 'writer'; GRANT ALL ON spec.* TO writer@'%'")
      await replicate(primary, replicas, { heartbeatSeconds: 1, semiSync, semiSyncTimeoutMs: FOREVER_MS })
    },
  })
}

const version = await findVersion('mysql-9')
if (!version.available) absent('a replica that was down and starts beside an isolated primary, MySQL', version.reason)

/** A story of one family, where it can be had. */
const onFamily = (family: Family, title: string, story: () => Promise<void>): void => {
  if (family.software === 'mariadb' || version.available) it(`${title}, ${family.software}`, story)
}

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

  let family = mariadb
  const countedBy = async (node: Node) => String((await node.sql(`SHOW STATUS LIKE '${family.clients}'`))[0]?.Value)

  async function begin(scene: Scene): Promise<Trio> {
    family = scene.family
    cluster = await start(mesh, scene)
    await cluster.ready()
    const trio = cluster.nodes as unknown as Trio
    await eventually(async () => (await countedBy(trio[0])) === '2', 'both replicas acknowledge')
    inside = new Writers([trio[0]], { count: 4 })
    inside.start()
    await progress(inside, 50)
    return trio
  }

  /** One replica is stopped, and the network is parted: it will start on the side of the primary. */
  async function part([primary, down]: Trio): Promise<void> {
    await down.stop()
    await eventually(async () => (await cluster.stateOf(down)) === 'Failed', 'the manager sees that it is down')
    await eventually(async () => (await countedBy(primary)) === '1', 'the primary counts it no more')
    await cluster.probed(primary, 12)
    const [one, two, three, manager] = mesh.places as unknown as Places
    await mesh.part([one, two], [three, manager])
  }

  /** What the manager decides about the primary that it cannot see; the replica starts then. */
  async function isolate(trio: Trio): Promise<'waits' | 'replaced'> {
    const [, down, other] = trio
    await part(trio)
    let decided: 'waits' | 'replaced' | undefined
    await eventually(async () => {
      if ((await cluster.primaryNow()) === other) decided = 'replaced'
      else if ((await cluster.alerts()).includes('ERR00140')) decided = 'waits'
      return decided !== undefined
    }, 'the manager decides about the silent primary')
    down.start(...family.closed)
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

  for (const [policy, each] of [
    ['lossless', mariadb],
    ['semi-sync', mariadb],
    ['lossless', mysql],
  ] as const)
    onFamily(
      each,
      `it may acknowledge, so the primary is not replaced, and the reason is reported: ${policy}`,
      async () => {
        const trio = await begin({ family: each, policy })
        const [primary, down] = trio
        await cluster.opens('WARN0254')
        const decided = await isolate(trio)
        await eventually(() => isReplicating(down, primary), 'it follows the isolated primary')
        if (inside) await progress(inside, 50)
        const row = (await cluster.explain()).rows.find(({ rule }) => rule === 'durability-policy')
        expect({ decided, missing: await missingInTheEnd() }).to.deep.equal({ decided: 'waits', missing: [] })
        expect(row?.sentence).to.match(/was down before.*: start it where the manager reaches it/)
        expect(logLines(cluster, ' replaced ')).to.deep.equal([])
      },
    )

  for (const each of [mariadb, mysql])
    onFamily(
      each,
      'it starts with replication stopped, so the primary is replaced, and what it acknowledges alone is nothing',
      async () => {
        const trio = await begin({ family: each, policy: 'lossless', options: [each.stopped] })
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
      },
    )
  onFamily(mariadb, 'it may acknowledge, so what a failover may lose is not called nothing: observed', async () => {
    const trio = await begin({ family: mariadb, policy: 'observed', mode: 'manual', semiSync: true })
    const [primary, down] = trio
    await part(trio)
    await eventually(async () => (await cluster.explain()).evidence === 'weak', 'the primary counts as silent')
    const { loss, primaryAnswers } = await cluster.explain()
    expect({ primaryAnswers, kind: loss.kind }).to.deep.equal({ primaryAnswers: false, kind: 'unknown' })
    expect(loss.reason).to.include(`${down.host} cannot be asked`)
    down.start(...mariadb.closed)
    await down.waitUp()
    await eventually(() => isReplicating(down, primary), 'it follows the isolated primary')
    if (inside) await progress(inside, 50)
  })
})
