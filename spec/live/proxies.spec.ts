// ProxySQL and MaxScale, by their stand-ins, beside real databases: added while the daemon runs, configured at every change of
// the primary, watched, dropped.
import { expect } from 'chai'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { nativePassword } from '../../lib/dialect/index.js'
import { replicate } from '../support/databases/database.js'
import type { Node } from '../support/databases/node.js'
import { ApiUser } from '../support/manager/api-user.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { type MaxscaleStandIn, startMaxscale } from '../support/proxies/maxscale.js'
import { type ProxysqlStandIn, startProxysql } from '../support/proxies/proxysql.js'
import { asReplica, comesBack, end, lossless } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

interface ProxyView {
  readonly type: string
  readonly port: string
  readonly state: string
  readonly version: string
  readonly readWritePort: number
  readonly writerHostGroup: number
  readonly backendsWrite: readonly { readonly port: string }[]
  readonly backendsRead: readonly { readonly port: string; readonly prxMaintenance: boolean }[]
}

interface RotationView {
  readonly phase: string
  readonly waitsFor?: string
}

describe('proxies that are configured over their own protocols', () => {
  let cluster: ProtectedCluster
  let proxysql: ProxysqlStandIn
  let maxscale: MaxscaleStandIn
  let admin: ApiUser

  before(async () => {
    cluster = await startProtectedCluster({
      options: lossless,
      arrange: async (nodes) => {
        const [primary, ...replicas] = nodes
        if (!primary) throw new Error('there are three nodes')
        await replicate(primary, replicas, { semiSync: true })
        await primary.sql("CREATE USER webshop@'%' IDENTIFIED BY 'one'")
        await primary.sql("CREATE USER weblog@'%' IDENTIFIED BY 'two' REQUIRE SSL")
        await primary.sql("CREATE USER webadmin@localhost IDENTIFIED BY 'three'")
        await primary.sql("CREATE USER webjobs@'%' IDENTIFIED VIA unix_socket")
        proxysql = await startProxysql({ user: 'admin', password: 'admin' })
        maxscale = await startMaxscale({
          ...{ user: 'admin', password: 'mariadb' },
          servers: Object.fromEntries(nodes.map(({ name, port }) => [name, { address: '127.0.0.1', port }])),
        })
      },
      settings: () => ({
        ...{ 'failover-limit': 0, 'monitoring-ticker': 1 },
        ...{ 'proxysql-bootstrap': true, 'proxysql-writer-hostgroup': '10', 'proxysql-reader-hostgroup': '20' },
        'proxysql-bootstrap-query-rules': true,
        ...{ 'maxscale-disable-monitor': true, 'maxscale-server-match-port': true },
      }),
    })
    admin = await ApiUser.login(cluster.manager, 'admin', 'spec-password')
    await cluster.ready()
  })
  after(async () => {
    await end(cluster)
    await proxysql?.stop()
    await maxscale?.stop()
  })

  const post = (target: string) => admin.line(target, { method: 'POST' })
  const views = () => admin.json<readonly ProxyView[]>(`${C}/topology/proxies`)
  const view = async (type: string) => (await views()).find((proxy) => proxy.type === type)
  const others = (...nodes: readonly Node[]) => cluster.nodes.filter((node) => !nodes.includes(node))
  const ports = (...nodes: readonly Node[]) => nodes.map(({ port }) => port).sort()

  /** Ports that may be written to, and those that are read from, by the stand-ins themselves. */
  const routes = () => {
    const online = (group: number) =>
      proxysql.runtime(group).flatMap((row) => {
        const [, port, status] = /:(\d+) (\w+)$/.exec(row) ?? []
        return status === 'ONLINE' ? [Number(port)] : []
      })
    const having = (word: string) =>
      cluster.nodes.flatMap(({ name, port }) => {
        const state = maxscale.state(name)
        return state.includes(word) && !state.includes('Maintenance') ? [port] : []
      })
    return {
      proxysql: { write: online(10).sort(), read: online(20).sort() },
      maxscale: { write: having('Master').sort(), read: having('Slave').sort() },
    }
  }
  /** Those of the databases whom ProxySQL admits, without the accounts of the specs. */
  const users = () => proxysql.users().filter((row) => row.startsWith('web'))
  const missing = async () => {
    const { warnings } = await admin.json<{ warnings: readonly { number: string; desc: string }[] }>(
      `${C}/topology/alerts`,
    )
    return warnings.find(({ number }) => number === 'ERR00054')?.desc ?? ''
  }
  const routed = (primary: Node, ...readers: readonly Node[]) => {
    const wanted = { write: ports(primary), read: ports(...readers) }
    const text = JSON.stringify({ proxysql: wanted, maxscale: wanted })
    return eventually(
      () => JSON.stringify(routes()) === text,
      `${primary.name} writes, ${readers.map(({ name }) => name)} read`,
    )
  }

  it('are added while the daemon runs, and filled', async () => {
    for (const [kind, port] of [
      ['proxysql', proxysql.port],
      ['maxscale', maxscale.port],
    ] as const) {
      expect(await post(`${C}/actions/addserver/127.0.0.1/${port}/${kind}`)).to.equal('200 {"msg":"Monitor added"}')
      expect(await post(`${C}/actions/addserver/127.0.0.1/${port}/${kind}`)).to.match(/^409 /)
    }
    const primary = await cluster.primary()
    await routed(primary, ...others(primary))
    await eventually(async () => (await views()).every(({ state }) => state === 'ProxyRunning'), 'both run')
  })

  it('admit the users of the databases by their passwords, and a finding names those that are missing', async () => {
    const wanted = [`weblog ${nativePassword('two')}`, `webshop ${nativePassword('one')}`].join()
    await eventually(
      () => users().join() === wanted,
      () => `${users()}`,
    )
    expect(proxysql.tables.rows('mysql_users').find(({ username }) => username === 'weblog')?.use_ssl).to.equal('1')
    await eventually(() => proxysql.rules().at(-1) === '^SELECT 20', 'reads go to the readers')
    await eventually(async () => (await missing()).includes('webjobs'), 'webjobs is reported')
    const primary = await cluster.primary()
    await primary.sql("ALTER USER webshop@'%' IDENTIFIED BY 'other'")
    await primary.sql("DROP USER weblog@'%', webjobs@'%'")
  })

  it('are shown with their backends', async () => {
    const primary = await cluster.primary()
    await eventually(
      async () => (await view('proxysql'))?.backendsWrite[0]?.port === String(primary.port),
      'the writer is seen',
    )
    expect(await view('proxysql')).to.include({
      ...{ port: String(proxysql.port), version: '2.5.5-10-g195bd70', readWritePort: 3306, writerHostGroup: 10 },
    })
    await eventually(async () => (await view('maxscale'))?.version === '23.08.5', 'its version is shown')
    await eventually(async () => (await view('maxscale'))?.backendsRead.length === 2, 'the readers are seen')
  })

  it('get maintenance', async () => {
    const primary = await cluster.primary()
    const [first, second] = others(primary)
    if (!first || !second) throw new Error('there are two replicas')
    await post(`${C}/servers/127.0.0.1:${first.port}/actions/set-maintenance`)
    await routed(primary, second)
    // Nothing is read there any more: each proxy is configured in steps, and the last one follows.
    await eventually(
      () => proxysql.runtime(20).includes(`127.0.0.1:${first.port} OFFLINE_SOFT`),
      () => `ProxySQL lets its sessions end: ${proxysql.runtime(20)}`,
    )
    await eventually(() => maxscale.state(first.name).includes('Maintenance'), 'MaxScale has it in maintenance')
    expect(maxscale.ended, 'what reads there ends in its own time').to.not.include(first.name)
    await eventually(async () => {
      const shown = (await view('proxysql'))?.backendsRead.find(({ port }) => port === String(first.port))
      return shown?.prxMaintenance === true
    }, 'it is shown')
    await post(`${C}/servers/127.0.0.1:${first.port}/actions/del-maintenance`)
    await routed(primary, first, second)
  })

  it('follow a switchover: closed for writes first, then open at the new primary', async () => {
    const old = await cluster.primary()
    const [statements, changes] = [proxysql.statements.length, maxscale.changes.length]
    await admin.json(`${C}/actions/switchover`)
    const next = await cluster.primary()
    expect(next).to.not.equal(old)
    await routed(next, ...others(next))
    const sent = proxysql.statements
      .slice(statements)
      .filter((sql) => /^(UPDATE|INSERT INTO|DELETE FROM) mysql_servers /.test(sql))
    expect(sent[0]).to.match(/^UPDATE mysql_servers SET status='OFFLINE_HARD' WHERE hostgroup_id=10 /)
    expect(maxscale.changes.slice(changes)[0]).to.equal(`set ${old.name} maintenance`)
    expect(maxscale.ended).to.include(old.name)
  })

  it('follow a failover', async () => {
    const old = await cluster.primary()
    await old.kill()
    const next = await cluster.movedFrom(old)
    await routed(next, ...others(old, next))
    await comesBack(cluster, old, ...asReplica)
    await routed(next, ...others(next))
  })

  it('have followed what became of the users meanwhile', async () => {
    const wanted = `webshop ${nativePassword('other')}`
    await eventually(
      () => users().join() === wanted,
      () => `${users()}`,
    )
    await eventually(async () => !(await missing()).includes('webjobs'), 'none of them is missing')
  })

  it('hold up no failover when they hang, and are configured afterwards', async () => {
    const old = await cluster.primary()
    proxysql.mood = 'hung'
    maxscale.mood = 'hung'
    await old.kill()
    const next = await cluster.movedFrom(old)
    // Five polls in a row, each given up in its own time.
    await eventually(async () => (await views()).every(({ state }) => state === 'Failed'), 'the manager notices')
    const found = async () => {
      const alerts = JSON.stringify(await admin.json(`${C}/topology/alerts`))
      return ['ERR00050', 'ERR00051'].filter((code) => alerts.includes(code)).length
    }
    await eventually(async () => (await found()) === 2, 'both are found')
    proxysql.mood = 'up'
    maxscale.mood = 'up'
    await routed(next, ...others(old, next))
    await comesBack(cluster, old, ...asReplica)
    await eventually(async () => (await views()).every(({ state }) => state === 'ProxyRunning'), 'they run again')
    await eventually(async () => (await found()) === 0, 'the findings are closed')
  })

  it('hold up no failover when one answers garbage and the other dies in the middle of each answer', async () => {
    const old = await cluster.primary()
    proxysql.mood = 'dying'
    maxscale.mood = 'garbage'
    await old.kill()
    const next = await cluster.movedFrom(old)
    proxysql.mood = 'up'
    maxscale.mood = 'up'
    await routed(next, ...others(old, next))
    await comesBack(cluster, old, ...asReplica)
  })

  it('take a new password before the old one goes; one that is down is waited for, by the next manager, too', async function () {
    this.timeout(900_000)
    const { manager } = cluster
    const opens = async ({ host, port }: Node, account: string): Promise<boolean> => {
      const [user = '', password = ''] = account.split(':')
      const session = await openSession({ host, port, user, password, connectTimeoutMs: 20_000 })
      if (session.ok) session.value.close()
      else if (session.failure.code !== 'sql-rejected') throw new Error(session.failure.message)
      return session.ok
    }
    /** A replica applies what was changed on the primary a moment later. */
    const allOpen = async (account: string, isOpen: boolean) => {
      for (const node of cluster.nodes)
        await eventually(
          async () => (await opens(node, account)) === isOpen,
          () => `${node.name} ${isOpen ? 'opens' : 'does not open'}\n${log()}`,
        )
    }
    const rotation = () => manager.get<RotationView | null>(`${C}/rotation`)
    const log = () => manager.log().slice(-4_000)
    const waitsForIt = () =>
      eventually(
        async () => {
          const { phase, waitsFor = '' } = (await rotation()) ?? {}
          return phase === 'informing' && waitsFor.includes(`${proxysql.port}`)
        },
        () => `the proxy that is down is waited for\n${log()}`,
      )
    const old = proxysql.monitor()
    expect(maxscale.accounts()).to.deep.equal([old])
    await allOpen(old, true)
    await proxysql.stop()
    let begun = ''
    await eventually(
      async () => {
        begun = await post(`${C}/actions/rotate-passwords`)
        return begun.startsWith('200 ')
      },
      () => `it begins: ${begun}\n${log()}`,
    )
    await waitsForIt()
    await cluster.opens('WARN0321')
    await eventually(() => maxscale.accounts().join() !== old, 'the proxy that runs has another one')
    const [fresh = '', ...more] = maxscale.accounts()
    expect(more).to.deep.equal([])
    expect(fresh)
      .to.match(/^monitor:/)
      .and.not.equal(old)
    await allOpen(fresh, true)
    await allOpen(old, true)
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive()
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
    await waitsForIt()
    await allOpen(old, true)
    await proxysql.start()
    await eventually(
      async () => (await rotation())?.phase === 'succeeded',
      () => `it goes on\n${log()}`,
    )
    expect(proxysql.monitor()).to.equal(fresh)
    expect(maxscale.accounts()).to.deep.equal([fresh])
    await allOpen(fresh, true)
    await allOpen(old, false)
    expect(log()).to.not.contain(fresh.slice(fresh.indexOf(':') + 1))
    await eventually(
      async () => (await views()).length === 2 && (await views()).every(({ state }) => state === 'ProxyRunning'),
      () => `both run\n${log()}`,
    )
  })

  it('are dropped while the daemon runs', async () => {
    for (const [kind, port] of [
      ['proxysql', proxysql.port],
      ['maxscale', maxscale.port],
    ] as const) {
      expect(await post(`${C}/actions/dropserver/127.0.0.1/${port}/${kind}`)).to.equal('200 Monitor dropped')
      expect(await post(`${C}/actions/dropserver/127.0.0.1/${port}/${kind}`)).to.equal('500 Server Not Found')
    }
    await eventually(async () => (await views()).length === 0, 'no proxy is left')
  })
})
