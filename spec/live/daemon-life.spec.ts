// The life of the daemon beside real databases: how it ends, what it reads again, what it remembers.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { switchable } from '../support/stories/switching.js'
import { eventually } from '../support/wait.js'

interface SettingView {
  readonly name: string
  readonly value: unknown
  readonly origin: string
  readonly immutable: boolean
}

/** Ends the daemon and starts it again; resolves when it has seen every server. */
async function restart({ manager }: ProtectedCluster, between: () => void = () => undefined): Promise<void> {
  expect(await manager.end('SIGTERM')).to.equal(0)
  between()
  manager.start()
  await manager.alive()
}

const setting = async ({ manager }: ProtectedCluster, name: string): Promise<SettingView | undefined> =>
  (await manager.get<readonly SettingView[]>('/api/clusters/story/settings?detail=true')).find(
    (one) => one.name === name,
  )

// An end that takes more than 30 s is cut short by the daemon itself, with status 1.
describe('the daemon, asked to end', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'failover-mode': 'manual' } })
  })
  after(() => cluster?.destroy())

  afterEach(async () => {
    for (const node of cluster.nodes) node.resume()
    cluster.manager.start()
    await cluster.manager.alive()
    await cluster.ready()
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends by ${signal} while every database hangs`, async () => {
      for (const node of cluster.nodes) node.pause()
      await cluster.opens('WARN0171')
      const reads = cluster.nodes.map((_, index) => readOf(cluster, index))
      expect(await cluster.manager.end(signal)).to.equal(0)
      await Promise.all(reads)
    })

  it('ends while a switchover waits for its candidate, and the next start leaves one writer', async () => {
    const primary = await cluster.primary()
    const [candidate] = cluster.nodes.filter((node) => node !== primary)
    if (!candidate) throw new Error('there is no candidate')
    const prefmaster = `127.0.0.1:${candidate.port}`
    await switchable(cluster, candidate)
    await candidate.sql('LOCK TABLES spec.acknowledged READ')
    await primary.sql('INSERT INTO spec.acknowledged VALUES (1, 0)')
    const url = `/api/clusters/story/actions/switchover?wait=false&prefmaster=${prefmaster}`
    expect((await cluster.manager.post(url)).status).to.equal(200)
    await eventually(async () => (await primary.value('SELECT @@read_only')) === '1', 'the primary is closed')
    expect(await cluster.manager.end('SIGTERM')).to.equal(0)
    await candidate.sql('UNLOCK TABLES')
    cluster.manager.start()
    await cluster.manager.alive()
    await cluster.ready()
    await cluster.convergesOn(await cluster.primary())
    await cluster.manager.end('SIGKILL')
  })
})

/** A read that goes to the database and is cut off by the end. */
const readOf = (cluster: ProtectedCluster, index: number): Promise<unknown> =>
  cluster.manager.session.call('GET', `/api/clusters/story/servers/127.0.0.1:${cluster.nodes[index]?.port}/variables`)

describe('the daemon, asked to read its configuration again', () => {
  let cluster: ProtectedCluster
  let all: string
  before(async () => {
    cluster = await startProtectedCluster({ settings: { 'failover-mode': 'manual', 'failover-limit': 3 } })
    all = cluster.nodes.map(({ host, port }) => `${host}:${port}`).join(',')
  })
  after(() => cluster?.destroy())

  /** Changes a line of the configuration file and sends SIGHUP; resolves with what the log says of it. */
  async function reload(line: RegExp, by: string): Promise<string> {
    const { manager } = cluster
    const text = readFileSync(manager.configFile, 'utf8')
    expect(text).to.match(line)
    writeFileSync(manager.configFile, text.replace(line, by))
    const before = manager.log().length
    manager.signal('SIGHUP')
    const said = () => manager.log().slice(before)
    await eventually(() => /settings-(reloaded|kept)/.test(said()), 'the log says what came of it')
    return said()
  }

  it('forgets a server that the file has lost, and watches one that it has got', async () => {
    const [primary, replica] = cluster.nodes
    await reload(/db-servers-hosts = .*/, `db-servers-hosts = "127.0.0.1:${primary?.port},127.0.0.1:${replica?.port}"`)
    const states = async () => (await cluster.servers()).map(({ state }) => state).sort()
    await eventually(async () => (await states()).join() === 'Master,Slave', 'one server is gone, the others are well')
    await reload(/db-servers-hosts = .*/, `db-servers-hosts = "${all}"`)
    await cluster.ready()
    await eventually(async () => (await states()).join() === 'Master,Slave,Slave', 'it is watched again')
  })

  it('takes other values at once', async () => {
    await reload(/failover-limit = 3/, 'failover-limit = 7')
    expect(await setting(cluster, 'failover-limit')).to.include({ value: 7, origin: 'file', immutable: true })
  })

  it('keeps what it runs on when the file has faults, and logs each', async () => {
    const said = await reload(/failover-limit = 7/, 'failover-limit = "many"\nfailover-mod = "automatic"')
    expect(said).to.contain('settings-kept').and.contain('did you mean failover-mode?').and.contain('failover-limit')
    expect(await setting(cluster, 'failover-limit')).to.include({ value: 7 })
    await reload(/failover-limit = "many"\nfailover-mod = "automatic"/, 'failover-limit = 7')
  })

  it('takes a new cluster and lets go of one that is no longer there', async () => {
    appendFileSync(cluster.manager.configFile, '[second]\ndb-servers-hosts = "127.0.0.1:1"\n')
    await reload(/failover-limit = 7/, 'failover-limit = 8')
    const names = async () => (await cluster.manager.get<{ clusters: string[] }>('/api/monitor')).clusters.sort()
    expect(await names()).to.deep.equal(['second', 'story'])
    await reload(/\[second\]\n.*\n/, '')
    expect(await names()).to.deep.equal(['story'])
    expect((await cluster.explain()).primary).to.not.equal(undefined)
  })
})

describe('the daemon, started again', () => {
  let cluster: ProtectedCluster
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, settings: { 'failover-mode': 'manual' } })
  })
  after(() => cluster?.destroy())

  const set = async (name: string, value: string): Promise<SettingView> => {
    const { status, body } = await cluster.manager.post(
      `/api/clusters/story/settings/actions/set/${name}/${encodeURIComponent(value)}`,
    )
    expect(status, body).to.equal(200)
    return JSON.parse(body) as SettingView
  }

  const replica = () => {
    const node = cluster.nodes[1]
    if (!node) throw new Error('there is no replica')
    return node
  }
  const states = async () => (await cluster.servers()).map(({ state }) => state).join()
  const maintenance = async (verb: 'set' | 'del') => {
    const url = `/api/clusters/story/servers/127.0.0.1:${replica().port}/actions/${verb}-maintenance`
    expect((await cluster.manager.post(url)).status).to.equal(200)
  }

  /** The line of the log on a changed setting. The log is written beside the answer, not before it. */
  async function logged(name: string): Promise<string> {
    const line = () =>
      cluster.manager
        .log()
        .split('\n')
        .find((one) => one.includes('setting-changed') && one.includes(name)) ?? ''
    await eventually(() => line() !== '', `the log names ${name}`)
    return line()
  }

  it('has the settings that were changed at run time, but not those that the file gives', async () => {
    await maintenance('set')
    expect((await cluster.manager.post('/api/clusters/actions/add/later')).status).to.equal(200)
    expect(await set('failover-max-slave-delay', '17')).to.include({ origin: 'saved', immutable: false })
    expect(await set('failover-mode', 'automatic')).to.include({ origin: 'runtime', immutable: true })
    expect(await logged('failover-mode')).to.contain('"until":"restart"')
    expect(await logged('failover-max-slave-delay')).to.not.contain('"until"')
    expect(await setting(cluster, 'failover-mode')).to.include({ value: 'automatic' })
    await restart(cluster)
    expect(await setting(cluster, 'failover-max-slave-delay')).to.include({ value: 17, origin: 'saved' })
    expect(await setting(cluster, 'failover-mode')).to.include({ value: 'manual', origin: 'file' })
  })

  it('watches the clusters that were added at run time', async () => {
    const clusters = await cluster.manager.get<readonly { name: string; dbServers: unknown }[]>('/api/clusters')
    expect(clusters.map(({ name }) => name).sort()).to.deep.equal(['later', 'story'])
  })

  it('has every server in the maintenance it was in', async () => {
    await eventually(async () => (await cluster.stateOf(replica())) === 'Maintenance', 'the replica is in maintenance')
  })

  it('reports which settings hold until restart only', async () => {
    await set('failover-mode', 'automatic')
    await cluster.opens('WARN0102')
    await restart(cluster)
    // Nothing is open before the cluster is judged.
    await eventually(async () => (await states()) === 'Master,Maintenance', 'every server is seen')
    expect(await cluster.alerts()).to.not.include('WARN0102')
  })

  it('logs to a file as well, and opens no API port, when configured so', async () => {
    const { manager } = cluster
    const file = path.join(manager.directory, 'logs/copy.log')
    await manager.end('SIGTERM')
    manager.start(`--log-file=${file}`, '--log-file-level=3', '--api-server=false')
    const answers = (port: number) =>
      fetch(`http://127.0.0.1:${port}/api/status`).then(
        ({ ok }) => ok,
        () => false,
      )
    await eventually(() => answers(manager.httpPort), 'the HTTP port answers')
    expect(await answers(manager.apiPort)).to.equal(false)
    expect(await manager.end('SIGTERM')).to.equal(0)
    expect(readFileSync(file, 'utf8')).to.contain('manager-started').and.contain('manager-stopping')
    manager.start()
    await manager.alive()
  })

  it('goes on with the copy of saved settings that were cut off, and says so until they are sound', async () => {
    const { manager } = cluster
    const file = path.join(manager.dataDirectory, 'story/story.toml')
    await set('failover-max-slave-delay', '18')
    await set('failover-max-slave-delay', '19')
    await restart(cluster, () => writeFileSync(file, '[saved-story'))
    await cluster.opens('WARN0302')
    expect(await setting(cluster, 'failover-max-slave-delay')).to.include({ value: 18, origin: 'saved' })
    await set('failover-max-slave-delay', '19')
    expect((await manager.post('/api/clusters/story/settings/actions/reload')).status).to.equal(200)
    await cluster.closes('WARN0302')
  })

  it('goes on with the copy of a state file that was cut off, and says so', async () => {
    const [primary] = cluster.nodes
    const file = path.join(cluster.manager.dataDirectory, 'story/state.json')
    await restart(cluster, () => {
      expect(existsSync(`${file}.old`)).to.equal(true)
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.slice(0, text.length / 2))
    })
    await cluster.opens('WARN0301')
    await eventually(async () => (await cluster.stateOf(replica())) === 'Maintenance', 'the copy is in force')
    expect(await cluster.primary()).to.equal(primary)
    await maintenance('del')
    await restart(cluster)
    await cluster.ready()
    expect(await cluster.alerts()).to.not.include('WARN0301')
  })
})
