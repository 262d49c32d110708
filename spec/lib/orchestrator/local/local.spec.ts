// The local orchestrator on real servers: they run on what was delivered, outlive the manager and leave nothing behind.
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { type ArchiveService, createArchiveService } from '../../../../actors/archive/index.js'
import { sharePath } from '../../../../lib/base/package-root.js'
import { type Result, unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { Row } from '../../../../lib/connect/sql/session.js'
import type { ServiceSpec } from '../../../../lib/model/operation/services.js'
import type { Orchestrator, Run } from '../../../../lib/orchestrator/index.js'
import { createLocalOrchestrator, type LocalOptions, serverSite } from '../../../../lib/orchestrator/local/index.js'
import { findProcess } from '../../../../lib/orchestrator/local/process/process.js'
import { mariadb } from '../../../support/configuration/rules.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { freePorts } from '../../../support/machine/ports.js'

const monitor = { user: 'monitor', password: "it's \\ secret" }
const replication = { user: 'repl', password: 'repl' }
const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code)
const messageOf = (result: Result<unknown>) => (result.ok ? '' : result.failure.message)
const uninterrupted: Run = { signal: new AbortController().signal, log: () => {}, force: false }

describe('createLocalOrchestrator', () => {
  const workingDir = newDirectory('local')
  let archives: ArchiveService
  let servers: readonly ServiceSpec[]
  const made: (readonly [Orchestrator, ServiceSpec])[] = []

  const orchestrator = (more: Partial<LocalOptions> = {}): Orchestrator =>
    createLocalOrchestrator({ workingDir, cluster: 'demo', monitor, replication, ...more })
  const site = (server: ServiceSpec) => serverSite(workingDir, 'demo', server)
  const server = (port: number): ServiceSpec => ({
    ...{ kind: 'database', id: `db${port}1234567`, name: `127.0.0.1:${port}`, host: '127.0.0.1', port },
  })
  const deliver = async (to: readonly ServiceSpec[], settings: Readonly<Record<string, unknown>> = {}) =>
    unwrap(
      await archives.build(
        to.map(({ id, host, port }) => ({
          ...{ cluster: 'demo', software: mariadb, settings: { 'prov-db-memory': 128, ...settings } },
          server: { id, host, port },
          context: { kind: 'local', directory: site(server(port)).directory },
        })),
      ),
    )
  /** A delivered server that is removed when the specs end. */
  const delivered = async (settings?: Readonly<Record<string, unknown>>): Promise<ServiceSpec> => {
    const [port = 0] = await freePorts(1)
    await deliver([server(port)], settings)
    made.push([orchestrator(), server(port)])
    return server(port)
  }
  const ask = async (to: ServiceSpec, sql: string, login = monitor): Promise<Row> => {
    const session = unwrap(await openSession({ host: to.host, port: to.port, ...login, connectTimeoutMs: 5_000 }))
    const [rows = []] = unwrap(await session.run(sql, [], 60_000))
    session.close()
    return rows[0] ?? {}
  }

  before(async () => {
    archives = unwrap(await createArchiveService({ rulesDir: sharePath('rules/database'), workingDir }))
    servers = (await freePorts(3)).map(server)
    for (const each of servers) made.push([orchestrator(), each])
    await deliver(servers)
    const local = orchestrator()
    for (const result of await Promise.all(servers.map((each) => local.provision(each, uninterrupted)))) unwrap(result)
  })

  after(async () => {
    await Promise.all(made.map(([local, each]) => local.unprovision(each, uninterrupted)))
    await archives.close()
  })

  it('runs servers on the configuration of their archives', async () => {
    for (const each of servers) {
      const row = await ask(
        each,
        'SELECT @@port AS port, @@read_only AS read_only, @@innodb_buffer_pool_size AS pool, @@datadir AS folder',
      )
      expect(row).to.include({ port: each.port, read_only: 1, pool: 52 * 1024 * 1024 })
      expect(row.folder).to.equal(`${site(each).dataDir}/`)
    }
  })

  it('starts every server of a new cluster with an empty GTID state and its own number', async () => {
    const rows = await Promise.all(
      servers.map((each) =>
        ask(each, 'SELECT @@gtid_current_pos AS gtid, @@gtid_binlog_pos AS logged, @@server_id AS id'),
      ),
    )
    expect(rows.map(({ gtid, logged }) => `${gtid}${logged}`)).to.deep.equal(['', '', ''])
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(3)
  })

  it('makes the two accounts, and none without a password that can be used over the network', async () => {
    const [first] = servers
    if (first === undefined) throw new Error('no server')
    expect(await ask(first, 'SELECT CURRENT_USER() AS who', replication)).to.deep.equal({ who: 'repl@127.0.0.1' })
    const open = `SELECT count(*) AS n FROM mysql.global_priv WHERE host <> 'localhost'
      AND json_value(priv, '$.authentication_string') = ''`
    expect(await ask(first, open)).to.deep.equal({ n: 0 })
  })

  it('keeps passwords in no file once they are in the database', async () => {
    for (const each of servers) expect(await readdir(site(each).runDir)).to.not.include('init.sql')
  })

  it('answers the same for a server that is provisioned and runs', async () => {
    const [first] = servers
    if (first === undefined) throw new Error('no server')
    const before = await findProcess(site(first))
    expect(codeOf(await orchestrator().provision(first, uninterrupted))).to.equal('ok')
    expect(await findProcess(site(first))).to.equal(before)
  })

  it('finds its servers again after a restart of the manager, without their pid file too', async () => {
    const each = await delivered()
    unwrap(await orchestrator().provision(each, uninterrupted))
    const pid = await findProcess(site(each))
    await writeFile(site(each).pidFile, `${process.pid}\n`)
    expect(await findProcess(site(each))).to.equal(pid)
    await rm(site(each).pidFile)
    unwrap(await orchestrator().stop(each, uninterrupted))
    expect(await findProcess(site(each))).to.equal(undefined)
  })

  it('starts a server in a separate session, so that no signal to the manager reaches it', async () => {
    const [first] = servers
    if (first === undefined) throw new Error('no server')
    const pid = await findProcess(site(first))
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')
    expect(fields?.slice(2, 4)).to.deep.equal([`${pid}`, `${pid}`])
  })

  it('stops and starts a server with its data, twice if asked twice', async () => {
    const each = await delivered()
    const local = orchestrator()
    unwrap(await local.provision(each, uninterrupted))
    await ask(each, 'CREATE DATABASE kept')
    for (const step of ['stop', 'stop', 'start', 'start'] as const) unwrap(await local[step](each, uninterrupted))
    expect(await ask(each, "SHOW DATABASES LIKE 'kept'")).to.have.property('Database (kept)', 'kept')
  })

  it('takes over a newer configuration at the next start', async () => {
    const each = await delivered()
    const local = orchestrator()
    unwrap(await local.provision(each, uninterrupted))
    await deliver([each], { 'prov-db-max-connections': 77 })
    unwrap(await local.stop(each, uninterrupted))
    unwrap(await local.start(each, uninterrupted))
    expect(await ask(each, 'SELECT @@max_connections AS n')).to.deep.equal({ n: 77 })
  })

  it('kills a server that does not stop in time', async () => {
    const each = await delivered()
    const local = orchestrator({ stopMs: 300 })
    unwrap(await local.provision(each, uninterrupted))
    process.kill((await findProcess(site(each))) ?? 0, 'SIGSTOP')
    unwrap(await local.stop(each, uninterrupted))
    expect(await findProcess(site(each))).to.equal(undefined)
    unwrap(await local.start(each, uninterrupted))
  })

  it('removes data and configuration of an unprovisioned server, and can provision it again', async () => {
    const each = await delivered()
    const local = orchestrator()
    unwrap(await local.provision(each, uninterrupted))
    await ask(each, 'CREATE DATABASE lost')
    unwrap(await local.unprovision(each, uninterrupted))
    expect(await readdir(site(each).directory)).to.have.members([
      ...['config.tar.gz', '01_preserved.cnf', '02_delta.cnf', '03_agreed.cnf', 'preserved_variables.cnf'],
    ])
    unwrap(await local.provision(each, uninterrupted))
    expect(await ask(each, "SHOW DATABASES LIKE 'lost'")).to.deep.equal({})
  })

  it('keeps for good what a renewal left aside, once a server is provisioned by hand', async () => {
    const each = await delivered()
    const { renewal, provision } = orchestrator()
    if (!renewal) throw new Error('it rebuilds nothing')
    unwrap(await provision(each, uninterrupted))
    await ask(each, 'CREATE DATABASE older')
    const donor = { host: '127.0.0.1', port: 1, flavour: 'mariadb' as const }
    unwrap(await renewal.begin(each, { ...uninterrupted, donor }))
    expect(unwrap(await renewal.probe(each, uninterrupted))).to.equal('started')
    const lines: string[] = []
    unwrap(await provision(each, { ...uninterrupted, log: (line) => void lines.push(line) }))
    expect(lines.join('\n')).to.match(/^data\.before-\w+, left by .* was renamed to data\.kept-\w+:/m)
    expect(unwrap(await renewal.probe(each, uninterrupted))).to.equal('none')
    const names = async () => (await readdir(site(each).directory)).filter((name) => /\.(before|kept)-/.test(name))
    const kept = await names()
    expect(kept.map((name) => name.replace(/-.*/, '')).toSorted()).to.deep.equal(['data.kept', 'init.kept'])
    unwrap(await renewal.undo(each, uninterrupted))
    unwrap(await provision(each, uninterrupted))
    expect(await ask(each, "SHOW DATABASES LIKE 'older'")).to.deep.equal({})
    unwrap(await orchestrator().unprovision(each, uninterrupted))
    expect(await names()).to.deep.equal(kept)
  })

  it('finishes a provisioning that was broken off before its accounts were made', async () => {
    const each = await delivered()
    const given = new AbortController()
    given.abort()
    expect(codeOf(await orchestrator().provision(each, { ...uninterrupted, signal: given.signal }))).to.not.equal('ok')
    unwrap(await orchestrator().provision(each, uninterrupted))
    expect(await ask(each, 'SELECT 1 AS one')).to.deep.equal({ one: 1 })
  })

  it('names a port that another program uses', async () => {
    const each = await delivered()
    const other = net.createServer().listen(each.port, each.host)
    const result = await orchestrator().provision(each, uninterrupted)
    await new Promise((resolve) => other.close(resolve))
    expect(messageOf(result)).to.equal(
      `127.0.0.1:${each.port}: port ${each.port} of 127.0.0.1 is in use by another program`,
    )
  })

  it('says what the server said when it does not start', async () => {
    const each = await delivered()
    const local = orchestrator()
    unwrap(await local.provision(each, uninterrupted))
    unwrap(await local.stop(each, uninterrupted))
    await writeFile(path.join(site(each).init, 'etc/mysql/custom.d/02_delta.cnf'), '[mysqld]\nno_such_option = 1\n')
    const result = await local.start(each, uninterrupted)
    expect(codeOf(result)).to.equal('orchestrator-failed')
    expect(messageOf(result)).to.match(/ended soon after its start.*no_such_option/)
  })

  it('answers archive-missing and a clear failure for a server that was never delivered', async () => {
    const [port = 0] = await freePorts(1)
    expect(codeOf(await orchestrator().provision(server(port), uninterrupted))).to.equal('archive-missing')
    expect(messageOf(await orchestrator().start(server(port), uninterrupted))).to.match(/is not provisioned/)
    expect(codeOf(await orchestrator().stop(server(port), uninterrupted))).to.equal('ok')
  })

  it('names the program that is missing', async () => {
    const each = await delivered()
    const local = orchestrator({ programs: { server: '/no/such/mariadbd', installer: '/no/such/install' } })
    expect(messageOf(await local.provision(each, uninterrupted))).to.match(/\/no\/such\/mariadbd/)
  })

  it('runs servers as another user when root asks for it, and refuses it to others', async () => {
    const each = await delivered()
    for (const folder of [path.dirname(workingDir), workingDir]) await chmod(folder, 0o755)
    const result = await orchestrator({ user: 'mysql' }).provision(each, uninterrupted)
    if (process.getuid?.() !== 0) return void expect(messageOf(result)).to.match(/only root can run a server as mysql/)
    expect(messageOf(result)).to.equal('')
    const { uid } = await stat(`/proc/${await findProcess(site(each))}`)
    expect(uid).to.equal((await stat(site(each).dataDir)).uid)
    expect(uid).to.not.equal(0)
  })
})
