// A real HAProxy that the manager keeps in step with the cluster through its runtime API.
import { expect } from 'chai'
import { serverId } from '../../lib/model/server/server-id.js'
import { replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { OltpClients } from '../support/databases/oltp-clients.js'
import { prepareWrites, writtenOn } from '../support/databases/writers.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type HaproxyProcess, startHaproxy } from '../support/proxies/haproxy.js'
import * as routes from '../support/proxies/routes.js'
import { asReplica, comesBack, end, load, logLines, lossless, progress } from '../support/stories/story.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface ProxyView {
  readonly type: string
  readonly state: string
  readonly version: string
  readonly backendsWrite: readonly { readonly port: string; readonly prxStatus: string }[]
  readonly backendsRead: readonly { readonly port: string; readonly prxStatus: string }[]
}

describe('a proxy of the cluster', () => {
  let cluster: ProtectedCluster
  let haproxy: HaproxyProcess
  /** Between the manager and the runtime API. */
  let gate: TcpGate
  let admin: ApiUser

  before(async () => {
    cluster = await startProtectedCluster({
      options: lossless,
      arrange: async (nodes) => {
        const [primary, ...replicas] = nodes
        if (!primary) throw new Error('there are three nodes')
        await prepareWrites(primary)
        await replicate(primary, replicas, { semiSync: true })
        haproxy = await startHaproxy(nodes.map(({ port }) => serverId('story', `127.0.0.1:${port}`)))
        gate = await TcpGate.to(haproxy.apiPort)
      },
      settings: () => ({
        haproxy: true,
        'haproxy-servers': '127.0.0.1',
        'haproxy-api-port': gate.port,
        'failover-limit': 0,
        'monitoring-ticker': 1,
      }),
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await cluster.ready()
  })
  after(async () => {
    await end(cluster)
    await haproxy?.stop()
    await gate?.close()
  })

  const writesReach = (node: Node) => routes.writesReach(haproxy, node)
  const readsReach = (...nodes: readonly Node[]) => routes.readsReach(haproxy, nodes)
  const view = async (): Promise<ProxyView | undefined> =>
    (await admin.json<readonly ProxyView[]>(`${C}/topology/proxies`))[0]
  const reader = async (node: Node): Promise<string | undefined> =>
    (await view())?.backendsRead.find(({ port }) => port === String(node.port))?.prxStatus
  const others = (...nodes: readonly Node[]) => cluster.nodes.filter((node) => !nodes.includes(node))
  const act = (node: Node, word: string) => admin.ask(`${C}/servers/127.0.0.1:${node.port}/actions/${word}`)

  it('gets its addresses from the manager: writes go to the primary, reads to the replicas', async () => {
    const primary = await cluster.primary()
    await writesReach(primary)
    await readsReach(...others(primary))
    await eventually(async () => (await view())?.backendsWrite[0]?.port === String(primary.port), 'the view shows it')
    await eventually(async () => (await view())?.state === 'ProxyRunning', 'it runs')
    expect(await view()).to.include({ type: 'haproxy' })
    expect((await view())?.version).to.match(/^\d+\.\d+/)
    // While its health is still being checked it is `DRAIN 1/3`.
    await eventually(async () => /^DRAIN/.test((await reader(primary)) ?? ''), 'the primary does not read')
  })

  it('reads from no server that is in maintenance or does not replicate', async () => {
    const primary = await cluster.primary()
    const [first, second] = others(primary)
    if (!first || !second) throw new Error('there are two replicas')
    await act(first, 'set-maintenance')
    await readsReach(second)
    await eventually(async () => /^MAINT/.test((await reader(first)) ?? ''), 'it is in maintenance there too')
    await act(first, 'del-maintenance')
    await readsReach(first, second)
    await act(second, 'stop-slave')
    await readsReach(first)
    await eventually(async () => /^DRAIN/.test((await reader(second)) ?? ''), 'it is drained')
    await act(second, 'start-slave')
    await readsReach(first, second)
  })

  it('follows a switchover, and leaves no session of a writer behind', async () => {
    const old = await cluster.primary()
    await writesReach(old)
    const client = await routes.connectThrough(cluster.databases.node(0), haproxy.writePort)
    if (!client) throw new Error('the proxy takes no connection')
    expect(await routes.portBehind(client)).to.equal(old.port)
    await switchable(cluster)
    await admin.json(`${C}/actions/switchover`)
    const next = await cluster.primary()
    expect(next).to.not.equal(old)
    await writesReach(next)
    expect(await routes.portBehind(client), 'the old session is gone').to.equal(0)
    client.close()
    await readsReach(...others(next))
  })

  it('shows 32 clients that reconnect one gap at a switchover, and no error beyond it', async () => {
    const old = await cluster.primary()
    const clients = new OltpClients({ port: haproxy.writePort, count: 32, first: 100, pauseMs: 20 })
    try {
      await eventually(() => clients.have(3, 0), 'all of them write')
      await switchable(cluster)
      await admin.json(`${C}/actions/switchover`)
      await eventually(() => clients.have(3, old.port), 'all of them write to the next primary')
    } finally {
      await clients.stop()
    }
    const next = await cluster.primary()
    const letters = clients.outcomes.map((outcomes) =>
      outcomes.map(({ server }) => (server === undefined ? 'x' : server === old.port ? 'o' : 'n')).join(''),
    )
    expect(letters.filter((letter) => !/^o+x*n+$/.test(letter))).to.deep.equal([])
    const committed = clients.outcomes.flat().flatMap(({ server, row }) => (server === undefined ? [] : [row]))
    const held = await writtenOn(next)
    expect(committed.filter((row) => !held.has(row))).to.deep.equal([])
    await readsReach(...others(next))
  })

  it('follows a failover, and takes the old primary for a reader when it is back', async () => {
    const old = await cluster.primary()
    await old.kill()
    const next = await cluster.movedFrom(old)
    await writesReach(next)
    await readsReach(...others(old, next))
    await comesBack(cluster, old, ...asReplica)
    await readsReach(...others(next))
  })

  it('that restarts with a former primary in its file is led to the primary by the reading that shows it', async () => {
    const primary = await cluster.primary()
    const [former] = others(primary)
    if (!former) throw new Error('there are two replicas')
    const asked: string[] = []
    gate.beforeBytes = (bytes) => asked.push(bytes.toString())
    const has = (word: string) => asked.some((text) => text.includes(word))
    // What is compared now and then was compared just now: the next time is fifteen readings away.
    await eventually(() => has('show servers state'), 'it is compared')
    await gate.set('refuse')
    await haproxy.stop()
    await haproxy.restart(former.port)
    asked.length = 0
    await gate.set('open')
    await eventually(() => has(`addr 127.0.0.1 port ${primary.port}`), 'it is led to the primary')
    const before = asked.slice(
      0,
      asked.findIndex((text) => text.includes('set server')),
    )
    expect(before.filter((text) => text.includes('show info')).length, before.join('')).to.equal(1)
    gate.beforeBytes = () => undefined
    await writesReach(primary)
    await readsReach(...others(primary))
  })

  for (const [what, begin, finish] of [
    ['hangs', () => haproxy.pause(), () => haproxy.resume()],
    ['is down', () => haproxy.stop(), () => haproxy.restart()],
  ] as const)
    it(`that ${what} holds up no failover, and is configured afterwards`, async () => {
      const old = await cluster.primary()
      const failovers = () => logLines(cluster, 'Failover succeeded').length
      const before = failovers()
      const writers = load(cluster, { count: 2, first: what === 'hangs' ? 10 : 20 })
      await progress(writers, 10)
      await begin()
      await eventually(async () => (await view())?.state !== 'ProxyRunning', 'the manager notices')
      await old.kill()
      const next = await cluster.movedFrom(old)
      await progress(writers, 10)
      await writers.stop()
      await eventually(() => failovers() > before, 'the failover succeeds without it')
      await finish()
      await writesReach(next)
      await readsReach(...others(old, next))
      await comesBack(cluster, old, ...asReplica)
      await readsReach(...others(next))
      await eventually(async () => (await view())?.state === 'ProxyRunning', 'the manager notices that, too')
    })
})
