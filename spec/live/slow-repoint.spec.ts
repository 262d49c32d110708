// A story of a server that carries out the change of its source after the step of the switchover has ended: its disk is slow.
import { expect } from 'chai'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable, end, logLines } from '../support/stories/story.js'
import { SWITCHOVER, switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('an old primary whose disk is slow in a switchover', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ gated: true, options: durable })
  })
  after(() => end(cluster))

  it('gets its source after the step has ended, and is started by the manager, as the report says', async () => {
    const old = await cluster.primary()
    await switchable(cluster)
    const gate = cluster.gateTo(old)
    gate.beforeBytes = (bytes) => {
      if (!bytes.includes('CHANGE MASTER')) return
      gate.beforeBytes = () => undefined
      old.pause()
    }
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(200)
    expect(logLines(cluster, 'The manager continues to repair it')).to.have.length(1)
    old.resume()
    const next = await cluster.primary()
    expect(next).to.not.equal(old)
    const port = cluster.gateTo(next).port
    await eventually(
      async () => (await sourceOf(old)) === `${port} Yes Yes`,
      () => `it replicates from ${port}\n${cluster.manager.log().slice(-3_000)}`,
    )
  })
})
