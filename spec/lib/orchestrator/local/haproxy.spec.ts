// HAProxy on this machine under the local orchestrator: made, found again, reloaded without losing a session, removed.
import { once } from 'node:events'
import { readdir, rm, stat } from 'node:fs/promises'
import net from 'node:net'
import { expect } from 'chai'
import { type ArchiveService, createArchiveService, type ProxyArchiveInput } from '../../../../actors/archive/index.js'
import { sharePath } from '../../../../lib/base/package-root.js'
import { type Result, unwrap } from '../../../../lib/base/result.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import { haproxySite } from '../../../../lib/orchestrator/local/haproxy.js'
import { createLocalOrchestrator, type LocalOptions } from '../../../../lib/orchestrator/local/index.js'
import { findProcess } from '../../../../lib/orchestrator/local/process/process.js'
import { parseServersState, serverOf } from '../../../../lib/proxy/haproxy/tables.js'
import { ask } from '../../../../lib/proxy/haproxy/wire.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { freePorts } from '../../../support/machine/ports.js'
import { haproxyFacts, proxyInput } from '../../../support/proxies/proxies.js'
import { eventually } from '../../../support/wait.js'

const run = { signal: new AbortController().signal, log: () => {}, force: false }
const messageOf = (result: Result<unknown>) => (result.ok ? '' : result.failure.message)

describe('haproxySteps', () => {
  const workingDir = newDirectory('local-haproxy')
  let ports: readonly number[]
  let echo: net.Server
  let archives: ArchiveService
  const at = (index: number) => ({ host: '127.0.0.1', port: ports[index] ?? 0 })
  const service = (): ServiceSpec => ({
    ...{ kind: 'proxy', software: 'haproxy', id: 'px1', name: 'lb1' },
    ...at(0),
  })
  const input = (more: Partial<ProxyArchiveInput> = {}): ProxyArchiveInput =>
    proxyInput({
      ...{
        context: { kind: 'local', directory: site().directory },
        proxy: { ...service(), software: 'haproxy', position: 0 },
      },
      databases: [{ id: 'db1', ...at(4) }],
      facts: haproxyFacts({ write: at(1).port, read: at(2).port, stats: at(3).port, admin: at(0).port }),
      ...more,
    })
  const options = (): LocalOptions => ({
    ...{ workingDir, cluster: 'demo', monitor: { user: '', password: '' }, replication: { user: '', password: '' } },
    haproxy: { program: '/usr/sbin/haproxy' },
  })
  const orchestrator = () => createLocalOrchestrator(options())
  const build = async (more: Partial<ProxyArchiveInput> = {}) => unwrap(await archives.buildProxies([input(more)]))
  const site = () => haproxySite(workingDir, 'demo', service())
  const send = async (...commands: string[]) =>
    unwrap(await ask({ endpoint: { host: '127.0.0.1', port: ports[0] ?? 0 }, commands, timeoutMs: 30_000 }))

  before(async () => {
    ports = await freePorts(6)
    archives = unwrap(await createArchiveService({ rulesDir: sharePath('rules/database'), workingDir }))
    await build()
    echo = net.createServer((socket) => void socket.pipe(socket)).listen(ports[4], '127.0.0.1')
  })
  after(async () => {
    await orchestrator().unprovision(service(), run)
    await archives.close()
    echo.close()
  })

  it('starts it closed: no client is routed before the manager has configured it', async () => {
    unwrap(await orchestrator().provision(service(), run))
    const servers = parseServersState(await send('show servers state')).map(serverOf)
    expect(servers.map(({ backend, name, adminState }) => [backend, name, adminState])).to.deep.equal([
      ['service_write', 'leader', 'maint'],
      ['service_read', 'db1', 'maint'],
    ])
  })

  it('finds it again after a restart of the manager, without its pid file too', async () => {
    const pid = await findProcess(site())
    unwrap(await orchestrator().start(service(), run))
    expect(await findProcess(site())).to.equal(pid)
    await rm(site().pidFile)
    expect(await findProcess(site())).to.equal(pid)
    expect(unwrap(await orchestrator().describe(service()))).to.contain(`running as process ${pid}`)
  })

  it('keeps sessions over a reload, and starts no process for an equal configuration', async () => {
    await send(`set server service_read/db1 state ready`)
    const session = net.connect(ports[2] ?? 0, '127.0.0.1')
    const said = () => new Promise<string>((resolve) => session.once('data', (bytes) => resolve(String(bytes))))
    await send(
      `set server service_write/leader addr 127.0.0.9 port ${ports[4]}`,
      'set server service_write/leader state ready',
    )
    session.write('one')
    expect(await said()).to.equal('one')
    const pid = await findProcess(site())
    unwrap(await orchestrator().apply(service(), run))
    expect(await findProcess(site())).to.equal(pid)
    await build({ databases: ['db1', 'db2'].map((id, index) => ({ id, ...at(4 + index) })) })
    unwrap(await orchestrator().apply(service(), run))
    expect(await findProcess(site())).to.not.equal(pid)
    const states = parseServersState(await send('show servers state')).map(serverOf)
    expect(
      states.map(({ name, host, adminState }) => [name, host, adminState]),
      'the new process goes on with the states of the old one, and what is new is closed',
    ).to.deep.equal([
      ['leader', '127.0.0.9', 'ready'],
      ['db1', '127.0.0.1', 'ready'],
      ['db2', '127.0.0.1', 'maint'],
    ])
    session.write('two')
    expect(await said()).to.equal('two')
    session.destroy()
    await eventually(async () => !(await stat(`/proc/${pid}`).catch(() => undefined)), 'the old one ends')
  })

  it('refuses a configuration with a fault and lets the one that runs go on', async () => {
    const pid = await findProcess(site())
    await build({ facts: { ...input().facts, backends: { write: 'two words', read: 'service_read' } } })
    const result = await orchestrator().apply(service(), run)
    await build()
    expect(messageOf(result)).to.match(/words/)
    expect(await findProcess(site())).to.equal(pid)
  })

  it('stops and starts it', async () => {
    for (const step of ['stop', 'stop', 'start', 'restart'] as const) unwrap(await orchestrator()[step](service(), run))
    expect(await send('show info')).to.match(/^Version: /m)
  })

  it('says what HAProxy said when it does not start', async () => {
    unwrap(await orchestrator().stop(service(), run))
    await build({ facts: { ...input().facts, binds: { write: '192.0.2.1', read: '127.0.0.1' } } })
    const result = await orchestrator().start(service(), run)
    await build()
    expect(messageOf(result)).to.match(/ended soon after its start.*cannot bind/i)
  })

  /** A program that listens there, as soon as the service of the test before has ended. */
  const listenAt = async (port: number): Promise<net.Server> => {
    const server = net.createServer()
    const isListening = () =>
      once(server.listen(port, '127.0.0.1'), 'listening').then(
        () => true,
        () => false,
      )
    await eventually(isListening, `${port} is free`)
    return server
  }

  it('starts none beside a program that listens on one of its ports, and names the port', async () => {
    for (const port of ports.slice(0, 4)) {
      const other = await listenAt(port)
      const result = await orchestrator().start(service(), run)
      await new Promise((resolve) => other.close(resolve))
      expect(messageOf(result)).to.contain(`lb1: another program already listens on 127.0.0.1:${port}; stop it, or`)
    }
  })

  it('starts none beside another HAProxy, with which it would share its ports', async () => {
    const elsewhere = createLocalOrchestrator({ ...options(), cluster: 'other' })
    const { directory } = haproxySite(workingDir, 'other', service())
    await build({ cluster: 'other', context: { kind: 'local', directory } })
    unwrap(await elsewhere.start(service(), run))
    const result = await orchestrator().start(service(), run)
    unwrap(await elsewhere.unprovision(service(), run))
    expect(messageOf(result)).to.contain(`another program already listens on 127.0.0.1:${ports[0]}`)
  })

  it('names the archive that is not there', async () => {
    const other = await orchestrator().provision({ ...service(), port: at(5).port }, run)
    expect(other.ok ? '' : other.failure.code).to.equal('archive-missing')
  })

  it('removes what it made', async () => {
    unwrap(await orchestrator().start(service(), run))
    unwrap(await orchestrator().unprovision(service(), run))
    expect(await findProcess(site())).to.equal(undefined)
    const left = await readdir(site().directory)
    expect(left.filter((name) => !name.startsWith('@cookie_'))).to.deep.equal(['config.tar.gz'])
  })

  it('runs no other kind of proxy', async () => {
    const other = await orchestrator().start({ ...service(), software: 'proxysql' }, run)
    expect(other.ok ? '' : other.failure.code).to.equal('unsupported')
  })
})
