// A cluster that takes no writes, or could not after one more death, is an error on every surface that scripts and people ask.
import { expect } from 'chai'
import type { Node } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { eventually } from '../support/wait.js'

describe('A cluster that cannot take writes', () => {
  let cluster: ProtectedCluster
  let client: Client
  let primary: Node
  let replica: Node

  before(async () => {
    cluster = await startProtectedCluster({ count: 2 })
    client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
    await cluster.ready()
    primary = await cluster.primary()
    replica = cluster.nodes.find((node) => node !== primary) as Node
  })
  after(() => cluster?.destroy())

  /** What each command says, until its exit status and its output are these. */
  const ends = async (words: readonly string[], status: number, pattern: RegExp) => {
    let last = ''
    await eventually(
      async () => {
        const outcome = await client.run(...words)
        last = `${outcome.status}: ${outcome.stdout}${outcome.stderr}`
        return outcome.status === status && pattern.test(outcome.stdout)
      },
      () => `manager-cli ${words.join(' ')} ends with ${status} and ${pattern}: ${last}`,
    )
  }
  const switchTo = async (setting: string, value: string) =>
    expect(
      (await cluster.manager.post(`/api/clusters/story/settings/actions/set/${setting}`, { value })).status,
    ).to.equal(200)
  const errors = async () => {
    const text = await await cluster.manager.session.call('GET', '/api/prometheus', { anonymous: true })
    const line = text.ok
      ? text.value.body.split('\n').find((one) => /^manager_cluster_findings\{.*severity="error"/.test(one))
      : undefined
    return Number(line?.split(' ').at(-1))
  }

  it('is no error while all is well', async () => {
    await ends(['status'], 0, /^running\n$/)
    await ends(['status', '--cluster', 'story'], 0, /^running\n$/)
    await ends(['check', 'cluster', '--nagios'], 0, /^OK - story is (healthy|degraded).*\| errors=0;;0 warnings=\d+/)
  })

  it('is no error while the only replica restarts', async () => {
    const before = cluster.manager.log().length
    await replica.stop()
    await cluster.opens('WARN0171')
    replica.start()
    await replica.waitUp()
    await cluster.closes('WARN0171')
    await cluster.ready()
    await cluster.probed(replica, 3)
    const since = cluster.manager.log().slice(before)
    expect(since).to.include('WARN0171')
    expect(since).to.not.include('ERR00192')
    await ends(['check', 'cluster', '--nagios'], 0, /^OK - story is (healthy|degraded)/)
  })

  it('is an error where no server could take over', async () => {
    await replica.sql('STOP SLAVE SQL_THREAD')
    await cluster.opens('ERR00192')
    await ends(['status'], 1, /^running\nstory: \w+\. ERR/)
    await ends(['status', '--cluster', 'story'], 1, /^errors\n$/)
    await ends(['check', 'cluster'], 1, /^CRITICAL: story is broken/)
    await ends(['check', 'cluster', '--nagios'], 2, /^CRITICAL - story is broken: .* errors=[1-9]/)
    await eventually(async () => (await errors()) > 0, 'the metric counts an error')
    await replica.sql('START SLAVE')
    await cluster.closes('ERR00192')
    await ends(['status'], 0, /^running\n$/)
  })

  it('is none where the only replica was put into maintenance: that was meant', async () => {
    const view = await cluster.viewOf(replica)
    const target = `/api/clusters/story/servers/${view?.host}:${view?.port}/actions/`
    expect((await cluster.manager.post(`${target}set-maintenance`)).status).to.equal(200)
    await eventually(async () => (await cluster.stateOf(replica)) === 'Maintenance', 'it is in maintenance')
    expect(await cluster.alerts()).to.not.include('ERR00192')
    expect((await cluster.manager.post(`${target}del-maintenance`)).status).to.equal(200)
    await cluster.ready()
  })

  it('is an error where the primary was set read-only by hand', async () => {
    await primary.sql('SET GLOBAL read_only = ON')
    await cluster.opens('ERR00191')
    await ends(['status', '--cluster', 'story'], 1, /^errors\n$/)
    await ends(['check', 'cluster', '--nagios'], 2, /^CRITICAL - story is down: no primary takes writes/)
    await primary.sql('SET GLOBAL read_only = OFF')
    await cluster.closes('ERR00191')
  })

  it('is an error where the primary is dead and the cluster is only observed, and explain begins with reason and command', async () => {
    await switchTo('monitoring-observe', 'true')
    await cluster.opens('WARN0350')
    await primary.kill()
    await cluster.opens('ERR00191')
    await ends(['status'], 1, /^running\nstory: down\. ERR/)
    await ends(['check', 'cluster', '--nagios'], 2, /^CRITICAL - story is down/)
    await ends(
      ['explain'],
      0,
      /^No failover although \S+ is dead: The cluster is only observed[\s\S]*\nNext: manager-cli failover --plan\n/,
    )
    await switchTo('failover-mode', 'manual')
    await switchTo('monitoring-observe', 'false')
    await cluster.opens('ERR00002')
    await ends(['status'], 1, /^running\nstory: down\. ERR/)
    await ends(
      ['explain'],
      0,
      /^No failover although \S+ is dead: [\s\S]*failover-mode[\s\S]*\nNext: manager-cli failover --plan\n/,
    )
  })

  it('is UNKNOWN for a plugin that does not reach the manager', async () => {
    const nowhere = new Client({ port: 1, user: 'admin', password: 'x' })
    const { status, stdout, stderr } = await nowhere.run('check', 'cluster', '--nagios')
    expect([status, stderr]).to.deep.equal([3, ''])
    expect(stdout).to.match(/^UNKNOWN - /)
  })
})
