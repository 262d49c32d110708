// What the client shows, as people and scripts run it, against a real gateway over a scripted manager.
import { expect } from 'chai'
import { parse } from 'yaml'
import { failures } from '../../../lib/base/failures.js'
import { CliWorld } from '../../support/http/cli-world.js'

describe('manager-cli: topology', () => {
  const world = CliWorld.forSuite()

  it('shows the servers of the only cluster', async () => {
    const { status, stdout, stderr } = await world.client.run('topology')
    expect([status, stderr]).to.deep.equal([0, ''])
    const [head = '', titles = '', ...servers] = stdout.trimEnd().split('\n')
    expect(head).to.match(/^demo {2}master-slave, failover /)
    expect(titles).to.match(/^SERVER +STATE +RO +LAG +SEMI +FAILS +GTID +NOTES$/)
    expect(servers[0]).to.match(/^db1:3306 +Master +OFF +- +source +0 +0-1-150 +Master OK$/)
    expect(servers[1]).to.match(/^db2:3306 +Slave +ON +0 s /)
  })

  it('writes no colours without a terminal', async () => {
    expect((await world.client.run('topology')).stdout).not.to.contain('\u001b')
  })

  it('gives the same as JSON and as YAML', async () => {
    const json = await world.client.json<{ servers: { id: string }[] }>('topology')
    const { stdout } = await world.client.run('topology', '--output', 'yaml')
    expect(json.servers.map(({ id }) => id)).to.include('db1')
    expect(parse(stdout)).to.deep.equal(json)
  })

  it('asks which cluster is meant where there are several', async () => {
    world.face.names.add('shop')
    const { status, stderr } = await world.client.run('topology')
    expect([status, stderr]).to.deep.equal([2, 'name one with --cluster: demo, shop\n'])
    expect((await world.client.run('topology', '--cluster', 'demo')).status).to.equal(0)
  })
})

describe('manager-cli: status', () => {
  const world = CliWorld.forSuite()

  it('needs no login', async () => {
    const nobody = world.as('nobody-at-all', undefined)
    const { stderr, ...rest } = await nobody.run('status')
    expect(rest).to.deep.equal({ status: 0, stdout: 'running\n' })
    expect(stderr).to.match(/^Without a login the clusters are not seen: /)
    expect(JSON.parse((await nobody.run('status', '--output', 'json')).stdout)).to.include.keys('alive', 'unseen')
    expect((await world.client.run('status')).stderr).to.equal('')
    expect((await nobody.run('status', '--cluster', 'demo')).stdout).to.match(/^(running|errors)\n$/)
  })

  it('lists open errors and warnings where asked', async () => {
    const report = await world.client.json<{ alerts: Record<string, unknown> }>('status', '--with-errors')
    expect(report.alerts).to.have.nested.property('demo.warnings').that.is.an('array')
  })
})

describe('manager-cli: names that there are not', () => {
  const world = CliWorld.forSuite()

  it('are answered with the nearest ones', async () => {
    expect((await world.client.run('--cluster', 'dmo', 'topology')).stderr).to.contain('Did you mean demo?')
    expect((await world.client.run('--cluster', 'warehouse', 'topology')).stderr).to.contain('There are demo.')
    expect((await world.client.run('server', 'lst')).status).to.equal(2)
  })
})

describe('manager-cli: explain', () => {
  const world = CliWorld.forSuite()

  it('answers, with every rule and the candidate by name', async () => {
    const { status, stdout } = await world.client.run('explain')
    expect(status).to.equal(0)
    expect(stdout).to.match(/^Would fail over now: no\. The primary db1 is healthy\.\n/)
    expect(stdout).to.match(/\nRULE +STATE +VALUE +LIMIT +AGE +DETAIL\n/)
  })
})

describe('manager-cli: show', () => {
  const world = CliWorld.forSuite()

  it('gives what is asked for of every cluster, by topic', async () => {
    const { stdout } = await world.client.run('show', '--get', 'servers,alerts')
    const { clusters } = JSON.parse(stdout) as { clusters: Record<string, unknown>[] }
    expect(clusters.map((cluster) => Object.keys(cluster))).to.deep.equal([['Name', 'servers', 'alerts']])
  })

  it('refuses a topic there is not', async () => {
    const { status, stderr } = await world.client.run('show', '--get', 'servers,moon')
    expect(status).to.equal(2)
    expect(stderr).to.contain('moon: expected some of clusters, settings,')
  })
})

describe('manager-cli: api', () => {
  const world = CliWorld.forSuite()

  it('prints the body as it is received', async () => {
    const { stdout } = await world.client.run('api', '--url', '/api/clusters/demo/topology/servers')
    expect(stdout).to.equal(world.face.views.get('demo/servers')?.bytes.toString())
  })

  it('takes a whole address, which stands before host and port', async () => {
    const elsewhere = world.as('admin', 'repman', { MANAGER_PORT: '1' })
    const url = `https://127.0.0.1:${world.gateway.gateway.apiPort}/api/status`
    expect((await elsewhere.run('api', '--url', url)).stdout).to.equal('{"alive":"running"}')
  })

  it('sends method and body', async () => {
    const url = '/api/clusters/demo/actions/switchover'
    await world.client.run('api', '--url', url, '--method', 'POST', '--data', '{"prefmaster":"db2"}')
    expect(world.face.calls.find(({ name }) => name === 'switchover')?.given).to.deep.include({ candidate: 'db2' })
  })

  it('prints why it was refused', async () => {
    const { status, stdout, stderr } = await world.client.run('api', '--url', '/api/nowhere')
    expect([status, stdout]).to.deep.equal([5, ''])
    expect(stderr).to.contain(failures['unknown-route'].hint)
  })

  for (const words of [
    ['--data', '{half'],
    ['--url', 'ftp://elsewhere'],
    ['--method', 'PATCH'],
  ])
    it(`refuses ${words.join(' ')}`, async () => {
      expect((await world.client.run('api', ...words)).status).to.equal(2)
    })
})
