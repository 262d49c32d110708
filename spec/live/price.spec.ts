// Statements of a running manager: nothing while the switch is off, then amounts of real clusters, kept over a kill.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { ClusterStatement, MonthStatement } from '../../lib/price/index.js'
import { watchAll } from '../bench/fleet.js'
import { type Fleet, startFleet } from '../support/canned/fleet.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

interface ClusterMonth {
  readonly month: string
  readonly currency: string
  readonly cluster: ClusterStatement
}

describe('statements of a running manager', () => {
  let fleet: Fleet
  let manager: ManagerProcess
  let clusters: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>
  before(async () => {
    fleet = await startFleet({ clusters: 2, replicas: 1 })
    clusters = watchAll(fleet)
    manager = await ManagerProcess.create({ clusters })
    manager.start()
    await manager.alive()
  })
  after(async () => {
    await manager.destroy()
    await fleet.teardown()
  })

  const price = () => manager.get<ClusterMonth>('/api/clusters/c1/price')
  const ofDatabases = async () => (await price()).cluster.units.find(({ family }) => family === 'dbu')
  const accounted = async () => (await price()).cluster.accountedSeconds
  const folder = () => path.join(manager.dataDirectory, 'billing')
  const stored = (month: string): MonthStatement =>
    JSON.parse(readFileSync(path.join(folder(), `billing-${month}.json`), 'utf8'))

  it('are neither made nor answered while hosted is false', async () => {
    const { status } = await manager.post('/api/clusters/settings/actions/switch/hosted/off')
    expect(status).to.equal(200)
    const reply = await manager.session.call('GET', '/api/global/price')
    expect(reply.ok && reply.value.status).to.equal(404)
    expect(reply.ok && JSON.parse(reply.value.body)).to.include({
      ...{ code: 'disabled', detail: 'hosted is false: no statements are made' },
    })
    expect(existsSync(folder())).to.equal(false)
  })

  it('begin when it is switched on, at the price and plan of the moment', async () => {
    for (const target of [
      '/api/clusters/settings/actions/set/hosted-marketplace-dbu-price/40',
      '/api/clusters/c1/settings/actions/set/prov-db-dbu/3',
      '/api/clusters/settings/actions/switch/hosted/on',
    ])
      expect((await manager.post(target)).status, target).to.equal(200)
    await eventually(async () => (await accounted()) > 0, 'time is accounted')
    // Two databases of three units each; each needs one.
    await eventually(async () => (await ofDatabases())?.billable === 2, 'both databases run')
    expect(await ofDatabases()).to.include({ plan: 6, billable: 2, underCommit: 4, unitPrice: 40, rate: 240 - 128 })
    const whole = async () => (await manager.get<{ statement: MonthStatement }>('/api/global/price')).statement
    await eventually(
      async () => Object.keys((await whole()).clusters).join() === 'c1,c2',
      'both clusters are accounted',
    )
    const statement = await whole()
    expect(statement.currency).to.equal('EUR')
  })

  it('count a database that is down as a unit of the plan that is not used', async () => {
    const replica = fleet.clusters[0]?.[1]
    if (!replica) throw new Error('no replica')
    await fleet.set(replica, 'down')
    await eventually(async () => (await ofDatabases())?.billable === 1, 'one database runs')
    await fleet.set(replica, 'up')
    await eventually(async () => (await ofDatabases())?.billable === 2, 'both run')
  })

  it('continue after a kill from what was written', async () => {
    const { month } = await price()
    const isStored = () => existsSync(path.join(folder(), `billing-${month}.json`))
    await eventually(isStored, 'the month is written')
    const before = stored(month).clusters.c1?.accountedSeconds ?? 0
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive()
    await eventually(async () => (await accounted()) > before, 'more is accounted than was written')
    await eventually(() => Object.keys(stored(month).clusters).join() === 'c1,c2', 'both are written')
  })

  it('are CSV for who asks for that', async () => {
    const named = async () => {
      const reply = await manager.session.call('GET', '/api/global/price?form=csv')
      const lines = reply.ok ? reply.value.body.trim().split(/\r?\n/) : []
      return lines.map((line) => line.split(',')[3]).join()
    }
    // A cluster has a line once something of it is accounted: one reading after it is in the statement.
    await eventually(async () => (await named()) === 'cluster,c1,c2', 'each cluster has its line')
  })
})
