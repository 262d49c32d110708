// Servers as they are found in the field, adopted: after discovery nothing differs, nothing would be set, nothing was changed.
import { expect } from 'chai'
import type { DiscoveryView, DriftView, DynamicView } from '../../actors/protocol/manager/configurator.js'
import { fieldConfigurations } from '../support/configuration/field.js'
import { type Databases, startDatabases } from '../support/databases/database.js'
import { Client } from '../support/http/client.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { sample } from '../support/run/soak.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/shop'

describe('a server that is adopted', () => {
  let databases: Databases
  let manager: ManagerProcess

  before(async () => {
    databases = await startDatabases({ count: 1 })
    manager = await ManagerProcess.create({
      clusters: {
        shop: {
          'db-servers-hosts': `127.0.0.1:${databases.node(0).port}`,
          'db-servers-credential': 'monitor:monitor',
          'failover-mode': 'manual',
          // Otherwise a server that is started read-only is opened as the primary.
          'monitoring-pause': true,
        },
      },
    })
    manager.start()
    await manager.alive()
  })
  after(async () => {
    await manager?.destroy()
    await databases?.teardown()
  })

  const node = () => databases.node(0)
  const post = async <T>(target: string): Promise<T> => {
    const { status, body } = await manager.post(target)
    expect(status, `${target}: ${body}`).to.equal(200)
    return JSON.parse(body)
  }
  const discover = async (): Promise<void> => {
    await eventually(
      async () => {
        const { status } = await manager.post(`${C}/settings/actions/discover?plan=true`)
        return status === 200
      },
      () => `the server is read\n${manager.log().slice(-2_000)}`,
    )
    const found = await post<DiscoveryView>(`${C}/settings/actions/discover`)
    expect(found.applied).to.equal(true)
  }
  const drift = () => manager.get<DriftView>(`${C}/servers/127.0.0.1:${node().port}/variables-drift`)
  const plan = () => post<DynamicView>(`${C}/settings/actions/apply-dynamic-config?plan=true`)
  const variables = async (): Promise<Readonly<Record<string, unknown>>> => {
    const rows = await node().sql('SHOW GLOBAL VARIABLES')
    return Object.fromEntries(rows.map(({ Variable_name, Value }) => [String(Variable_name), Value]))
  }

  for (const { name, args } of sample(fieldConfigurations, 4))
    it(`has no differences: ${name}`, async () => {
      await node().stop()
      node().start(...args)
      await node().waitUp()
      const before = await variables()
      await discover()
      expect((await drift()).differences).to.deep.equal([])
      const { servers } = await plan()
      expect(servers.map(({ statements, restart }) => ({ statements, restart }))).to.deep.equal([
        { statements: [], restart: [] },
      ])
      await post(`${C}/settings/actions/apply-dynamic-config`)
      expect(await variables()).to.deep.equal(before)
    })

  it('keeps its identity, durability, sql_mode, character sets and memory whatever its tags become', async () => {
    await node().stop()
    node().start(
      ...['--innodb-flush-log-at-trx-commit=1', '--sync-binlog=1', '--sql-mode=ANSI_QUOTES', '--tmp-table-size=32M'],
      ...[
        '--character-set-server=latin1',
        '--collation-server=latin1_swedish_ci',
        '--server-id=77',
        '--max-connections=60',
      ],
    )
    await node().waitUp()
    await discover()
    const before = await variables()
    for (const tag of ['nodurable', 'nosyncbinlog', 'sqlmodeunstrict', 'bm4ci', 'multidomains'])
      await post(`${C}/settings/actions/add-db-tag/${tag}`)
    await post(`${C}/settings/actions/set/prov-db-memory/64`)
    await post(`${C}/settings/actions/set/prov-db-max-connections/80`)
    const planned = await plan()
    expect(planned.servers[0]?.statements).to.deep.include({
      ...{ sql: 'SET GLOBAL max_connections = 80', name: 'max_connections', from: '60', to: '80' },
    })
    const held = Object.fromEntries((planned.servers[0]?.restart ?? []).map((one) => [one.name, one.held]))
    expect(held).to.include({
      ...{ innodb_flush_log_at_trx_commit: 'durability', sync_binlog: 'durability', gtid_domain_id: 'identity' },
      ...{ sql_mode: 'sql-mode', collation_server: 'character-set' },
    })
    const client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
    const { stdout } = await client.run('--cluster', 'shop', 'apply-dynamic', '--plan')
    expect(stdout).to.contain('  max_connections 60 -> 80\n')
    expect(stdout).to.match(/never while it runs \(durability\): sync_binlog 1 -> 0/)
    await post(`${C}/settings/actions/apply-dynamic-config`)
    const after = await variables()
    const changed = Object.keys(after).filter((one) => after[one] !== before[one])
    expect(changed.filter((one) => one in held)).to.deep.equal([])
    expect(changed).to.include('max_connections')
  })
})
