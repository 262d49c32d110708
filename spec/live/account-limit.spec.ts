// The account of the manager may have too few sessions: said by all that promises the next change of the primary, before it is tried.
import { expect } from 'chai'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { durable } from '../support/stories/story.js'
import { SWITCHOVER, switchable, switchOver } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('an account of the manager with a limit of sessions', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ options: durable })
    await cluster.ready()
  })
  after(() => cluster?.destroy())

  /** A session keeps the limit that the account had when it logged in: a manager that starts has new ones. */
  const limitTo = async (sessions: number): Promise<void> => {
    const primary = await cluster.primary()
    await cluster.manager.end('SIGTERM')
    await primary.sql(`ALTER USER monitor@'127.0.0.1' WITH MAX_USER_CONNECTIONS ${sessions}`)
    cluster.manager.start()
    await cluster.manager.alive()
  }
  const read = async (path: string) => JSON.stringify(await cluster.manager.get(path))
  const explained = () => read('/api/clusters/story/failover/explain')
  const findings = () => read('/api/clusters/story/alerts')

  it('of one has no candidate, and explain says why', async () => {
    await limitTo(1)
    await eventually(async () => /one session at once/.test(await explained()), 'explain names the limit')
    await eventually(async () => (await findings()).includes('ERR00186'), 'the finding is open')
  })

  it('of two can fail over; a switchover is refused before anything changes', async () => {
    await limitTo(2)
    const plan = async () => (await cluster.manager.post(`${SWITCHOVER}?plan=true`)).body
    await eventually(
      async () => /2 sessions at once [^"]*a switchover needs 3/.test(await plan()),
      'the plan names the limit',
    )
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(409)
    const old = await cluster.primary()
    await old.kill()
    expect(await cluster.movedFrom(old)).to.not.equal(old)
    old.start()
    await old.waitUp()
    await cluster.ready()
  })

  it('of three can do both', async () => {
    await limitTo(3)
    await switchable(cluster)
    await switchOver(cluster)
    await eventually(async () => !(await findings()).includes('ERR00186'), 'the finding is closed')
  })
})
