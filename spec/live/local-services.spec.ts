// From tags to running servers on one machine: databases and HAProxy made, moved and removed through API and client.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { Client } from '../support/http/client.js'
import { freePorts } from '../support/machine/ports.js'
import { textsBelow } from '../support/machine/texts-below.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

/** Found in no file but where the manager wrote them. */
const monitorPassword = 'Mq7-watches-the-databases'
const replicationPassword = 'Rx4-follows-the-primary'

describe('services on this machine', () => {
  let manager: ManagerProcess
  let client: Client
  let ports: readonly number[]
  const server = (index: number) => `127.0.0.1:${ports[index]}`

  before(async () => {
    ports = await freePorts(7)
    const [db1, db2, api = 0, write = 0, read = 0, stat = 0] = ports
    const settings = {
      'db-servers-hosts': `127.0.0.1:${db1},127.0.0.1:${db2}`,
      'db-servers-credential': `monitor:${monitorPassword}`,
      'replication-credential': `repl:${replicationPassword}`,
      'prov-orchestrator': 'local',
      'prov-db-memory': 128,
      'prov-db-tags': 'semisync,row,innodb,noquerycache,readonly,gtidstrict,linux,pkg',
      'force-slave-heartbeat-time': 1,
      haproxy: true,
      'haproxy-servers': `127.0.0.1:${api}`,
      'haproxy-write-port': write,
      'haproxy-read-port': read,
      'haproxy-stat-port': stat,
      'haproxy-ip-write-bind': '127.0.0.1',
      'haproxy-ip-read-bind': '127.0.0.1',
    }
    manager = await ManagerProcess.create({ clusters: { story: settings } })
    manager.start()
    await manager.alive()
    client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
  })
  after(async () => {
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
  })

  const proxyState = async () => (await manager.get<readonly { state: string }[]>(`${C}/topology/proxies`))[0]?.state
  const through = async (port: number, sql: string) => {
    const login = { user: 'monitor', password: monitorPassword }
    const session = unwrap(await openSession({ host: '127.0.0.1', port, ...login, connectTimeoutMs: 2_000 }))
    const [rows = []] = unwrap(await session.run(sql, [], 2_000))
    session.close()
    return rows[0] ?? {}
  }

  it('makes databases and the proxy by one command of the client, which shows the jobs', async () => {
    const { status, stdout, stderr } = await client.run('provision')
    expect(status, stderr).to.equal(0)
    for (const index of [0, 1, 2]) expect(stdout).to.match(new RegExp(`provision +${server(index)} +done`))
    const { stdout: log } = await client.run('jobs', '1')
    expect(log)
      .to.match(/^Job 1: provision of 127\.0\.0\.1:\d+, requested by admin/)
      .and.to.match(/unpacking .*config\.tar\.gz/)
  })

  it('sends writes through the proxy to the primary that was formed', async () => {
    const formed = await client.run('bootstrap')
    expect(formed.status, formed.stderr).to.equal(0)
    await eventually(async () => (await proxyState()) === 'ProxyRunning', 'the proxy is seen')
    const write = ports[3] ?? 0
    const primary = await manager.get<{ port: string }>(`${C}/topology/master`)
    await eventually(
      async () =>
        through(write, 'SELECT @@port AS port').then(
          ({ port }) => `${port}` === primary.port,
          () => false,
        ),
      'writes go to the primary',
    )
  })

  it('lets the job script in, over the socket: it works off the job table and sends the error log', async () => {
    for (const index of [0, 1])
      for (const action of ['run-jobs', 'backup-error-log']) {
        const { status, body } = await manager.post(`${C}/servers/${server(index)}/actions/${action}`)
        expect(status, body).to.equal(200)
      }
  })

  it('stops and starts the proxy by name, with the texts of the contract', async () => {
    const proxy = `${C}/proxies/${encodeURIComponent(server(2))}/actions`
    expect(await manager.post(`${proxy}/stop`)).to.include({ status: 200, body: 'Proxy Service Stopped' })
    await eventually(async () => (await proxyState()) === 'Failed', 'it is gone')
    expect(await manager.post(`${proxy}/start`)).to.include({ status: 200, body: 'Proxy Service Started' })
    expect(await manager.post(`${C}/proxies/nobody/actions/start`)).to.deep.include({ status: 500 })
    const none = await manager.session.call('GET', `${proxy}/need-restart`)
    expect(none.ok && none.value.status).to.equal(503)
  })

  it('delivers what the proxy runs on, and asks for a restart until a change of it is applied', async () => {
    const proxy = `${C}/proxies/${encodeURIComponent(server(2))}`
    const statusOf = async (path: string) => {
      const answer = await manager.session.call('GET', path)
      return answer.ok ? answer.value.status : 0
    }
    const [host, port] = server(2).split(':')
    for (const path of [`${proxy}/config`, `${C}/servers/${host}/${port}/config`])
      expect(await statusOf(path)).to.equal(200)
    await manager.post(`${C}/settings/actions/set/haproxy-stat-port/${ports[6]}`)
    await eventually(async () => (await statusOf(`${proxy}/actions/need-restart`)) === 200, 'it needs a restart')
    expect((await client.run('apply')).status).to.equal(0)
    expect(await statusOf(`${proxy}/actions/need-restart`)).to.equal(503)
    expect((await fetch(`http://127.0.0.1:${ports[6]}/`)).status).to.equal(200)
  })

  it('restarts a replica and ends with 3 where the primary is meant', async () => {
    const primary = await manager.get<{ port: string }>(`${C}/topology/master`)
    const replica = ports.slice(0, 2).find((port) => `${port}` !== primary.port)
    const { status, stderr } = await client.run('restart', `127.0.0.1:${replica}`)
    expect(status, stderr).to.equal(0)
    const refused = await client.run('unprovision', '--yes')
    expect(refused.status).to.equal(3)
    expect(refused.stderr).to.contain('use --force')
  })

  it('leaves no secret where another user of the machine may read it, and no file that another one may write', async () => {
    const backup = await manager.post(`${C}/actions/master-physical-backup?wait=true`)
    expect(backup.status, backup.body).to.equal(200)
    const sessions = readFileSync(path.join(manager.directory, 'manager', 'sessions.json'), 'utf8')
    const tokens = Object.values(JSON.parse(sessions) as Readonly<Record<string, string>>)
    const secrets = [monitorPassword, replicationPassword, 'spec-password', ...tokens]
    expect(tokens).not.to.deep.equal([])
    const below = [...textsBelow(manager.directory)].map(([file, text]) => ({
      ...{ file: path.relative(manager.directory, file), holds: secrets.some((one) => text.includes(one)) },
      mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0,
    }))
    const named = (files: typeof below) => files.map(({ file, mode }) => `${file} ${(mode & 0o777).toString(8)}`)
    const closed = below.filter(({ file, holds }) => holds || /(^|\/)(backups|recording|timeline|jobs)\//.test(file))
    expect(closed.map(({ file }) => file)).to.include.members(['config.toml', 'manager/sessions.json'])
    expect(
      closed.some(({ file }) => /(^|\/)backups\//.test(file)),
      named(below).join('\n'),
    ).to.equal(true)
    expect(named(closed.filter(({ mode }) => (mode & 0o007) !== 0))).to.deep.equal([])
    expect(named(below.filter(({ mode }) => (mode & 0o002) !== 0))).to.deep.equal([])
  })

  it('finds its services again after a restart of the manager', async () => {
    const before = await manager.get<string>(`${C}/servers/${encodeURIComponent(server(0))}/service-orchestrator`)
    expect(before).to.match(/state = running as process \d+/)
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive()
    expect(await manager.get<string>(`${C}/servers/${encodeURIComponent(server(0))}/service-orchestrator`)).to.equal(
      before,
    )
  })

  it('removes everything when that is meant', async () => {
    const { status, stdout, stderr } = await client.run('unprovision', '--force')
    expect(status, stderr).to.equal(0)
    for (const index of [0, 1, 2]) expect(stdout).to.match(new RegExp(`unprovision +${server(index)} +done`))
    expect(await client.run('jobs', '999').then((answer) => answer.status)).to.equal(5)
  })
})
