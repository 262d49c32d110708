// When proxies are given their routes: the stand-ins of ProxySQL and MaxScale, without databases.
import { expect } from 'chai'
import { ProxyWatch } from '../../../../actors/cluster/proxies/proxies.js'
import { done, ok } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import type { ProxyReading, ProxyTarget } from '../../../../lib/proxy/kit/index.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { type MaxscaleStandIn, startMaxscale } from '../../../support/proxies/maxscale.js'
import { type ProxysqlStandIn, startProxysql } from '../../../support/proxies/proxysql.js'
import { eventually } from '../../../support/wait.js'

const at = (number: number) => ({ id: `db${number}`, host: `db${number}`, port: 3306 })

/** `db2` is the primary: both proxies had `db1` when they were configured by hand. */
const target: ProxyTarget = {
  primary: at(2),
  readers: [
    { ...at(1), state: 'ready' },
    { ...at(2), state: 'drain' },
  ],
}

describe('ProxyWatch', () => {
  let proxysql: ProxysqlStandIn
  let maxscale: MaxscaleStandIn
  let watch: ProxyWatch
  let readings: ProxyReading[]
  let returns: number

  beforeEach(async () => {
    readings = []
    returns = 0
    proxysql = await startProxysql({ user: 'manager', password: 'manager' })
    proxysql.given({ hostgroup_id: 10, hostname: 'db1', port: 3306 }, { hostgroup_id: 20, hostname: 'db2', port: 3306 })
    proxysql.tables.replace('disk.mysql_servers', proxysql.tables.rows('mysql_servers'))
    maxscale = await startMaxscale({
      ...{ user: 'manager', password: 'manager' },
      servers: { db1: { address: 'db1', port: 3306 }, db2: { address: 'db2', port: 3306 } },
    })
    watch = new ProxyWatch(
      (reading) => readings.push(reading),
      () => {
        returns += 1
        void watch.align(target)
      },
    )
    const settings = defaultSettings({
      ...{ proxysql: true, 'proxysql-servers': ['127.0.0.1'], 'proxysql-admin-port': proxysql.port },
      ...{ 'proxysql-user': 'manager', 'proxysql-password': secret('manager'), 'proxysql-save-to-disk': false },
      ...{ 'proxysql-bootstrap': true, 'proxysql-writer-hostgroup': 10, 'proxysql-reader-hostgroup': 20 },
      ...{ maxscale: true, 'maxscale-servers': ['127.0.0.1'], 'maxscale-port': maxscale.port },
      ...{ 'maxscale-user': 'manager', 'maxscale-pass': secret('manager'), 'maxscale-disable-monitor': true },
      'maxscale-server-match-port': true,
    })
    watch.set(settings)
  })
  afterEach(async () => {
    watch.close()
    await proxysql.stop()
    await maxscale.stop()
  })

  const writers = () => ({
    proxysql: proxysql.runtime(10).filter((row) => row.endsWith(' ONLINE')),
    maxscale: ['db1', 'db2'].filter((name) => maxscale.state(name).includes('Master')),
  })
  const right = { proxysql: ['db2:3306 ONLINE'], maxscale: ['db2'] }
  const isRight = () => JSON.stringify(writers()) === JSON.stringify(right)

  /** Reads both once, as a tick does. */
  const tick = async () => {
    const before = readings.length
    watch.probe()
    await eventually(() => readings.length === before + 2, 'both were read')
  }
  /** Configured, and read with the target in force; the tick at which all are compared anyway is far away. */
  const configured = async () => {
    await tick()
    await watch.align(target)
    expect(writers()).to.deep.equal(right)
    await tick()
    expect(returns).to.equal(0)
  }

  it('gives a proxy that was away its routes with the first reading in which it answers', async () => {
    await configured()
    await proxysql.stop()
    await maxscale.stop()
    await tick()
    await proxysql.restart()
    await maxscale.restart()
    expect(isRight()).to.equal(false)
    await tick()
    await eventually(isRight, () => JSON.stringify(writers()))
    expect(returns).to.equal(2)
  })

  it('gives a proxy that restarted between two readings its routes with the next one', async () => {
    await configured()
    await proxysql.restart()
    await maxscale.restart()
    expect(isRight()).to.equal(false)
    await tick()
    await eventually(isRight, () => JSON.stringify(writers()))
    expect(returns).to.equal(2)
  })

  it('fills a proxy that restarted at once, too', async () => {
    let asked = 0
    const users = async () => {
      asked += 1
      return ok({ accounts: [], own: [] })
    }
    await configured()
    await watch.fill(users)
    await watch.fill(users)
    expect(asked).to.equal(1)
    await proxysql.restart()
    await tick()
    await watch.fill(users)
    expect(asked).to.equal(2)
  })

  it('changes nothing in a proxy that goes on running', async () => {
    await configured()
    proxysql.isUpFor(101)
    const [statements, changes] = [proxysql.statements.length, maxscale.changes.length]
    await tick()
    await watch.align(target)
    expect(proxysql.statements.slice(statements).filter((sql) => /mysql_servers/.test(sql))).to.deep.equal([])
    expect(maxscale.changes).to.have.length(changes)
    expect(returns).to.equal(0)
  })

  it('configures the others while one hangs', async () => {
    await configured()
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const hanging = watch.list().find(({ kind }) => kind === 'proxysql')
    if (!hanging) throw new Error('there is a ProxySQL')
    Object.assign(hanging, { apply: () => held.then(() => done) })
    const moved: ProxyTarget = { ...target, primary: at(1) }
    const first = watch.align(moved)
    await eventually(() => maxscale.state('db1').includes('Master'), 'MaxScale has the first')
    // As ticks do: what it is doing ends before it begins with the next.
    await eventually(() => {
      void watch.align(target)
      return maxscale.state('db2').includes('Master')
    }, 'MaxScale has the next while ProxySQL hangs')
    release()
    await first
  })
})
