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
  const limitTo = (sessions: number) => alter(`MAX_USER_CONNECTIONS ${sessions}`)
  const alter = async (limit: string): Promise<void> => {
    const primary = await cluster.primary()
    await cluster.manager.end('SIGTERM')
    await primary.sql(`ALTER USER monitor@'127.0.0.1' WITH ${limit}`)
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

  const C = '/api/clusters/story'
  const plan = async () => (await cluster.manager.post(`${SWITCHOVER}?plan=true`)).body

  it('whose password was changed keeps its sessions: a fresh login is refused, which is said, and no switchover begins', async () => {
    await switchable(cluster)
    const primary = await cluster.primary()
    const password = (of: string) => primary.sql(`ALTER USER monitor@'127.0.0.1' IDENTIFIED BY '${of}'`)
    await password('another')
    // Nothing was read since: the switchover itself logs in before its first change.
    const { status, body } = await cluster.manager.post(SWITCHOVER)
    expect(status, body).to.equal(409)
    expect(body).to.include('refuses a new session').and.include('error 1045').and.include('db-servers-credential')
    expect(await primary.value('SELECT @@read_only')).to.equal('0')
    await eventually(async () => (await findings()).includes('ERR00195'), 'the finding is open')
    expect(await plan()).to.include('refuses a new session')
    await eventually(async () => /But it refuses a new session/.test(await explained()), 'explain says it')
    const failable = async () => (await cluster.manager.get<{ isFailable: boolean }>(C)).isFailable
    await eventually(async () => !(await failable()), 'it is not failable')
    await password('monitor')
    await eventually(async () => !(await findings()).includes('ERR00195'), 'the finding is closed')
    await switchOver(cluster)
  })

  it('that may log in so many times an hour is not tried by the clock, which is said', async () => {
    await alter('MAX_CONNECTIONS_PER_HOUR 500')
    const open = () => read('/api/clusters/story/topology/alerts')
    await eventually(async () => /500 times an hour/.test(await open()), 'the finding names the limit')
    expect((await cluster.alerts()).filter((code) => code === 'ERR00195')).to.deep.equal([])
  })
})
