// A manager that is killed while an action has stopped replication: the next one starts it, and only what was stopped so.
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { caughtUp } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, sourceOf, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { end } from '../support/stories/story.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const C = '/api/clusters/story'

describe('a manager that is killed while an action has stopped replication', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ count: 4, settings: { 'failover-mode': 'manual' } })
  })
  after(() => end(cluster))

  const node = (index: number): Node => cluster.databases.node(index)
  const S = (index: number): string => `${C}/servers/127.0.0.1:${node(index).port}/actions`
  const isNow = (index: number, threads: string) =>
    eventually(
      async () => (await sourceOf(node(index))) === `${node(0).port} ${threads}`,
      () => `the threads of ${node(index).name} are ${threads}\n${cluster.manager.log().slice(-3_000)}`,
    )
  const writes = (entry: number) => node(0).sql('INSERT INTO spec.acknowledged VALUES (0, ?)', entry)

  it('starts the followers of a server whose binary log was about to be reset, and none that a person stopped', async () => {
    const admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    // The last follower cannot apply what the first one has applied, so the reset waits for it, having stopped the first.
    const holder = unwrap(await openSession(node(3).target()))
    unwrap(await holder.run('FLUSH TABLES WITH READ LOCK', [], PATIENCE_MS))
    await writes(1)
    await caughtUp(node(0), node(1))
    await caughtUp(node(0), node(2))
    expect(await admin.line(`${S(1)}/stop-slave`)).to.match(/^200 /)
    await isNow(1, 'No No')
    const asked = admin.ask(`${S(0)}/reset-master?force=true`, { method: 'POST' }).catch(() => undefined)
    await isNow(2, 'No No')
    await cluster.manager.end('SIGKILL')
    await asked
    holder.close()
    expect(await sourceOf(node(2))).to.equal(`${node(0).port} No No`)
    cluster.manager.start()
    await cluster.manager.alive()
    await isNow(2, 'Yes Yes')
    await isNow(3, 'Yes Yes')
    await writes(2)
    await caughtUp(node(0), node(2))
    await caughtUp(node(0), node(3))
    expect(await sourceOf(node(1))).to.equal(`${node(0).port} No No`)
    await eventually(
      () => cluster.manager.log().includes('is not replicating since an operation on it was interrupted'),
      'the log names what was interrupted',
    )
  })
})
