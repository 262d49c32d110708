// The client on a real cluster: what people see and do, and how scripts learn what came of it.
import { expect } from 'chai'
import type { TopologyReport } from '../../bin/cli/command/read/topology.js'
import type { Preview } from '../../lib/model/operation/preview.js'
import type { FailoverVerdict } from '../../lib/model/verdict.js'
import { Client } from '../support/http/client.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { eventually } from '../support/wait.js'

describe('manager-cli on a cluster', () => {
  let cluster: ProtectedCluster
  let client: Client

  before(async () => {
    cluster = await startProtectedCluster()
    client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
  })
  after(() => cluster.destroy())

  const states = async () => {
    const { servers } = await client.json<TopologyReport>('topology')
    return Object.fromEntries(servers.map(({ port, state }) => [port, state]))
  }
  const addressOf = ({ port }: { readonly port: number }) => `127.0.0.1:${port}`

  it('shows who is the primary and who follows', async () => {
    const [primary, ...replicas] = cluster.nodes
    const { stdout } = await client.run('topology')
    expect(stdout).to.match(/^story {2}master-slave, failover automatic\n/)
    expect(stdout).to.match(new RegExp(`^127.0.0.1:${primary?.port} +Master +OFF `, 'm'))
    // The first probes may have seen them catch up.
    for (const { port } of replicas)
      await eventually(
        async () => new RegExp(`^127.0.0.1:${port} +Slave +ON +0 s `, 'm').test((await client.run('topology')).stdout),
        `${port} is shown without a delay`,
      )
  })

  it('explains why nothing happens, and what would be lost', async () => {
    const { stdout } = await client.run('explain')
    expect(stdout)
      .to.match(/^Would fail over now: no\. The primary \S+ is healthy\.\n/)
      .and.match(/^Loss: .+/m)
    const verdict = await client.json<FailoverVerdict>('explain')
    expect(verdict.ranking.filter(({ eligible }) => eligible)).to.have.length(2)
  })

  it('plans a switchover and changes nothing', async () => {
    const before = await states()
    const plan = await client.json<Preview>('switchover', '--plan')
    expect(plan).to.deep.include({ kind: 'switchover', possible: true })
    expect(plan.steps.length).to.be.greaterThan(3)
    expect(await states()).to.deep.equal(before)
  })

  it('refuses a failover while the primary lives, and ends with 3', async () => {
    const before = await states()
    const { status, stderr } = await client.run('failover')
    expect(status, stderr).to.equal(3)
    expect(stderr).to.contain('switchover')
    expect(await states()).to.deep.equal(before)
  })

  it('switches over to the server named, and shows the steps on a terminal', async () => {
    const old = await cluster.primary()
    const target = cluster.nodes.find((node) => node !== old)
    if (!target) throw new Error('a cluster has replicas')
    const { status, stdout } = await client.startOnTerminal('switchover', '--to', addressOf(target)).ended
    expect(status, stdout).to.equal(0)
    expect(stdout).to.match(
      /Switchover begins.*Switchover succeeded after \d+ ms \(writes were blocked for \d+ ms\).*story/s,
    )
    await cluster.convergesOn(target)
  })

  /** Programs that go on until they are ended: a story that fails leaves none behind, which would hold up the run. */
  const endless: ReturnType<typeof client.start>[] = []
  const startEndless = (...args: readonly string[]) => {
    const running = client.start(...args)
    endless.push(running)
    return running
  }
  afterEach(() => {
    for (const { child } of endless.splice(0)) child.kill('SIGKILL')
  })

  it('watches a switchover as it happens', async () => {
    const old = await cluster.primary()
    const watcher = startEndless('topology', '--watch', '--interval', '0.2')
    const listener = startEndless('events', '--output', 'json')
    await Promise.all([watcher.said(`127.0.0.1:${old.port}`), listener.said('Events of story from now on')])
    await eventually(async () => (await client.run('switchover')).status === 0, 'the switchover is done')
    const primary = await cluster.movedFrom(old)
    for (const text of ['Switchover succeeded', '"kind":"primary"']) await listener.said(text)
    await eventually(async () => (await states())[primary.port] === 'Master', 'the new primary is shown')
    for (const running of [watcher, listener]) running.child.kill('SIGINT')
    const [watched, heard] = await Promise.all([watcher.ended, listener.ended])
    expect([watched.status, heard.status]).to.deep.equal([130, 130])
    expect(watched.stdout).to.match(new RegExp(`^127.0.0.1:${old.port} +Master `, 'm'))
    const kinds = heard.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind)
    expect(kinds).to.include.members(['operation', 'step', 'primary'])
  })

  it('reads and acts by noun and verb, on servers as people name them', async () => {
    const primary = await cluster.primary()
    const replica = cluster.nodes.find((node) => node !== primary)
    if (!replica) throw new Error('a cluster has replicas')
    const hosts = await client.json<string[]>('server', 'list', '--query', 'sort([].port)')
    expect(hosts).to.deep.equal(cluster.nodes.map(({ port }) => String(port)).toSorted())
    const variables = await client.run(
      'server',
      'variables',
      addressOf(primary),
      '--query',
      "[?variableName=='PORT'].value",
    )
    expect(variables.stdout, variables.stderr).to.equal(`${primary.port}\n`)
    expect((await client.run('server', 'set-maintenance', addressOf(replica))).status).to.equal(0)
    const seen = await client.run('wait', '--for', `state=${addressOf(replica)}:Maintenance`, '--timeout', '2m')
    expect(seen.status, seen.stderr).to.equal(0)
    expect((await client.run('server', 'del-maintenance', addressOf(replica))).status).to.equal(0)
    const back = await client.run('wait', '--for', `healthy=${addressOf(replica)}`, '--timeout', '2m')
    expect(back.status, back.stderr).to.equal(0)
  })

  it('refuses without a terminal what loses something, and names the nearest of a server that there is not', async () => {
    const { port } = await cluster.primary()
    expect((await client.run('server', 'reset-master', `127.0.0.1:${port}`)).status).to.equal(3)
    const unknown = await client.run('server', 'start-slave', `127.0.0.1:${port}0`)
    expect([unknown.status, unknown.stderr]).to.match(/^5,.*Did you mean 127\.0\.0\.1:\d+\?/s)
  })

  it('changes a setting, and waits for a switchover by name', async () => {
    const changed = await client.json<{ value: number }>('setting', 'set', 'failover-limit', '7')
    expect(changed.value).to.equal(7)
    const old = await cluster.primary()
    const target = cluster.nodes.find((node) => node !== old)
    if (!target) throw new Error('a cluster has replicas')
    const waiting = client.start(
      'wait',
      '--for',
      `primary=${addressOf(target)}`,
      '--for',
      'operation',
      '--timeout',
      '5m',
    )
    const moves = async () => (await client.run('switchover', '--to', addressOf(target))).status === 0
    await eventually(moves, 'the switchover is done')
    const { status, stderr } = await waiting.ended
    expect(status, stderr).to.equal(0)
    await cluster.convergesOn(target)
  })

  it('shows the cluster on a full screen', async () => {
    const old = await cluster.primary()
    const running = client.startConsole()
    await running.said(`127.0.0.1:${old.port}`)
    running.child.stdin?.write('x')
    await running.said('Would it fail over now?')
    running.child.stdin?.write('q')
    const { stdout } = await running.ended
    expect(stdout).to.contain('status 0').and.contain('terminal as before')
  })

  it('gives everything of the cluster as one document', async () => {
    const { clusters } = await client.json<{ clusters: Record<string, unknown>[] }>('show')
    expect(clusters).to.have.length(1)
    expect(clusters[0]).to.include.keys('Name', 'settings', 'servers', 'master', 'slaves', 'crashes', 'alerts')
    expect(JSON.stringify(clusters)).not.to.contain('spec-password')
  })
})
