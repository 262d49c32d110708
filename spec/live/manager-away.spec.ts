// Traffic without a manager: two HAProxies, configured as share/doc/own-proxies.md says, while the manager is killed, away and back.
import { expect } from 'chai'
import { serverId } from '../../lib/model/server/server-id.js'
import { parseStat } from '../../lib/proxy/haproxy/tables.js'
import { ask } from '../../lib/proxy/haproxy/wire.js'
import { replicate } from '../support/databases/database.js'
import { OltpClients } from '../support/databases/oltp-clients.js'
import { prepareWrites, writtenOn } from '../support/databases/writers.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type PageProxy, startPageProxy } from '../support/proxies/haproxy.js'
import * as routes from '../support/proxies/routes.js'
import { end, lossless } from '../support/stories/story.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('traffic through HAProxy', () => {
  let cluster: ProtectedCluster
  /** Configured by the manager over its runtime API. */
  let configured: PageProxy
  /** Asks the manager by agent checks. */
  let asking: PageProxy
  const clients: OltpClients[] = []

  before(async () => {
    cluster = await startProtectedCluster({
      options: lossless,
      arrange: async (nodes) => {
        const [primary, ...replicas] = nodes
        if (!primary) throw new Error('there are three nodes')
        await prepareWrites(primary)
        await replicate(primary, replicas, { semiSync: true })
        const databasePorts = nodes.map(({ port }) => port)
        const ids = databasePorts.map((port) => serverId('story', `127.0.0.1:${port}`))
        configured = await startPageProxy({ example: 'haproxy-runtime', databasePorts, managerPort: 0, ids })
      },
      settings: () => ({
        ...{ haproxy: true, 'haproxy-servers': '127.0.0.1', 'haproxy-api-port': configured.apiPort },
        ...{ 'failover-limit': 0, 'monitoring-ticker': 1 },
      }),
    })
    const { nodes, manager } = cluster
    const databasePorts = nodes.map(({ port }) => port)
    asking = await startPageProxy({ example: 'haproxy', databasePorts, managerPort: manager.httpPort })
    await cluster.ready()
  })
  after(async () => {
    await Promise.all(clients.map((group) => group.stop()))
    await end(cluster)
    await configured?.stop()
    await asking?.stop()
  })

  /** What the agent check of each server said last. */
  const agents = async (): Promise<readonly string[]> => {
    const answer = await ask({ endpoint: { path: asking.socket }, commands: ['show stat'], timeoutMs: 5_000 })
    const rows = parseStat(answer.ok ? answer.value : '')
    return rows.flatMap(({ svname, agent_status: status = '' }) => (/^db\d$/.test(svname ?? '') ? [status] : []))
  }
  const errors = () =>
    clients.flatMap(({ outcomes }) => outcomes.flat().flatMap(({ error }) => (error === undefined ? [] : [error])))
  const counts = () => clients.flatMap(({ outcomes }) => outcomes.map((each) => each.length))
  /** Every client ends so many more transactions. */
  const goOn = async (times: number) => {
    const before = counts()
    await eventually(() => counts().every((count, index) => count >= (before[index] ?? 0) + times), 'all of them go on')
  }

  it('reaches the primary and the replicas before anything happens', async () => {
    const primary = await cluster.primary()
    for (const proxy of [configured, asking]) {
      await routes.writesReach(proxy, primary)
      await routes.readsReach(
        proxy,
        cluster.nodes.filter((node) => node !== primary),
      )
    }
  })

  it('goes on without an error while the manager is killed and away, also after a reload of HAProxy', async () => {
    const primary = await cluster.primary()
    for (const [index, { writePort }] of [configured, asking].entries())
      clients.push(new OltpClients({ port: writePort, count: 4, first: 10 * (index + 1), pauseMs: 20 }))
    await goOn(3)
    await cluster.manager.end('SIGKILL')
    await eventually(async () => (await agents()).every((status) => /^L4(CON|TOUT)$/.test(status)), 'no agent answers')
    await goOn(30)
    for (const proxy of [configured, asking]) {
      await proxy.reloadBySystemd()
      await routes.writesReach(proxy, primary)
      await routes.readsReach(
        proxy,
        cluster.nodes.filter((node) => node !== primary),
      )
    }
    await goOn(10)
    expect(errors()).to.deep.equal([])
  })

  it('follows the role again when the manager is back, and lost no session by its start', async () => {
    cluster.manager.start()
    await cluster.manager.alive()
    await cluster.ready()
    await eventually(
      async () => (await agents()).every((status) => status === 'L7OK' || status === 'L7STS'),
      'it answers',
    )
    await goOn(10)
    expect(errors(), 'a manager that does not know yet says nothing').to.deep.equal([])
    await Promise.all(clients.map((group) => group.stop()))
    const old = await cluster.primary()
    const committed = clients.flatMap(({ outcomes }) => outcomes.flat().map(({ row }) => row))
    const held = await writtenOn(old)
    expect(committed.filter((row) => !held.has(row))).to.deep.equal([])
    await switchable(cluster)
    const { status, body } = await cluster.manager.post('/api/clusters/story/actions/switchover')
    expect(status, body).to.equal(200)
    const next = await cluster.primary()
    expect(next).to.not.equal(old)
    for (const proxy of [configured, asking]) await routes.writesReach(proxy, next)
  })
})
