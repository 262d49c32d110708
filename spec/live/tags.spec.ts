// Tags added and dropped over the API: saved, in the archives, applied to servers, refused by name.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { type Databases, replicate, startDatabases } from '../support/databases/database.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/shop'

describe('tags of a cluster', () => {
  let databases: Databases
  let manager: ManagerProcess
  const port = () => databases.node(0).port

  before(async () => {
    databases = await startDatabases({ count: 2 })
    await replicate(databases.node(0), [databases.node(1)])
    const hosts = databases.nodes.map((node) => `127.0.0.1:${node.port}`).join(',')
    const cluster = { 'db-servers-hosts': hosts, 'db-servers-credential': 'monitor:monitor' }
    manager = await ManagerProcess.create({
      clusters: {
        shop: cluster,
        fixed: { 'db-servers-hosts': '127.0.0.1:1', 'prov-db-tags': 'innodb,row' },
      },
    })
    manager.start()
    await manager.alive()
  })
  after(async () => {
    await manager?.destroy()
    await databases?.teardown()
  })

  const change = async (words: string, cluster = 'shop') => {
    const { status, body } = await manager.post(`/api/clusters/${cluster}/settings/actions/${words}`)
    const answer = JSON.parse(body) as { detail: string }
    return status === 200 ? answer : `${status} ${answer.detail}`
  }
  const saved = (): string => readFileSync(path.join(manager.dataDirectory, 'shop', 'shop.toml'), 'utf8')
  const settings = (cluster: string) => manager.get<Record<string, string>>(`/api/clusters/${cluster}/settings`)

  it('are all listed, each with its category', async () => {
    const tags = await manager.get<{ id: number; name: string; category: string }[]>(`${C}/tags`)
    expect(tags.find(({ name }) => name === 'ssd')).to.include({ category: 'disk' })
    expect(tags.find(({ name }) => name === 'readonmaster')).to.include({ category: 'proxy' })
    expect(new Set(tags.map(({ id }) => id)).size).to.equal(tags.length)
  })

  it('leave what replicas do otherwise than the primary to see', async () => {
    await databases.node(1).sql('SET GLOBAL max_connections = 33')
    type Diffs = { variableName: string; diffValues: { serverName: string; variableValue: string }[] }[]
    const diffs = () => manager.get<Diffs>(`${C}/diffvariables`)
    const found = async () => (await diffs()).find(({ variableName }) => variableName === 'MAX_CONNECTIONS')
    await eventually(async () => (await found()) !== undefined, 'the difference is seen')
    expect((await found())?.diffValues.map(({ variableValue }) => variableValue)).to.deep.equal(['50', '33'])
    expect((await diffs()).map(({ variableName }) => variableName)).to.deep.equal(['MAX_CONNECTIONS'])
    type Alerts = { readonly warnings: readonly { readonly number: string; readonly desc: string }[] }
    const warned = async () =>
      (await manager.get<Alerts>(`${C}/topology/alerts`)).warnings.find(({ number }) => number === 'WARN0084')?.desc
    await eventually(async () => (await warned())?.includes(': max_connections') === true, 'the finding is open')
  })

  it('are added: saved, in the archive, and a need of the server', async () => {
    expect(await change('add-db-tag/ssd')).to.deep.include({ added: ['ssd'], dropped: [] })
    expect(saved()).to.match(/prov-db-tags = .*ssd/)
    const need = () => fetch(`http://127.0.0.1:${manager.httpPort}${C}/servers/127.0.0.1/${port()}/need-restart`)
    await eventually(async () => (await need()).status === 200, 'a restart is needed')
    const config = `http://127.0.0.1:${manager.httpPort}${C}/servers/127.0.0.1/${port()}/config`
    let names = ''
    await eventually(
      async () => {
        const reply = await fetch(config)
        const input = Buffer.from(await reply.arrayBuffer())
        // The one from before is given until the next one is built.
        names = reply.status === 200 ? execFileSync('tar', ['-tz'], { input }).toString() : ''
        return names.includes('etc/mysql/conf.d/ssd.cnf\n')
      },
      () => `the archive has the tag: ${names}`,
    )
  })

  it('are added once, and dropped', async () => {
    expect(await change('add-db-tag/ssd')).to.deep.include({ added: [], dropped: [] })
    expect(await change('drop-db-tag/ssd')).to.deep.include({ added: [], dropped: ['ssd'] })
    expect(saved()).to.not.match(/prov-db-tags = .*ssd/)
  })

  it('stand in the history of settings, and are taken back like other changes', async () => {
    const history = () => manager.get<{ id: number; name: string; action: string }[]>(`${C}/settings/history`)
    expect((await history()).filter(({ action }) => action === 'set').map(({ name }) => name)).to.deep.equal([
      'prov-db-tags',
      'prov-db-tags',
    ])
    const [dropped] = await history()
    expect((await manager.post(`${C}/settings/actions/undo/${dropped?.id}`)).status).to.equal(200)
    await eventually(() => /prov-db-tags = .*ssd/.test(saved()), 'the tag is back')
    expect(await change('drop-db-tag/ssd')).to.deep.include({ dropped: ['ssd'] })
  })

  it('are none of them lost when they come together', async () => {
    await Promise.all(['ssd', 'general', 'eits'].map((tag) => change(`add-db-tag/${tag}`)))
    expect((await settings('shop')).provDbTags?.split(',')).to.include.members(['ssd', 'general', 'eits'])
  })

  it('are refused by name when unknown or contradicting', async () => {
    expect(await change('add-db-tag/sssd')).to.equal('404 no rule defines the tag sssd; did you mean ssd?')
    expect(await change('add-db-tag/statement')).to.match(/^409 statement contradicts row, which is set/)
    expect(await change('add-db-tag/statement?replace=true')).to.deep.include({
      added: ['statement'],
      dropped: ['row'],
    })
    expect(await change('drop-db-tag/statment')).to.equal(
      '404 no rule defines the tag statment; did you mean statement?',
    )
  })

  it('of proxies are kept beside', async () => {
    expect(await change('add-proxy-tag/readwritesplit')).to.match(/^409 .*noreadwritesplit/)
    expect(await change('drop-proxy-tag/noreadwritesplit')).to.deep.include({ dropped: ['noreadwritesplit'] })
    expect(await change('add-proxy-tag/readwritesplit')).to.deep.include({ added: ['readwritesplit'] })
    expect((await settings('shop')).provProxyTags).to.equal('masterslave,docker,linux,readwritesplit')
  })

  it('that a file gives change until a restart only', async () => {
    expect(await change('add-db-tag/ssd', 'fixed')).to.deep.include({ tags: ['innodb', 'row', 'ssd'] })
    expect((await settings('fixed')).provDbTags).to.equal('innodb,row,ssd')
    await manager.end('SIGTERM')
    manager.start()
    await manager.alive()
    expect((await settings('fixed')).provDbTags).to.equal('innodb,row')
    expect((await settings('shop')).provDbTags).to.contain('statement')
  })

  it('follow beside a service plan, whose sizes become settings of the cluster in one change', async () => {
    const plans = await manager.get<{ plan: string; dbmemory: number }[]>('/api/clusters/settings/plans')
    expect(plans.find(({ plan }) => plan === 'x1.tiny')).to.include({ dbmemory: 4096 })
    const { provDbMemory: memory, provDbDisk: disk } = await settings('shop')
    expect(await change('set/prov-service-plan/x1.tin')).to.match(/^\d+ .*did you mean x1\.tiny\?/)
    expect(await change('set/prov-service-plan/x1.tiny')).to.include({ value: 'x1.tiny' })
    const { provDbMemory, provDbDisk, provDbCpuCores } = await settings('shop')
    expect([provDbMemory, provDbDisk, provDbCpuCores].map(String)).to.deep.equal(['4096', '40', '1'])
    // Taken back as one change, too; what a user decided since stays.
    const sizes = async () => {
      const { provServicePlan, provDbMemory, provDbDisk, provDbCpuCores } = await settings('shop')
      return [provServicePlan, provDbMemory, provDbDisk, provDbCpuCores].map(String)
    }
    expect(await change('set/prov-db-cpu-cores/3')).to.include({ value: '3' })
    const history = await manager.get<{ id: number; name: string }[]>('/api/clusters/shop/settings/history')
    const chosen = history.find(({ name }) => name === 'prov-service-plan')?.id
    expect(await change(`undo/${chosen}`)).to.include({ value: '' })
    expect(await sizes()).to.deep.equal(['', memory, disk, '3'].map(String))
    const undo = (await manager.get<{ id: number }[]>('/api/clusters/shop/settings/history'))[0]?.id
    expect(await change(`undo/${undo}`)).to.include({ value: 'x1.tiny' })
    expect(await sizes()).to.deep.equal(['x1.tiny', '4096', '40', '3'])
    const reloaded = await manager.post('/api/clusters/settings/actions/reload-clusters-plans')
    expect([reloaded.status, JSON.parse(reloaded.body)]).to.deep.equal([200, plans])
  })
})
