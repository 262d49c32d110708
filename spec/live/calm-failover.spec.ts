// What people read of a failover that went well: nothing in it says that a healthy server is broken.
import { expect } from 'chai'
import type { TimelineEntry } from '../../lib/model/timeline.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end, load, progress } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('a failover that goes well', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ options: durable, settings: { 'failover-limit': 0 } })
  })
  after(() => end(cluster))

  const entries = async (): Promise<readonly TimelineEntry[]> =>
    (await cluster.manager.get<{ readonly entries: readonly TimelineEntry[] }>(`${C}/timeline?limit=500`)).entries

  it('shows no replica as broken in between, and names who asked for a switchover once', async () => {
    const old = await cluster.primary()
    const writers = load(cluster, { count: 2 })
    await progress(writers, 20)
    await old.kill()
    const next = await cluster.movedFrom(old)
    await progress(writers, 20)
    await writers.stop()
    const rest = cluster.nodes.filter((node) => node !== old && node !== next)
    for (const node of rest)
      await eventually(
        async () => (await cluster.stateOf(node)) === 'Slave',
        () => `${node.name} follows ${next.name}`,
      )
    const client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    expect((await client.run('switchover')).status).to.equal(0)
    await eventually(async () => {
      const begun = (await entries()).find(({ kind, code }) => kind === 'operation' && code === 'switchover')
      return begun?.until != null
    }, 'the switchover is in the timeline')
    const states = (await entries()).filter(({ kind }) => kind === 'state').map(({ text }) => text)
    expect(states.filter((text) => /SlaveErr/.test(text))).to.deep.equal([])
    const log = cluster.manager.log()
    expect(log).to.match(/Failover begins: /)
    expect(log).to.match(/Switchover begins, requested by admin"/)
    expect(log).to.not.match(/requested by admin: requested by|asked by admin/)
  })
})
