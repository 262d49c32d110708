// What operators do with the client before they work on a server: check, relocate, drain, pause, resume.
import { expect } from 'chai'
import type { Node } from '../support/databases/node.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

describe('the client of an operator', function () {
  this.timeout(300_000)
  let cluster: ProtectedCluster
  let client: Client

  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'replication-multi-tier-slave': true } })
    client = new Client({
      port: cluster.manager.apiPort,
      user: 'admin',
      environment: cluster.manager.clientEnvironment(),
    })
  })
  after(() => cluster?.destroy())

  const address = ({ host, port }: Node): string => `${host}:${port}`
  const replicas = async (): Promise<readonly Node[]> => {
    const primary = await cluster.primary()
    return cluster.nodes.filter((node) => node !== primary)
  }

  it('checks the servers before they are needed, and ends with another status when one is not ready', async () => {
    let checked = await client.run('check', 'servers')
    // Not every server has been probed slowly yet, perhaps.
    await eventually(
      async () => {
        checked = await client.run('check', 'servers')
        return checked.status === 0
      },
      () => `every server is ready\n${checked.stdout}`,
    )
    expect(checked.stdout)
      .to.contain('story is ready.')
      .and.match(/cluster +failover +ok +\S+ would take over/)
    const [one] = await replicas()
    await one?.sql('STOP SLAVE')
    await eventually(async () => (await client.run('check', 'servers')).status === 3, 'a stopped replica is named')
    await one?.sql('START SLAVE')
    await eventually(async () => (await client.run('check', 'servers')).status === 0, 'it is ready again')
  })

  it('relocates a replica below another one, shows the tree, and moves it back', async () => {
    const [upper, lower] = await replicas()
    const primary = await cluster.primary()
    if (!upper || !lower) throw new Error('there are two replicas')
    const planned = await client.run('relocate', address(lower), '--to', address(upper), '--plan')
    expect(planned.stdout).to.contain('Nothing was changed.')
    const { status, stdout, stderr } = await client.run('relocate', address(lower), '--to', address(upper))
    expect(status, stderr).to.equal(0)
    expect(stdout).to.match(new RegExp(`^ {3}└─ ${address(lower)} |^│ {2}└─ ${address(lower)} `, 'm'))
    const [row] = await lower.sql('SHOW SLAVE STATUS')
    expect(Number(row?.Master_Port)).to.equal(upper.port)
    expect((await client.run('relocate', address(primary), '--to', address(upper))).stderr).to.contain('is the primary')
    expect((await client.run('relocate', address(lower), '--to', address(primary))).status).to.equal(0)
  })

  it('drains the primary: the role moves first, then no statement of a client is left on it', async () => {
    const primary = await cluster.primary()
    await switchable(cluster)
    const { status, stderr } = await client.run('drain', address(primary), '--yes')
    expect(stderr).to.contain('is in maintenance').and.contain('is drained')
    expect(status).to.equal(0)
    expect(await cluster.primary()).not.to.equal(primary)
    expect((await client.run('drain', address(primary), '--end')).stderr).to.contain('in service again')
  })

  it('pauses a cluster and resumes it, and says how long a change holds', async () => {
    const paused = await client.run('pause')
    expect(paused.stdout).to.contain('story is paused').and.contain('monitoring-pause is true now')
    expect((await client.run('topology')).stdout).to.contain('failover automatic, paused')
    expect((await client.run('explain')).stdout).to.contain('nothing would take over automatically')
    expect((await client.run('resume')).stdout).to.contain('is not paused')
  })
})
