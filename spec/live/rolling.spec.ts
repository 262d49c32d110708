// Rolling work on real servers of the local orchestrator, under a client that writes all the while: a tag that needs a
// restart, a manager killed at every step, a server that does not come back, a failover in between, an end on request.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/mysql2-session.js'
import type { Row, SqlSession } from '../../lib/connect/sql.js'
import { Client } from '../support/client.js'
import { eventually } from '../support/database.js'
import { ManagerProcess } from '../support/manager-process.js'
import { freePorts } from '../support/ports.js'

const C = '/api/clusters/story'
const tags = ['semisync', 'row', 'innodb', 'noquerycache', 'readonly', 'gtidstrict', 'linux', 'pkg']
/** A switchover stops writes for a moment; this machine may be busy with other things. */
const LONGEST_GAP_MS = 3_000
const ENDS_WITHIN_MS = 120_000

interface Run {
  readonly id: string
  readonly phase: string
  readonly message?: string
  readonly servers: readonly { readonly name: string; readonly state: string; readonly message?: string }[]
}

describe('rolling work', function () {
  this.timeout(600_000)
  let manager: ManagerProcess
  let client: Client
  let ports: readonly number[]
  const name = (port: number | undefined) => `127.0.0.1:${port}`

  before(async () => {
    ports = await freePorts(3)
    manager = await ManagerProcess.create({
      clusters: {
        story: {
          'db-servers-hosts': ports.map(name).join(','),
          'db-servers-credential': 'monitor:monitors',
          'replication-credential': 'repl:replicates',
          'prov-orchestrator': 'local',
          'prov-db-memory': 128,
          'prov-db-tags': tags.join(','),
          'force-slave-heartbeat-time': 1,
          'failover-mode': 'automatic',
          'failover-limit': 0,
        },
      },
    })
    manager.start()
    await manager.alive(60_000)
    client = new Client({ port: manager.apiPort, user: 'admin', password: 'spec-password' })
    const made = await client.run('provision')
    expect(made.status, made.stderr).to.equal(0)
    const formed = await client.run('bootstrap')
    expect(formed.status, formed.stderr).to.equal(0)
    await isWhole()
    await ask(await primaryPort(), 'CREATE DATABASE story; CREATE TABLE story.written (entry INT PRIMARY KEY)')
    await ask(
      await primaryPort(),
      "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app'; GRANT ALL ON story.* TO app@'127.0.0.1'",
    )
  })
  after(async () => {
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
  })

  const login = (port: number, user = 'monitor', password = 'monitors') =>
    openSession({ host: '127.0.0.1', port, user, password, connectTimeoutMs: 2_000 })
  const ask = async (port: number, sql: string): Promise<Row> => {
    const session = unwrap(await login(port))
    const answer = await session.run(sql, [], 10_000)
    session.close()
    return unwrap(answer).at(-1)?.[0] ?? {}
  }
  const startedAt = async (port: number): Promise<number> => {
    const { uptime } = await ask(
      port,
      "SELECT VARIABLE_VALUE AS uptime FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME'",
    )
    return performance.now() - Number(uptime) * 1_000
  }
  const primaryPort = async () => Number((await manager.get<{ port: string }>(`${C}/topology/master`)).port)
  const run = () => manager.get<Run>(`${C}/rolling`)
  const states = async () => Object.fromEntries((await run()).servers.map(({ name, state }) => [name, state]))
  const log = () => manager.log().slice(-6_000)
  const alerts = async () =>
    (await manager.get<{ warnings: readonly { number: string; desc: string }[] }>(`${C}/topology/alerts`)).warnings
  const set = async (setting: string, value: string): Promise<void> => {
    const reply = await manager.post(`${C}/settings/actions/set/${setting}/${encodeURIComponent(value)}`)
    expect(reply.status, reply.body).to.equal(200)
  }
  const begin = async (word = 'rolling'): Promise<void> => {
    let reply = { status: 0, body: '' }
    const begun = async () => {
      reply = await manager.post(`${C}/actions/${word}`)
      return reply.status === 200
    }
    // A replica that is connecting just now is not well yet.
    await eventually(begun, () => `it begins: ${reply.body}`)
  }
  const ends = async (phase: string): Promise<Run> => {
    await eventually(
      async () => (await run()).phase !== 'running',
      () => `the run ends\n${log()}`,
      ENDS_WITHIN_MS,
    )
    const ended = await run()
    expect(ended.phase, `${ended.message}\n${log()}`).to.equal(phase)
    return ended
  }
  const isWhole = () =>
    eventually(
      async () => {
        const servers = await manager.get<readonly { state: string; isMaintenance: boolean }[]>(`${C}/topology/servers`)
        const found = servers.map(({ state }) => state).sort()
        return found.join() === 'Master,Slave,Slave' && servers.every(({ isMaintenance }) => !isMaintenance)
      },
      () => `one primary, two replicas, none in maintenance\n${log()}`,
      30_000,
    )

  /** Writes one row after the other to whoever takes writes, until it is told to stop; what was acknowledged must stay. */
  const writing = () => {
    const acknowledged: { readonly entry: number; readonly at: number }[] = []
    let stopping = false
    const work = async () => {
      let session: SqlSession | undefined
      for (let turn = 0; !stopping; ) {
        if (!session?.open) {
          const opened = await login(ports[turn % 3] ?? 0, 'app', 'app')
          turn += 1
          session = opened.ok ? opened.value : undefined
          if (!session) await sleep(5)
          continue
        }
        const entry = ++written
        const done = await session.run('INSERT INTO story.written VALUES (?)', [entry], 5_000)
        if (done.ok) acknowledged.push({ entry, at: performance.now() })
        else session.close()
        await sleep(2)
      }
      session?.close()
    }
    const running = work()
    return async () => {
      stopping = true
      await running
      const times = acknowledged.map(({ at }) => at)
      const gap = times.slice(1).reduce((longest, at, index) => Math.max(longest, at - (times[index] ?? at)), 0)
      await isWhole()
      const last = acknowledged.at(-1)?.entry ?? 0
      for (const port of ports) {
        const held = () => ask(port, `SELECT COUNT(*) AS held FROM story.written WHERE entry <= ${last}`)
        const first = acknowledged[0]?.entry ?? 0
        const own = () =>
          ask(port, `SELECT COUNT(*) AS held FROM story.written WHERE entry BETWEEN ${first} AND ${last}`)
        await eventually(
          async () => Number((await own()).held) >= acknowledged.length,
          `${name(port)} holds every acknowledged row`,
        )
        expect(Number((await held()).held)).to.be.at.least(acknowledged.length)
      }
      return { gap, count: acknowledged.length }
    }
  }
  let written = 0

  it('carries a tag that needs a restart to every server, and hands the role back', async () => {
    const home = await primaryPort()
    // As if nobody had looked at the drift of the servers yet: what they run with is no decision against the new tag.
    rmSync(path.join(manager.dataDirectory, 'story', 'drift.json'), { force: true })
    await set('prov-db-tags', [...tags, 'pfs'].join(','))
    await eventually(
      async () => (await manager.session.call('GET', `${C}/need-rolling-restart`)).ok && (await needs()),
      'the servers need a restart',
      20_000,
    )
    for (const port of ports) {
      expect(await ask(port, 'SELECT @@performance_schema AS pfs')).to.include({ pfs: 0 })
      await manager.get(`${C}/servers/${encodeURIComponent(name(port))}/variables-drift`)
    }
    const stop = writing()
    const { status, stdout, stderr } = await client.run('rolling', 'restart')
    expect(status, `${stderr}\n${log()}`).to.equal(0)
    expect(stdout).to.match(/^rolling restart succeeded; 3 of 3 done, asked by admin/)
    const { gap, count } = await stop()
    expect(count).to.be.above(50)
    expect(gap).to.be.below(LONGEST_GAP_MS)
    for (const port of ports) expect(await ask(port, 'SELECT @@performance_schema AS pfs')).to.include({ pfs: 1 })
    expect(await primaryPort()).to.equal(home)
    await eventually(async () => !(await needs()), 'nobody needs a restart any more', 20_000)
    const cluster = await manager.get<{ inRollingRestart: boolean }>(C)
    expect(cluster.inRollingRestart).to.equal(false)
  })

  const needs = async () => {
    const reply = await manager.session.call('GET', `${C}/need-rolling-restart`)
    return reply.ok && reply.value.status === 200
  }

  it('keeps other hands off while it runs, and ends on request when the server that has its turn is back', async () => {
    const before = await Promise.all(ports.map(startedAt))
    await begin()
    await eventually(async () => Object.values(await states()).includes('acting'), 'a server has its turn')
    const [server = ''] = Object.keys(await states())
    const refused = await manager.post(`${C}/servers/${encodeURIComponent(server)}/actions/stop`)
    expect(refused).to.deep.include({ status: 409 })
    expect((await manager.post(`${C}/actions/switchover`)).status).to.equal(409)
    expect((await manager.post(`${C}/actions/rolling`)).status).to.equal(409)
    expect((await manager.post(`${C}/actions/cancel-rolling-reprov`)).status).to.equal(409)
    const cancelled = await client.run('rolling', 'cancel')
    expect(cancelled.status, cancelled.stderr).to.equal(0)
    const ended = await ends('cancelled')
    expect(ended.message).to.equal('cancelled by admin')
    await isWhole()
    const after = await Promise.all(ports.map(startedAt))
    expect(after.filter((at, index) => at - (before[index] ?? 0) > 2_500)).to.have.length(1)
  })

  it('goes on when the manager is killed at each of its steps', async () => {
    const before = performance.now()
    const home = await primaryPort()
    const stop = writing()
    const file = path.join(manager.dataDirectory, 'story', 'rolling.json')
    const step = () => {
      const { value } = JSON.parse(readFileSync(file, 'utf8')) as { value: Run & { moving?: object; primary: string } }
      const words = value.servers.map(({ state }) => state).join(' ')
      return { phase: value.phase, key: `${words}${value.moving ? ' moving' : ''} ${value.primary}` }
    }
    await begin()
    const seen = new Set<string>()
    for (const until = performance.now() + 400_000; performance.now() < until; await sleep(5)) {
      const { phase, key } = step()
      if (phase !== 'running') break
      if (seen.has(key)) continue
      seen.add(key)
      // In the middle of what it has just begun.
      await sleep(seen.size % 2 === 0 ? 150 : 0)
      await manager.end('SIGKILL')
      manager.start()
      await manager.alive(60_000)
    }
    const ended = await ends('succeeded')
    expect(seen.size, [...seen].join('\n')).to.be.above(8)
    expect(ended.servers.map(({ state }) => state)).to.deep.equal(['done', 'done', 'done'])
    await stop()
    for (const port of ports) expect(await startedAt(port)).to.be.above(before - 1_000)
    expect(await primaryPort()).to.equal(home)
  })

  it('stops with a finding when a server does not come back, the others serving', async () => {
    const primary = await primaryPort()
    const stop = writing()
    // The next start of the first replica reads an option that no server knows.
    const victim = ports.find((port) => port !== primary)
    const overlay = path.join(manager.dataDirectory, 'story', `127.0.0.1_${victim}`, '01_preserved.cnf')
    const kept = readFileSync(overlay, 'utf8')
    writeFileSync(overlay, '[mysqld]\nno_such_option = 1\n')
    expect((await manager.post(`${C}/actions/regenerate-configs`)).status).to.equal(200)
    const { status, stdout } = await client.run('rolling', 'restart')
    expect(status).to.not.equal(0)
    expect(stdout).to.match(/^rolling restart stopped: 127\.0\.0\.1:\d+ did not come back/)
    const ended = await ends('stopped')
    const [first, ...others] = ended.servers
    expect(first).to.include({ name: name(victim), state: 'failed' })
    expect(others.map(({ state }) => state)).to.deep.equal(['skipped', 'skipped'])
    expect(await primaryPort()).to.equal(primary)
    expect((await alerts()).find(({ number }) => number === 'WARN0320')?.desc).to.contain('did not come back')
    writeFileSync(overlay, kept)
    expect((await manager.post(`${C}/actions/regenerate-configs`)).status).to.equal(200)
    const back = await client.run('start', first?.name ?? '')
    expect(back.status, back.stderr).to.equal(0)
    await stop()
    expect((await client.run('rolling', 'cancel')).status).to.equal(0)
    await eventually(
      async () => (await alerts()).every(({ number }) => number !== 'WARN0320'),
      'the finding is dismissed',
    )
  })

  it('gives way to a failover', async () => {
    const old = await primaryPort()
    await begin()
    await eventually(async () => Object.values(await states()).includes('acting'), 'a server has its turn')
    const text = await manager.get<string>(`${C}/servers/${encodeURIComponent(name(old))}/service-orchestrator`)
    process.kill(Number(/running as process (\d+)/.exec(text)?.[1]), 'SIGKILL')
    const ended = await ends('stopped')
    expect(ended.message).to.equal('a failover took precedence')
    expect(await primaryPort()).to.not.equal(old)
    const back = await client.run('start', name(old))
    expect(back.status, back.stderr).to.equal(0)
    await isWhole()
  })

  it('rebuilds the tables of the replicas, one after the other', async () => {
    const { status, stdout, stderr } = await client.run('rolling', 'optimize')
    expect(status, `${stderr}\n${log()}`).to.equal(0)
    expect(stdout).to.match(/^rolling optimize succeeded; 2 of 2 done/)
    const jobs = (await client.run('jobs')).stdout
    const [, number = ''] = /(\d+) +optimize/.exec(jobs) ?? []
    expect((await client.run('jobs', number)).stdout).to.contain('story.written rebuilt in')
    await isWhole()
  })

  it('is refused where the manager does not run the servers', async () => {
    await set('prov-orchestrator', 'kube')
    const refused = await manager.post(`${C}/actions/rolling`)
    expect(refused.status).to.equal(501)
    expect(refused.body).to.contain('prov-orchestrator = kube')
    await set('prov-orchestrator', 'local')
  })
})
