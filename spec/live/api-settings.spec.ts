// Settings of a running daemon, changed over its API: in force at once, noted, kept over a restart, taken back.
import { expect } from 'chai'
import { CarbonSink } from '../support/machine/carbon-sink.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'

interface View {
  readonly name: string
  readonly value: unknown
  readonly origin: string
  readonly immutable: boolean
}

interface Change {
  readonly id: number
  readonly user: string
  readonly name: string
  readonly action: string
  readonly before: { readonly value: unknown; readonly origin: string }
  readonly after: { readonly value: unknown; readonly origin: string }
}

const C = '/api/clusters/story'
const A = `${C}/settings/actions`

describe('settings of a running daemon', () => {
  let cluster: ProtectedCluster
  let admin: ApiUser
  const sink = new CarbonSink()

  const login = async () => {
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
  }
  const setting = async (name: string): Promise<View | undefined> =>
    (await admin.json<readonly View[]>(`${C}/settings?detail=true`)).find((one) => one.name === name)
  const history = (query = '') => admin.json<readonly Change[]>(`${C}/settings/history${query}`)
  const change = (path: string) => admin.json<View>(`${A}/${path}`, { method: 'POST' })

  before(async () => {
    await sink.open()
    cluster = await startProtectedCluster({ count: 2, settings: { 'failover-limit': 7 } })
    await login()
  })
  after(async () => {
    await cluster?.destroy()
    await sink.close()
  })

  it('are changed at once, shown with their origin, and noted with who changed them', async () => {
    expect(await change('set/failover-max-slave-delay/17')).to.deep.include({ value: 17, origin: 'saved' })
    expect(await change('switch/failover-mode/off')).to.deep.include({ name: 'failover-mode', value: 'manual' })
    expect(await change('set-cron/scheduler-rolling-restart-cron/0%2030%2011%20*%20*%20*')).to.include({
      value: '0 30 11 * * *',
    })
    expect((await history()).map(({ name, user }) => [name, user])).to.deep.equal([
      ['scheduler-rolling-restart-cron', 'admin'],
      ['failover-mode', 'admin'],
      ['failover-max-slave-delay', 'admin'],
    ])
    expect((await history('?name=failover-mode&limit=1')).length).to.equal(1)
  })

  it('show what a file gives as immutable: a change of it lasts until restart, and can be cleared', async () => {
    expect(await setting('failover-limit')).to.deep.include({ value: 7, origin: 'file', immutable: true })
    expect(await change('set/failover-limit/3')).to.deep.include({ value: 3, origin: 'runtime', immutable: true })
    expect(await change('clear/failover-limit')).to.deep.include({ value: 7, origin: 'file' })
  })

  it('refuse what is no setting, no value, no pattern, and of another scope', async () => {
    expect(await admin.line(`${A}/set/failover-limits/3`)).to.equal('501 Setting Not Found')
    expect(await admin.line(`${A}/set/failover-limit/many`)).to.match(/^400 failover-limit: allowed: /)
    expect(await admin.line(`${A}/set-cron/scheduler-rolling-restart-cron/noon`)).to.equal('400 Bad cron pattern')
    const global = '/api/clusters/settings/actions'
    expect(await admin.line(`${global}/set/db-servers-hosts/db9`)).to.equal('501 Setting Not Found')
    expect(await admin.line(`${global}/switch/db-servers-hosts`)).to.equal('501 setting is not in global scope')
  })

  it('of clusters may be given to all of them: what a cluster has of its own holds there', async () => {
    const global = '/api/clusters/settings/actions'
    expect(await admin.line(`${global}/set/failover-limit/3`)).to.match(/^200 /)
    expect(await setting('failover-limit')).to.deep.include({ value: 7, origin: 'file' })
    expect(await admin.line(`${global}/clear/failover-limit`)).to.match(/^200 .*"value":5,"origin":"default"/)
  })

  it('survive a restart with their history, and are undone one by one', async () => {
    const before = await history()
    expect(await cluster.manager.end('SIGTERM')).to.equal(0)
    cluster.manager.start()
    await cluster.manager.alive()
    await login()
    expect(await setting('failover-max-slave-delay')).to.deep.include({ value: 17, origin: 'saved' })
    expect(await history()).to.deep.equal(before)
    const id = before.find(({ name }) => name === 'failover-max-slave-delay')?.id
    expect((await change(`undo/${id}`)).origin).to.not.equal('saved')
    expect(await admin.line(`${A}/undo/${id}`)).to.match(/^409 failover-max-slave-delay was changed again/)
    expect((await history())[0]).to.deep.include({ name: 'failover-max-slave-delay', action: 'undo' })
  })

  it('send metrics of the databases to carbon as soon as they say so', async () => {
    const global = '/api/clusters/settings/actions'
    await admin.json(`${global}/set/graphite-carbon-port/${sink.port}`)
    await admin.json(`${global}/switch/graphite-metrics/on`)
    await sink.has('.mysql_global_status_threads_running ')
    expect(sink.lines.some((line) => line.includes('.mysql_global_status_uptime '))).to.equal(false)
    expect(await admin.line(`${A}/reset-graphite-filterlist/all`)).to.equal('200 ')
    await admin.json(`${global}/switch/graphite-whitelist/off`)
    await sink.has('.mysql_global_status_uptime ')
    expect(await admin.json<readonly string[]>(`${C}/graphite-filterlist`)).to.deep.equal([])
  })
})
