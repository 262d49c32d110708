// Traffic on a real cluster, which follows the primary and leaves every node equal; and waiting for its databases.
import { expect } from 'chai'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end, expectWhole } from '../support/stories/story.js'
import { switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface Traffic {
  readonly on: boolean
  readonly written: number
  readonly failed: number
  readonly server?: string
}

describe('traffic and waiting', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, settings: { 'failover-mode': 'manual' } })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => end(cluster))

  const traffic = async (): Promise<Traffic> => (await admin.json<{ traffic: Traffic }>(C)).traffic
  const beats = async (node: Node): Promise<readonly [rows: number, last: number]> => {
    const [row] = await node
      .sql('SELECT COUNT(*) AS beats, MAX(written) AS last FROM manager_traffic.beats')
      .catch(() => [{ beats: 0, last: 0 }])
    return [Number(row?.beats), Number(row?.last)]
  }
  const grows = async (node: Node) => {
    const [, before] = await beats(node)
    await eventually(
      async () => (await beats(node))[1] > before,
      () => `traffic reaches ${node.name}`,
    )
  }

  it('waitdatabases answers at once when all is well', async () => {
    await eventually(async () => (await admin.line(`${C}/actions/waitdatabases?seconds=20`)) === '200 ', 'all is well')
    expect(await admin.line(`${C}/actions/waitdatabases`, { method: 'POST' })).to.equal('200 ')
    expect(await admin.line(`${C}/actions/waitdatabases?seconds=0`)).to.match(/^400 seconds/)
  })

  it('traffic is written to the primary and replicated, by GET and POST alike', async () => {
    expect(await admin.line(`${C}/actions/start-traffic`)).to.equal('200 ')
    for (const node of cluster.nodes) await grows(node)
    expect(await admin.line(`${C}/actions/start-traffic`, { method: 'POST' })).to.equal('200 ')
    await eventually(async () => (await traffic()).written > 0, 'the cluster object counts it')
    expect((await traffic()).on).to.equal(true)
  })

  it('traffic follows the primary through a switchover, and leaves no node with more than the others', async () => {
    const old = await cluster.primary()
    await switchOver(cluster)
    const next = await cluster.movedFrom(old)
    await grows(next)
    await grows(old)
    expect(await admin.line(`${C}/actions/stop-traffic`)).to.equal('200 ')
    await eventually(
      async () => /Traffic ends/.test(JSON.stringify(await admin.json(`${C}/topology/logs`))),
      'the traffic ends',
    )
    await expectWhole(cluster, next)
    await caughtUp(next, old)
    await eventually(async () => {
      const { on, written } = await traffic()
      return !on && written === (await beats(next))[1]
    }, 'what was written last is shown')
    await caughtUp(next, old)
    const [rows, last] = await beats(next)
    expect(rows).to.be.within(1, 100)
    expect(await beats(old)).to.deep.equal([rows, last])
  })

  it('waitdatabases names what is missing when its time is over, and answers once it is back', async () => {
    const primary = await cluster.primary()
    const replica = cluster.nodes.find((node) => node !== primary) as Node
    await replica.kill()
    await eventually(
      async () =>
        /^500 not within 1 s: .*does not answer/.test(await admin.line(`${C}/actions/waitdatabases?seconds=1`)),
      'the wait names the replica',
    )
    const waiting = admin.line(`${C}/actions/waitdatabases?seconds=120`)
    replica.start()
    await replica.waitUp()
    expect(await waiting).to.equal('200 ')
  })

  it('traffic goes on automatically on the new primary when the old one died', async () => {
    const old = await cluster.primary()
    const heir = cluster.nodes.find((node) => node !== old) as Node
    expect(await admin.line(`${C}/actions/start-traffic`)).to.equal('200 ')
    await grows(heir)
    await old.kill()
    await eventually(
      async () => (await cluster.manager.post(`${C}/actions/failover`)).status === 200,
      () => `the failover succeeds\n${cluster.manager.log().slice(-3_000)}`,
    )
    await grows(heir)
    expect(await admin.line(`${C}/actions/stop-traffic`)).to.equal('200 ')
  })
})
