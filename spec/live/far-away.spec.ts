// Stories of a manager that is far away from its servers: every statement takes 600 ms there and back, or more.
import { expect } from 'chai'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, load, logLines, lossless, progress } from '../support/stories/story.js'
import { SWITCHOVER } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const ONE_WAY_MS = 300
/** A login takes longer then than `db-servers-connect-timeout` leaves to a whole probe. */
const FARTHER_MS = 3 * ONE_WAY_MS
/** The first may have begun before. */
const PROBES = 3

/** A switchover would read that first, and be refused where this machine is so busy that its gates keep a login for seconds. */
async function isRead({ manager }: ProtectedCluster): Promise<boolean> {
  const servers = await manager.get<readonly { binaryLogFile: string }[]>('/api/clusters/story/topology/servers')
  return servers.every(({ binaryLogFile }) => binaryLogFile !== '')
}

describe('a manager far away from its servers', () => {
  let gates: readonly TcpGate[]
  let cluster: ProtectedCluster

  before(async () => {
    gates = await Promise.all([TcpGate.create(), TcpGate.create(), TcpGate.create()])
    cluster = await startProtectedCluster({
      semiSync: true,
      options: lossless,
      addresses: (nodes) => {
        for (const [index, gate] of gates.entries()) {
          gate.delayMs = ONE_WAY_MS
          void gate.lead(nodes[index]?.port ?? 0)
        }
        return gates.map(({ address }) => address)
      },
    })
  })
  after(async () => {
    await end(cluster)
    for (const gate of gates) await gate.close()
  })

  it('is read again when connections are cut and the way is three times as long from then on', async () => {
    await cluster.ready()
    for (const gate of gates) gate.delayMs = FARTHER_MS
    for (const gate of gates) await gate.set('open')
    for (const node of cluster.nodes) await cluster.probed(node, PROBES)
    await cluster.ready()
  })

  it('has a replica closed that starts open, though the login alone takes longer than that may nearby', async () => {
    const primary = await cluster.primary()
    const replica = cluster.nodes.find((node) => node !== primary)
    if (!replica) throw new Error('there are three nodes')
    await replica.kill('SIGKILL')
    replica.start('--read-only=OFF')
    await eventually(
      async () => (await replica.value('SELECT @@GLOBAL.read_only')) === '1',
      () => `it is closed\n${cluster.manager.log().slice(-6_000)}`,
    )
    for (const gate of gates) gate.delayMs = ONE_WAY_MS
    for (const gate of gates) await gate.set('open')
    await cluster.ready()
  })

  it('moves the role on request, and replaces a primary that was killed, without losing a write', async () => {
    const writers = load(cluster, { count: 4 })
    await progress(writers, 20)
    await eventually(
      () => isRead(cluster),
      () => `what is read of every server now and then was read\n${cluster.manager.log().slice(-6_000)}`,
    )
    const first = await cluster.primary()
    // Refused, or undone, while this machine is too busy for its gates: they are silent then. That changes nothing.
    let reply = { status: 0, body: '' }
    const moves = async () => {
      reply = await cluster.manager.post(SWITCHOVER)
      if (reply.status !== 200) expect(await cluster.primary()).to.equal(first)
      return reply.status === 200
    }
    await eventually(moves, () => `the role moves: ${reply.body}\n${cluster.manager.log().slice(-4_000)}`)
    const second = await cluster.primary()
    expect(second).to.not.equal(first)
    await progress(writers, 20)
    await cluster.ready()
    await second.kill('SIGKILL')
    const third = await cluster.movedFrom(second)
    await progress(writers, 20)
    await writers.stop()
    expect(await writers.missingOn(third)).to.deep.equal([])
    expect(logLines(cluster, 'error 1690')).to.deep.equal([])
    const other = cluster.nodes.find((node) => node !== second && node !== third)
    if (!other) throw new Error('there are three nodes')
    await eventually(async () => (await cluster.stateOf(other)) === 'Slave', 'the other one follows')
    await cluster.opens('WARN0237')
  })
})
