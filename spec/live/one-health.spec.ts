// One definition of health: in each state of a cluster every surface says the same, and what share/doc/health.md defines.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { addressOf, expectAgreement, type Health } from '../support/stories/health.js'
import { lossless } from '../support/stories/story.js'
import { acknowledging, replicasOf } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('What every surface says of the health of a cluster', () => {
  let cluster: ProtectedCluster
  let client: Client
  let primary: Node
  let one: Node
  let other: Node

  before(async () => {
    cluster = await startProtectedCluster({ semiSync: true, options: lossless })
    client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    await acknowledging(cluster)
    primary = await cluster.primary()
    ;[one, other] = await replicasOf(cluster)
  })
  after(() => cluster?.destroy())

  const well = (): Health => ({
    ...{ running: true, up: true, failable: true, healthy: true, primaryDown: false, state: 'healthy' },
    writers: [addressOf(primary)],
    readers: [one, other].map(addressOf).sort(),
  })
  const agreeThat = (health: Partial<Health>) => expectAgreement(cluster, client, { ...well(), ...health })
  const isReady = async (ready: boolean) => {
    const { status, stdout } = await client.run('check', 'servers')
    expect(status, stdout).to.equal(ready ? 0 : 3)
  }
  const maintain = async (node: Node, word: 'set' | 'del') => {
    const target = `/api/clusters/story/servers/${addressOf(node)}/actions/${word}-maintenance`
    const { status, body } = await cluster.manager.post(target)
    expect(status, body).to.equal(200)
  }

  it('agrees while it is well', async () => {
    await agreeThat({})
    await isReady(true)
  })

  it('agrees while a replica is in maintenance: it is left out, and no client reads from it', async () => {
    await maintain(one, 'set')
    await agreeThat({ readers: [addressOf(other)] })
    await isReady(true)
    await maintain(one, 'del')
    await agreeThat({})
  })

  it('agrees while a replica has stopped: it is no longer healthy, and another one may take over', async () => {
    await one.sql('STOP SLAVE')
    await agreeThat({ healthy: false, state: 'degraded', readers: [addressOf(other)] })
    await isReady(false)
    await one.sql('START SLAVE')
    await agreeThat({})
  })

  it('agrees while a replica does not answer', async () => {
    await one.kill()
    await agreeThat({ healthy: false, state: 'degraded', readers: [addressOf(other)] })
    await isReady(false)
    one.start()
    await one.waitUp()
    await agreeThat({})
  })

  it('agrees while commits wait for no replica: that is a warning, and replication goes on', async () => {
    await primary.sql('SET GLOBAL rpl_semi_sync_master_enabled=OFF')
    await cluster.opens('WARN0060')
    await agreeThat({})
    const [row] = await cluster.manager.get<readonly { readonly semi: string }[]>('/api/fleet')
    // What is switched off is not intended; `off` is what was given up.
    expect(row?.semi).to.equal('none')
    await primary.sql('SET GLOBAL rpl_semi_sync_master_enabled=ON')
    await cluster.closes('WARN0060')
  })

  it('agrees while the primary is in maintenance: nothing is sent to it', async () => {
    await maintain(primary, 'set')
    await agreeThat({ up: false, failable: false, healthy: false, state: 'down', writers: [] })
    await isReady(false)
    await maintain(primary, 'del')
    await agreeThat({})
  })

  it('agrees while the primary is dead and nothing replaces it: what the replicas have may be read', async () => {
    const mode = '/api/clusters/story/settings/actions/set/failover-mode'
    expect((await cluster.manager.post(mode, { value: 'manual' })).status).to.equal(200)
    await eventually(
      async () =>
        (await cluster.explain()).rows.some(({ rule, state }) => rule === 'failover-mode' && state === 'closed'),
      'no failover is automatic',
    )
    await primary.kill()
    const down = { running: false, up: false, failable: false, healthy: false, state: 'down' } as const
    await agreeThat({ ...down, primaryDown: true, writers: [] })
    await isReady(false)
    primary.start()
    await primary.waitUp()
    await agreeThat({})
  })
})
