// Servers made anew one after the other on real servers of the local orchestrator, under a client that writes all the
// while: a page size that only a new data folder takes up, fillings that fail, a manager killed in the middle of one.
import { readdirSync } from 'node:fs'
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
const PATIENCE_MS = 60_000

interface Run {
  readonly id: string
  readonly phase: string
  readonly message?: string
  readonly servers: readonly { readonly name: string; readonly state: string; readonly message?: string }[]
}

describe('rolling reprovision', function () {
  this.timeout(150_000)
  let manager: ManagerProcess
  let client: Client
  let ports: readonly number[]
  let written = 0
  let stopWriting = () => {}
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
    await ask(
      await primaryPort(),
      `CREATE DATABASE story; CREATE TABLE story.written (entry INT PRIMARY KEY);
       CREATE TABLE story.kept (id INT PRIMARY KEY, bytes BLOB, word VARCHAR(20) CHARACTER SET utf8mb4);
       INSERT INTO story.kept VALUES (1, x'00FF27225C', 'żółw 🐢'), (2, NULL, NULL);
       CREATE USER app@'127.0.0.1' IDENTIFIED BY 'app'; GRANT ALL ON story.* TO app@'127.0.0.1';
       CREATE VIEW story.seen AS SELECT COUNT(*) AS entries FROM story.written;
       CREATE PROCEDURE story.look() SELECT 1;
       CREATE EVENT story.hourly ON SCHEDULE EVERY 1 HOUR DO DELETE FROM story.kept WHERE id = 99`,
    )
  })
  after(async () => {
    // A run that a failed story left goes before: it would keep the servers.
    await manager?.post(`${C}/actions/cancel-rolling-reprov`).catch(() => undefined)
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
  })

  // A story that failed leaves no writer behind.
  afterEach(() => stopWriting())

  const login = (port: number, user = 'monitor', password = 'monitors') =>
    openSession({ host: '127.0.0.1', port, user, password, connectTimeoutMs: 2_000 })
  const ask = async (port: number, sql: string): Promise<Row> => {
    const session = unwrap(await login(port))
    const answer = await session.run(sql, [], 10_000)
    session.close()
    return unwrap(answer).at(-1)?.[0] ?? {}
  }
  const primaryPort = async () => Number((await manager.get<{ port: string }>(`${C}/topology/master`)).port)
  const replicaPort = async () => {
    const primary = await primaryPort()
    return ports.find((port) => port !== primary) ?? 0
  }
  const run = () => manager.get<Run>(`${C}/rolling`)
  const log = () => manager.log().slice(-8_000)
  const set = async (setting: string, value: string): Promise<void> => {
    const reply = await manager.post(`${C}/settings/actions/set/${setting}/${encodeURIComponent(value)}`)
    expect(reply.status, reply.body).to.equal(200)
  }
  const begin = async (action: string): Promise<void> => {
    let reply = { status: 0, body: '' }
    const begun = async () => {
      reply = await manager.post(`${C}/${action}`)
      return reply.status === 200
    }
    await eventually(begun, () => `it begins: ${reply.body}`, 30_000)
  }
  const ends = async (phase: string): Promise<Run> => {
    await eventually(
      async () => (await run()).phase !== 'running',
      () => `the run ends\n${log()}`,
      PATIENCE_MS,
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
      PATIENCE_MS,
    )
  const folder = (port: number) => path.join(manager.dataDirectory, 'story', `127.0.0.1_${port}`)
  const asides = (port: number) => readdirSync(folder(port)).filter((each) => each.includes('.before-'))
  const needs = async () => {
    const reply = await manager.session.call('GET', `${C}/need-rolling-reprov`)
    return reply.ok && reply.value.status === 200
  }
  const pageSize = async (port: number) => Number((await ask(port, 'SELECT @@innodb_page_size AS size')).size)

  /** Writes one row after the other to whoever takes writes, until it is told to stop; what was acknowledged must stay. */
  const writing = () => {
    const acknowledged: number[] = []
    let stopping = false
    stopWriting = () => {
      stopping = true
    }
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
        if (done.ok) acknowledged.push(entry)
        else session.close()
        await sleep(5)
      }
      session?.close()
    }
    const running = work()
    return async () => {
      stopping = true
      await running
      await isWhole()
      const [first = 0, last = 0] = [acknowledged[0], acknowledged.at(-1)]
      for (const port of ports) {
        const held = async () => {
          const sql = `SELECT COUNT(*) AS held FROM story.written WHERE entry BETWEEN ${first} AND ${last}`
          return Number((await ask(port, sql)).held)
        }
        await eventually(
          async () => (await held()) >= acknowledged.length,
          `${name(port)} holds every acknowledged row`,
          30_000,
        )
      }
      return acknowledged.length
    }
  }

  /** Everything that was there is there, in the same words, on every server. */
  const isComplete = async () => {
    for (const port of ports) {
      expect(await ask(port, 'SELECT HEX(bytes) AS bytes, word FROM story.kept WHERE id = 1')).to.deep.equal({
        ...{ bytes: '00FF27225C', word: 'żółw 🐢' },
      })
      const app = unwrap(await login(port, 'app', 'app'))
      expect((await app.run('SELECT entries FROM story.seen', [], 5_000)).ok).to.equal(true)
      expect((await app.run('CALL story.look()', [], 5_000)).ok).to.equal(true)
      app.close()
    }
  }

  it('carries a page size to every server, each on new data, and hands the role back', async () => {
    const home = await primaryPort()
    for (const port of ports) expect(await pageSize(port)).to.equal(16_384)
    await set('prov-db-tags', [...tags, 'innodbpage8k'].join(','))
    await eventually(needs, 'the servers need to be made anew', 30_000)
    const stop = writing()
    const { status, stdout, stderr } = await client.run('rolling', 'reprov', '--yes')
    expect(status, `${stdout}${stderr}\n${log()}`).to.equal(0)
    expect(stdout).to.match(/^rolling reprovision succeeded; 3 of 3 done, asked by admin/)
    expect(await stop()).to.be.above(20)
    for (const port of ports) {
      expect(await pageSize(port)).to.equal(8_192)
      expect(asides(port)).to.deep.equal([])
    }
    await isComplete()
    expect(await primaryPort()).to.equal(home)
    await eventually(async () => !(await needs()), 'nobody needs to be made anew any more', 30_000)
    const replica = await replicaPort()
    const { STATUS } = await ask(
      replica,
      "SELECT STATUS FROM information_schema.EVENTS WHERE EVENT_SCHEMA = 'story' AND EVENT_NAME = 'hourly'",
    )
    expect(STATUS).to.equal('SLAVESIDE_DISABLED')
  })

  it('puts the old data back when the copy breaks off, and stops with the reason', async () => {
    const victim = await replicaPort()
    await ask(await primaryPort(), 'CREATE TABLE story.loose (id INT) ENGINE = MyISAM')
    await eventually(
      async () => (await ask(victim, "SHOW TABLES IN story LIKE 'loose'")) !== undefined,
      'the table is everywhere',
    )
    await begin(`servers/${encodeURIComponent(name(victim))}/actions/reprovision`)
    const ended = await ends('stopped')
    expect(ended.message).to.match(/was not made anew: .*story\.loose \(MyISAM\).*it is on its old data$/)
    await isWhole()
    expect(asides(victim)).to.deep.equal([])
    await isComplete()
    await ask(await primaryPort(), 'DROP TABLE story.loose')
    expect((await client.run('rolling', 'cancel')).status).to.equal(0)
  })

  it('goes on when the manager is killed while a server is filled', async () => {
    const stop = writing()
    const victim = await replicaPort()
    const since = (await ask(victim, 'SELECT @@pid_file AS file, UNIX_TIMESTAMP() AS at')).at
    await begin(`servers/${encodeURIComponent(name(victim))}/actions/reprovision`)
    await eventually(() => asides(victim).some((each) => each.startsWith('data')), 'the old data lie aside', 30_000)
    await manager.end('SIGKILL')
    manager.start()
    await manager.alive(60_000)
    const ended = await ends('succeeded')
    expect(ended.servers.filter(({ state }) => state === 'done').map((each) => each.name)).to.deep.equal([name(victim)])
    await stop()
    expect(asides(victim)).to.deep.equal([])
    expect(since).to.not.equal(undefined)
    await isComplete()
  })

  it('ends on request, on the old data', async () => {
    const victim = await replicaPort()
    await begin(`servers/${encodeURIComponent(name(victim))}/actions/reprovision`)
    await eventually(() => asides(victim).some((each) => each.startsWith('data')), 'the old data lie aside', 30_000)
    expect((await client.run('rolling', 'cancel')).status).to.equal(0)
    await eventually(
      async () => (await run()).phase !== 'running',
      () => `it ends\n${log()}`,
      PATIENCE_MS,
    )
    expect((await run()).phase).to.equal('cancelled')
    await isWhole()
    expect(asides(victim)).to.deep.equal([])
    await isComplete()
  })

  it('is refused for the primary, and for a server that holds what nobody else does', async () => {
    const primary = await primaryPort()
    const refused = await manager.post(`${C}/servers/${encodeURIComponent(name(primary))}/actions/reprovision`)
    expect(refused.body).to.contain('is the primary')
    const victim = await replicaPort()
    await ask(victim, 'CREATE DATABASE errant')
    let reply = { status: 0, body: '' }
    let shown = ''
    // What it holds is seen by the next look; a run that begins before that looks again before it empties anything.
    const ended = async () => {
      shown = JSON.stringify(await run())
      await sleep(100)
    }
    await eventually(
      async () => {
        await ended()
        reply = await manager.post(`${C}/servers/${encodeURIComponent(name(victim))}/actions/reprovision`)
        return reply.body.includes('that the primary lacks')
      },
      () => `it is refused: ${reply.body} ${shown}\n${log()}`,
      30_000,
    )
    expect(await ask(victim, "SHOW DATABASES LIKE 'errant'")).to.not.deep.equal({})
    expect(asides(victim)).to.deep.equal([])
  })
})
