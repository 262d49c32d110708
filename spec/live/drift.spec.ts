// A real server made from its archive: no drift of its own; what people set is kept, decided, and never outlives a tag.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import type { DriftView, DynamicView } from '../../actors/protocol/manager/configurator.js'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { Client } from '../support/http/client.js'
import { freePorts } from '../support/machine/ports.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const C = '/api/clusters/shop'

describe('drift', () => {
  let manager: ManagerProcess
  let port = 0
  const S = () => `${C}/servers/127.0.0.1:${port}`

  before(async () => {
    const ports = await freePorts(2)
    port = ports[0] ?? 0
    manager = await ManagerProcess.create({
      clusters: {
        shop: {
          'db-servers-hosts': `127.0.0.1:${port}`,
          'db-servers-credential': 'monitor:monitors',
          'replication-credential': 'repl:replicates',
          'prov-orchestrator': 'local',
          'prov-db-memory': 128,
          'failover-mode': 'manual',
        },
      },
    })
    manager.start()
    await manager.alive()
    const tags = 'semisync,row,innodb,noquerycache,slow,linux,pkg,readonly,diskmonitor,sqlerror,compressbinlog,ssl'
    expect((await manager.post(`${C}/settings/actions/set/prov-db-tags/${tags}`)).status).to.equal(200)
    const config = `http://127.0.0.1:${manager.httpPort}${C}/servers/127.0.0.1/${port}/config`
    await eventually(async () => (await fetch(config)).status === 200, 'the archive is there')
    const made = await manager.post(`${C}/services/actions/provision`)
    expect(made.status, made.body).to.equal(200)
    await drift()
  })
  after(async () => {
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
  })

  const sql = async (text: string) => {
    const login = { user: 'monitor', password: 'monitors' }
    const session = unwrap(await openSession({ host: '127.0.0.1', port, ...login, connectTimeoutMs: PATIENCE_MS }))
    const rows = unwrap(await session.run(text, [], PATIENCE_MS))
    session.close()
    return Object.values(rows.at(-1)?.[0] ?? {})[0]
  }
  /** The server answers who started it; the manager knows it by its next probe. */
  const drift = async (): Promise<DriftView> => {
    let text = ''
    await eventually(
      async () => {
        const reply = await manager.session.call('GET', `${S()}/variables-drift`)
        text = reply.ok ? reply.value.body : reply.failure.message
        return reply.ok && reply.value.status === 200
      },
      () => `the server is compared: ${text}`,
    )
    return JSON.parse(text) as DriftView
  }
  const states = async () => Object.fromEntries((await drift()).differences.map(({ name, state }) => [name, state]))
  const file = (name: string) =>
    readFileSync(path.join(manager.dataDirectory, 'shop', `127.0.0.1_${port}`, name), 'utf8')
  const post = async (target: string) => {
    const { status, body } = await manager.post(target)
    expect(status, body).to.equal(200)
    return body === '' ? undefined : JSON.parse(body)
  }
  const codes = async (): Promise<readonly string[]> => {
    const { warnings } = await manager.get<{ warnings: { number: string }[] }>(`${C}/topology/alerts`)
    return warnings.map(({ number }) => number)
  }
  const need = async (word: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${manager.httpPort}${C}/servers/127.0.0.1/${port}/${word}`)).status
  const archived = async (name: string): Promise<string> => {
    const reply = await fetch(`http://127.0.0.1:${manager.httpPort}${C}/servers/127.0.0.1/${port}/config`)
    const input = Buffer.from(await reply.arrayBuffer())
    return execFileSync('tar', ['-xzO', `etc/mysql/custom.d/${name}`], { input }).toString()
  }

  it('is none on a server that runs on its archive', async () => {
    expect(await drift()).to.deep.equal({ server: `127.0.0.1`, watched: true, differences: [] })
  })

  it('is what a user sets at run time: kept in the archive, shown as a finding', async () => {
    await sql('SET GLOBAL max_connections = 77, GLOBAL sort_buffer_size = 65536, GLOBAL long_query_time = 3')
    const { differences } = await drift()
    expect(differences.find(({ name }) => name === 'max_connections')).to.deep.include({
      ...{ expected: '1000', deployed: '1000', running: '77', origin: 'statement', state: 'undecided' },
    })
    expect(file('02_delta.cnf')).to.contain('# the tags say 1000\nloose_max_connections = 77\n')
    await eventually(
      async () => (await archived('02_delta.cnf')).includes('loose_max_connections = 77'),
      'in the archive',
    )
    await eventually(async () => (await codes()).includes('WARN0177'), 'the finding is open')
  })

  it('is no position of replication that was preserved earlier: it is in no archive, and a finding until it is cleared', async () => {
    const own = path.join(manager.dataDirectory, 'shop', `127.0.0.1_${port}`, '01_preserved.cnf')
    writeFileSync(own, '[mysqld]\nloose_gtid_slave_pos = 0-1-7\n')
    await manager.post(`${C}/actions/regenerate-configs`)
    await drift()
    await eventually(async () => (await codes()).includes('WARN0275'), 'the finding is open')
    const archive = await archived('01_preserved.cnf')
    expect(archive)
      .to.include('left out')
      .and.not.match(/^loose_gtid/m)
    await post(`${S()}/actions/variables-clear/gtid_slave_pos`)
    expect(file('01_preserved.cnf')).to.not.include('gtid_slave_pos')
    await eventually(async () => !(await codes()).includes('WARN0275'), 'the finding is closed')
  })

  it('is shown by the client', async () => {
    const client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
    const { status, stdout, stderr } = await client.run('drift')
    expect(status, stderr).to.equal(0)
    expect(stdout).to.match(/max_connections +1000 +77 +undecided +statement/)
  })

  it('is decided one by one', async () => {
    await post(`${S()}/actions/variables-accept/max-connections`)
    await post(`${S()}/actions/variables-preserve/sort_buffer_size`)
    await post(`${S()}/actions/variables-clear/long_query_time`)
    expect(await states()).to.deep.equal({
      max_connections: 'agreed',
      sort_buffer_size: 'preserved',
      long_query_time: 'cleared',
    })
    expect(file('03_agreed.cnf')).to.contain('max_connections = 77')
    expect(file('01_preserved.cnf')).to.contain('sort_buffer_size = 65536')
    expect(file('02_delta.cnf')).to.not.contain('long_query_time')
    await eventually(async () => !(await codes()).includes('WARN0177'), 'nothing is undecided')
    await eventually(async () => (await need('need-restart')) === 200, 'a restart is needed')
    const wrong = await manager.post(`${S()}/actions/variables-accept/max_conections`)
    expect([wrong.status, JSON.parse(wrong.body).detail]).to.deep.equal([
      404,
      'no difference is named max_conections; did you mean max_connections?',
    ])
  })

  it('holds what was decided over a restart from the archive', async () => {
    await eventually(async () => (await archived('03_agreed.cnf')).includes('max_connections = 77'), 'in the archive')
    await post(`${S()}/actions/restart?force=true`)
    expect(Number(await sql('SELECT @@GLOBAL.max_connections'))).to.equal(77)
    expect(Number(await sql('SELECT @@GLOBAL.sort_buffer_size'))).to.equal(65536)
    expect(Number(await sql('SELECT @@GLOBAL.long_query_time'))).to.equal(2)
    expect(await states()).to.deep.equal({ max_connections: 'agreed', sort_buffer_size: 'preserved' })
    await eventually(async () => (await need('need-restart')) === 503, 'the restart is done')
  })

  it('never outlives a later change of the configuration, but where it is preserved', async () => {
    await sql('SET GLOBAL innodb_io_capacity_max = 555')
    expect((await states()).innodb_io_capacity_max).to.equal('undecided')
    await post(`${C}/settings/actions/set/prov-db-iops/900`)
    await post(`${C}/settings/actions/set/prov-db-max-connections/300`)
    await eventually(async () => !(await archived('02_delta.cnf')).includes('innodb_io_capacity_max'), 'not kept')
    expect(await archived('03_agreed.cnf')).to.not.contain('max_connections')
    expect(await states()).to.include({
      innodb_io_capacity_max: 'pending',
      max_connections: 'pending',
      sort_buffer_size: 'preserved',
    })
  })

  it('ends where the configuration is applied at run time, read back', async () => {
    const plan: DynamicView = await post(`${C}/settings/actions/apply-dynamic-config?plan=true`)
    expect(plan.servers[0]?.statements.map(({ sql: each }) => each)).to.include('SET GLOBAL max_connections = 300')
    expect(Number(await sql('SELECT @@GLOBAL.max_connections'))).to.equal(77)
    const done: DynamicView = await post(`${C}/settings/actions/apply-dynamic-config`)
    expect(done.servers[0]?.statements.filter(({ refused }) => refused)).to.deep.equal([])
    expect(Number(await sql('SELECT @@GLOBAL.max_connections'))).to.equal(300)
    expect(Number(await sql('SELECT @@GLOBAL.innodb_io_capacity_max'))).to.equal(900)
    expect(Number(await sql('SELECT @@GLOBAL.sort_buffer_size')), 'which is preserved').to.equal(65536)
    expect(done.servers[0]?.restart.map(({ name }) => name)).to.deep.equal([])
    await eventually(async () => (await need('need-restart')) === 503, 'no restart is needed')
    expect(await states()).to.deep.equal({ sort_buffer_size: 'preserved' })
  })

  it('does not even begin where changes are applied automatically', async () => {
    await post(`${C}/settings/actions/set/prov-db-apply-dynamic-config/true`)
    await post(`${C}/settings/actions/add-db-tag/general`)
    await eventually(async () => String(await sql('SELECT @@GLOBAL.general_log')) === '1', 'the log is on')
    await post(`${C}/settings/actions/drop-db-tag/general`)
    await eventually(async () => String(await sql('SELECT @@GLOBAL.general_log')) === '0', 'the log is off')
    await post(`${C}/settings/actions/add-db-tag/metadatalocks`)
    const loaded = "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'METADATA_LOCK_INFO'"
    await eventually(async () => String(await sql(loaded)) === '1', 'the plugin is there')
    await eventually(() => manager.log().includes('configuration-applied'), 'it is logged')
    await eventually(async () => (await need('need-restart')) === 503, 'no restart is needed')
  })

  it('needs a restart for what cannot be set at run time, and names it', async () => {
    await post(`${C}/settings/actions/add-db-tag/nodoublewrite`)
    await eventually(async () => (await need('need-restart')) === 200, 'a restart is needed')
    const { servers }: DynamicView = await post(`${C}/settings/actions/apply-dynamic-config`)
    expect(servers[0]?.restart).to.deep.equal([{ name: 'innodb_doublewrite', expected: 'OFF', running: 'ON' }])
    await post(`${S()}/actions/restart?force=true`)
    await eventually(async () => (await need('need-restart')) === 503, 'the restart is done')
    expect(await states()).to.deep.equal({ sort_buffer_size: 'preserved' })
  })

  it('is preserved for every server of the cluster, and taken back there', async () => {
    await post(`${S()}/actions/variables-clear/sort_buffer_size`)
    await sql('SET GLOBAL wait_timeout = 1234, GLOBAL back_log = DEFAULT').catch(() => undefined)
    await sql('SET GLOBAL long_query_time = 4')
    await post(`${S()}/actions/variables-preserve/long_query_time?everywhere=true`)
    const text = async () => {
      const reply = await manager.session.call('GET', `${C}/preserved-variables-cnf`)
      return reply.ok ? reply.value.body : ''
    }
    expect(await text()).to.contain('long_query_time = 4')
    const refused = await manager.post(`${S()}/actions/variables-clear/long_query_time`)
    expect([refused.status, JSON.parse(refused.body).code]).to.deep.equal([409, 'wrong-state'])
    await post(`${S()}/actions/variables-clear/long_query_time?everywhere=true`)
    expect(await text()).to.not.contain('long_query_time')
  })
})
