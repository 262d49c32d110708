// Clusters, servers and settings that come, go and change while the daemon runs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { eventually } from '../support/wait.js'

interface Member {
  readonly id: string
  readonly url: string
  readonly state: string
}

let cluster: ProtectedCluster
let others: Databases
let admin: ApiUser

const servers = (name: string) => admin.json<readonly Member[]>(`/api/clusters/${name}/topology/servers`)
const settings = (name: string) => admin.json<Readonly<Record<string, unknown>>>(`/api/clusters/${name}/settings`)
const post = (target: string) => admin.line(target, { method: 'POST' })

describe('the watch of a running daemon', () => {
  before(async () => {
    cluster = await startProtectedCluster({ count: 2 })
    others = await startDatabases({ count: 1, prefix: 'other' })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(async () => {
    await cluster?.destroy()
    await others?.teardown()
  })

  const port = () => others.node(0).port

  describe('of servers', () => {
    const C = '/api/clusters/story'

    for (const [add, drop] of [
      ['{host}/{port}', '/api/clusters/story/actions/dropserver/{id}'],
      ['{host}/{port}', '/api/clusters/story/actions/dropserver/{host}:{port}'],
      ['{host}/{port}', '/api/clusters/story/actions/dropserver/{host}/{port}'],
      ['{host}/{port}/mariadb', '/api/clusters/story/actions/dropserver/{host}/{port}/mariadb'],
      ['{host}/{port}', '/cluster/story/actions/dropserver/{host}/{port}'],
      ['{host}/{port}/mariadb', '/cluster/story/actions/dropserver/{host}/{port}/mariadb'],
    ] as const)
      it(`gets one more by addserver/${add} and loses it by ${drop}`, async () => {
        const fill = (text: string, id = '') =>
          text.replace('{host}', '127.0.0.1').replace('{port}', String(port())).replace('{id}', id)
        const adding = `${C}/actions/addserver/${fill(add)}`
        expect(await post(adding)).to.equal('200 {"msg":"Monitor added"}')
        expect(await post(adding)).to.equal('409 Error adding new monitor')
        await eventually(async () => (await servers('story'))[2]?.state === 'StandAlone', 'it is watched')
        expect((await settings('story')).dbServersHosts).to.contain(`127.0.0.1:${port()}`)
        const dropping = fill(drop, (await servers('story'))[2]?.id)
        expect(await post(dropping)).to.equal('200 Monitor dropped')
        expect(await servers('story')).to.have.lengthOf(2)
        expect(await post(dropping)).to.equal('500 Server Not Found')
        expect((await settings('story')).dbServersHosts).to.not.contain(`127.0.0.1:${port()}`)
      })

    it('gets none whose name has no address, unless forced, and the command line says how long it lasts', async () => {
      const adding = `${C}/actions/addserver/nosuch.invalid/3306`
      expect(await post(adding)).to.match(/^400 host: nosuch\.invalid does not resolve to an address; with force=true /)
      const client = new Client({ port: cluster.manager.apiPort, user: 'admin', password: 'spec-password' })
      const refused = await client.run('server', 'add', 'nosuch.invalid:3306')
      expect([refused.status, refused.stderr]).to.match(
        /^2,<host:port>: nosuch\.invalid does not resolve to an address; with --force /,
      )
      expect(await servers('story')).to.have.lengthOf(2)
      const added = await client.run('server', 'add', 'nosuch.invalid:3306', '--force')
      expect([added.status, added.stdout]).to.deep.equal([0, 'Monitor added\n'])
      expect(added.stderr).to.match(
        /config\.toml:\d+ gives another value: the change ends then\.\nTo keep it, write db-servers-hosts = /,
      )
      expect(await post(`${C}/actions/dropserver/nosuch.invalid/3306`)).to.equal('200 Monitor dropped')
    })

    it('gets a proxy of each type into the list by addserver, and loses it by dropserver', async () => {
      const proxies = () => admin.json<readonly { type: string; port: string }[]>(`${C}/topology/proxies`)
      for (const type of ['haproxy', 'proxysql', 'maxscale', 'sphinx']) {
        expect(await post(`${C}/actions/addserver/127.0.0.1/9399/${type}`)).to.equal('200 {"msg":"Monitor added"}')
        await eventually(
          async () => (await proxies()).some((proxy) => proxy.type === type && proxy.port === '9399'),
          `${type} is listed`,
        )
        expect(await post(`${C}/actions/dropserver/127.0.0.1/9399/${type}`)).to.equal('200 Monitor dropped')
        await eventually(async () => (await proxies()).every((proxy) => proxy.type !== type), `${type} is gone`)
      }
    })

    it('never loses the primary, nor takes what is no address', async () => {
      const { status, text } = await admin.ask(`${C}/actions/dropserver/127.0.0.1/${cluster.nodes[0]?.port}`)
      expect(status).to.equal(409)
      expect(text).to.contain('switch over first')
      expect((await admin.ask(`${C}/actions/addserver/127.0.0.1/99999`)).status).to.equal(400)
      expect((await admin.ask(`${C}/actions/addserver/127.0.0.1/3306/unknown`)).status).to.equal(400)
      expect(await servers('story')).to.have.lengthOf(2)
    })
  })

  describe('of clusters', () => {
    it('gets one more, fills it and lets it go, and the others do not notice', async () => {
      const before = await admin.json<{ uuid: string }>('/api/monitor')
      const spin = async () => Number((await admin.json<{ monitorSpin: string }>('/api/clusters/story')).monitorSpin)
      const spun = await spin()
      const added = await admin.json<{ name: string; dbServers?: unknown }>('/api/clusters/actions/add/shop', {
        body: { orchestrator: 'onpremise' },
      })
      expect(added.name).to.equal('shop')
      expect(await servers('shop')).to.deep.equal([])
      await admin.json('/api/clusters/shop/settings/actions/set/db-servers-credential', {
        body: { value: 'monitor:monitor' },
      })
      expect(await post(`/api/clusters/shop/actions/addserver/127.0.0.1/${port()}`)).to.equal(
        '200 {"msg":"Monitor added"}',
      )
      await eventually(async () => (await servers('shop'))[0]?.state === 'Master', 'its only server is the master')
      const file = path.join(cluster.manager.dataDirectory, 'shop/shop.toml')
      await eventually(() => readFileSync(file, 'utf8').includes(`127.0.0.1:${port()}`), 'the server is saved')

      expect(await admin.line('/api/clusters/actions/add/shop')).to.equal('400 Cluster already exists')
      expect((await admin.ask('/api/clusters/actions/add/no%20name')).status).to.equal(400)
      expect(
        await admin.line('/api/clusters/actions/add/other', {
          body: '{',
          headers: { 'content-type': 'application/json' },
        }),
      ).to.equal('400 Error in request')

      expect(await admin.line('/api/clusters/actions/delete/shop', { method: 'DELETE' })).to.equal('200 ')
      expect(await admin.line('/api/clusters/shop')).to.equal('500 No cluster')
      expect(await admin.line('/api/clusters/actions/delete/shop')).to.equal('400 Invalid cluster name')
      await eventually(() => !existsSync(file), 'its file is gone')
      expect(await others.node(0).value('SELECT 1')).to.equal('1')

      expect(await admin.json('/api/monitor')).to.deep.include({ uuid: before.uuid, clusters: ['story'] })
      expect(await spin(), 'its actor went on').to.be.at.least(spun)
      const states = async () => (await servers('story')).map(({ state }) => state).join()
      await eventually(async () => (await states()) === 'Master,Slave', 'the other cluster is as it was')
    })
  })
})

describe('the settings of a running daemon', () => {
  const C = '/api/clusters/story/settings/actions'
  before(async () => {
    cluster = await startProtectedCluster({ count: 2, settings: { 'failover-mode': 'manual' } })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  })
  after(() => cluster?.destroy())

  const rule = async (name: string) => (await cluster.explain()).rows.find((row) => row.rule === name)

  it('are set in the path and in the body, and hold at once', async () => {
    const inPath = await admin.json(`${C}/set/failover-max-slave-delay/17`)
    expect(inPath).to.deep.equal({
      ...{ name: 'failover-max-slave-delay', value: 17, origin: 'saved', immutable: false },
    })
    await eventually(async () => (await rule('failover-max-slave-delay'))?.limit === '17 s', 'decisions know it')
    await admin.json(`${C}/set/failover-max-slave-delay`, { body: { value: 18 } })
    expect(await settings('story')).to.include({ failoverMaxSlaveDelay: 18 })
  })

  it('are switched: truth values, and the mode of failover', async () => {
    expect((await settings('story')).autorejoin).to.equal(true)
    expect(await admin.json(`${C}/switch/autorejoin`)).to.include({ value: false })
    expect(await admin.json(`${C}/switch/autorejoin`, { method: 'POST' })).to.include({ value: true })
    expect(await admin.json(`${C}/switch/failover-mode`)).to.include({ value: 'automatic', immutable: true })
    await eventually(async () => (await rule('failover-mode'))?.state === 'clear', 'failover is automatic')
    expect(await admin.json(`${C}/switch/failover-mode`)).to.include({ value: 'manual' })
    await eventually(async () => (await rule('failover-mode'))?.state === 'closed', 'failover is manual')
  })

  it('are refused by name, by value and by scope', async () => {
    expect(await admin.line(`${C}/set/failover-mod/1`)).to.equal('501 Setting Not Found')
    expect(await admin.line(`${C}/switch/failover-mod`)).to.equal('501 Setting Not Found')
    const { status, text } = await admin.ask(`${C}/set/failover-mode/sometimes`)
    expect([status, text]).to.deep.equal([400, 'failover-mode: allowed: manual, automatic'])
    expect((await admin.ask(`${C}/set/failover-max-slave-delay`)).status).to.equal(400)
    expect((await admin.ask(`${C}/switch/failover-max-slave-delay`)).status).to.equal(400)
    const G = '/api/clusters/settings/actions'
    expect(await admin.line(`${G}/set/db-servers-hosts/db9`)).to.equal('501 Setting Not Found')
    expect(await admin.line(`${G}/switch/db-servers-hosts`)).to.equal('501 setting is not in global scope')
    expect(await admin.json(`${G}/set/api-token-timeout/24`)).to.include({ value: 24, origin: 'saved' })
    expect(await admin.json(`${G}/switch/monitoring-save-config`)).to.include({ value: false })
    expect(await admin.json(`${G}/switch/monitoring-save-config`)).to.include({ value: true })
  })

  it('are read again from the file, and kept when it has faults', async () => {
    const { configFile } = cluster.manager
    const text = readFileSync(configFile, 'utf8')
    writeFileSync(configFile, `${text}\nfailover-limit = 9\n`)
    const nothing = { ok: true, faults: [], warnings: [], recognised: [] }
    expect(await post(`${C}/reload`)).to.equal(`200 ${JSON.stringify(nothing)}`)
    expect(await settings('story')).to.include({ failoverLimit: 9, failoverMaxSlaveDelay: 18 })
    writeFileSync(configFile, `${text}\nfailover-limit = "many"\n`)
    const refused = await admin.ask(`${C}/reload`, { method: 'POST' })
    expect(refused.status).to.equal(500)
    expect(refused.text).to.contain('failover-limit = "many"').and.contain('a whole number')
    expect(await settings('story')).to.include({ failoverLimit: 9 })
  })
})
