// A cluster of hostile and broken servers beside a sound one, in one manager: the threads live, the sound cluster is probed
// on, and memory stays bounded.
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Databases, startDatabases } from '../support/databases/database.js'
import {
  type HostileKind,
  type HostileServer,
  hostileKinds,
  startHostileServer,
} from '../support/databases/hostile-server.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const MIB = 1_048_576
/** What all hostile servers together may add: probes of each are bounded to a few MiB. */
const MOST_ADDED = 400 * MIB

describe('hostile servers', () => {
  const kinds = Object.keys(hostileKinds) as HostileKind[]
  let databases: Databases
  let servers: readonly HostileServer[] = []
  let manager: ManagerProcess

  before(async () => {
    databases = await startDatabases({ count: 1 })
    servers = await Promise.all(kinds.map(startHostileServer))
    const account = { 'db-servers-credential': 'monitor:monitor', 'replication-credential': 'repl:repl' }
    manager = await ManagerProcess.create({
      clusters: {
        sound: { ...account, 'db-servers-hosts': `127.0.0.1:${databases.node(0).port}` },
        hostile: { ...account, 'db-servers-hosts': servers.map(({ port }) => `127.0.0.1:${port}`).join(',') },
      },
    })
    manager.start()
    await manager.alive()
  })
  after(async () => {
    await manager?.destroy()
    await Promise.all(servers.map((server) => server.close()))
    await databases?.teardown()
  })

  const metrics = async () => (await fetch(`http://127.0.0.1:${manager.httpPort}/api/prometheus`)).text()
  /** Probes of the sound cluster that were answered. */
  const probes = async () =>
    Number(/^manager_probe_seconds_count\{[^}]*cluster="sound"[^}]*\} (\d+)/m.exec(await metrics())?.[1] ?? 0)
  const peak = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${manager.pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
  const resident = () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${manager.pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024

  it('harm only themselves', async () => {
    await eventually(async () => (await probes()) > 0, 'the sound cluster is probed')
    const before = { probes: await probes(), memory: resident() }
    // Every hostile server was met several times, and the sound cluster was probed all the while.
    await eventually(() => servers.every((server) => server.connections() >= 2), 'every hostile server was met')
    await eventually(async () => (await probes()) >= before.probes + 5, 'the sound cluster is probed on')
    const check = async () => (await fetch(`http://127.0.0.1:${manager.httpPort}/api/clusters/sound/primary`)).text()
    // One late probe on a busy machine takes the role away for a moment.
    await eventually(async () => (await check()) === '200 -Valid Master!', 'the sound primary is one')
    const { quarantined } = await manager.get<{ quarantined: object }>('/api/monitor')
    expect(quarantined).to.deep.equal({})
    expect(
      manager
        .log()
        .split('\n')
        .filter((line) => /host-died|thread-died|uncaught|actor-crashed/.test(line)),
    ).to.deep.equal([])
    expect(peak() - before.memory).to.be.below(MOST_ADDED)
    for (const server of servers) expect(server.received().includes('monitor:')).to.equal(false)
  })
})
