// Stories of passwords that are rotated under a writer: replication goes on, new logins work, old ones do not, and a
// manager that is killed at any step goes on where it was.
import { mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { reveal, secret } from '../../lib/base/secret.js'
import { sleep } from '../../lib/base/time.js'
import { openSession } from '../../lib/connect/mysql2-session.js'
import { decryptSecret, generateKeyFile } from '../../lib/settings/secrets.js'
import { accounts, type Databases, eventually, type Node, replicate, startDatabases } from '../support/database.js'
import { ManagerProcess } from '../support/manager-process.js'
import { asReplica } from '../support/story.js'
import { prepareWrites, Writers } from '../support/writers.js'

const C = '/api/clusters/story'
/** This machine may be busy with other things. */
const PATIENCE_MS = 60_000

type Logins = Readonly<Record<'monitor' | 'replication', string>>

interface View {
  readonly id: string
  readonly phase: string
  readonly waitsFor?: string
  readonly message?: string
  readonly renewed: readonly string[]
}

describe('passwords that are rotated', function () {
  this.timeout(300_000)
  let databases: Databases
  let manager: ManagerProcess
  let writers: Writers
  let watched: Sampler
  let key: string

  before(async () => {
    databases = await startDatabases({ count: 3 })
    const [primary, ...replicas] = databases.nodes
    if (!primary) throw new Error('there are three nodes')
    await prepareWrites(primary)
    await replicate(primary, replicas)
    // Another account of the name, with a password of its own: it is somebody else's.
    await primary.sql("CREATE USER monitor@'192.0.2.1' IDENTIFIED BY 'of another one'")
    await primary.sql("CREATE USER monitor@'127.0.0.2' IDENTIFIED BY 'monitor'")
    const hosts = databases.nodes.map(({ host, port }) => `${host}:${port}`).join(',')
    manager = await ManagerProcess.create({ clusters: { story: { 'db-servers-hosts': hosts } } })
    const keyFile = path.join(manager.directory, 'key')
    unwrap(await generateKeyFile(keyFile))
    key = readFileSync(keyFile, 'utf8').trim()
    manager.configure({
      settings: { 'monitoring-key-path': keyFile },
      clusters: { story: { 'db-servers-hosts': hosts, 'failover-mode': 'manual', 'prov-db-tags': 'innodb' } },
    })
    const directory = path.join(manager.dataDirectory, 'story')
    mkdirSync(directory, { recursive: true })
    const own = [
      ['db-servers-credential', accounts.monitor],
      ['replication-credential', accounts.replication],
    ] as const
    const lines = own.map(([name, { user, password }]) => `${name} = "${user}:${password}"`)
    writeFileSync(savedFile(), `[saved-story]\n${lines.join('\n')}\n`, { mode: 0o600 })
    manager.start()
    await manager.alive()
    await isWhole()
    writers = new Writers(databases.nodes, { count: 1, pauseMs: 2 })
    writers.start()
    watched = new Sampler(replicas)
  })
  after(async () => {
    await writers?.stop()
    await watched?.stop()
    await manager?.destroy()
    await databases?.teardown()
  })

  const savedFile = () => path.join(manager.dataDirectory, 'story', 'story.toml')
  const recordFile = () => path.join(manager.dataDirectory, 'story', 'rotation.json')
  const rotation = () => manager.get<View | null>(`${C}/rotation`)
  const log = () => manager.log().slice(-6_000)

  /** As the manager keeps them for its next start. */
  const saved = (): Logins => {
    const text = readFileSync(savedFile(), 'utf8')
    const password = (name: string) => {
      const [, stored = ''] = new RegExp(`${name} = "([^"]*)"`).exec(text) ?? []
      const plain = stored.startsWith('aes256gcm:') ? reveal(unwrap(decryptSecret(stored, secret(key)))) : stored
      return plain.slice(plain.indexOf(':') + 1)
    }
    return { monitor: password('db-servers-credential'), replication: password('replication-credential') }
  }

  const opens = async ({ host, port }: Node, user: string, password: string): Promise<boolean> => {
    const session = await openSession({ host, port, user, password, connectTimeoutMs: 10_000 })
    if (session.ok) session.value.close()
    else if (session.failure.code !== 'sql-rejected') throw new Error(session.failure.message)
    return session.ok
  }

  const isWhole = () =>
    eventually(
      async () => {
        const servers = await manager.get<readonly { state: string }[]>(`${C}/topology/servers`)
        return (
          servers
            .map(({ state }) => state)
            .sort()
            .join() === 'Master,Slave,Slave'
        )
      },
      () => `one primary, two replicas\n${log()}`,
      PATIENCE_MS,
    )

  const begin = async (wait: boolean) => {
    let reply = { status: 0, body: '' }
    const begun = async () => {
      reply = await manager.post(`${C}/actions/rotate-passwords?wait=${wait}`)
      return reply.status === 200
    }
    await eventually(begun, () => `it begins: ${reply.status} ${reply.body}\n${log()}`, PATIENCE_MS)
    return JSON.parse(reply.body) as View
  }

  const succeeds = () =>
    eventually(
      async () => (await rotation())?.phase === 'succeeded',
      () => `the rotation ends: ${readFileSync(recordFile(), 'utf8').replace(/"secrets":"[^"]*"/, '')}\n${log()}`,
      PATIENCE_MS,
    )

  /** Every server opens with the new passwords and with the old ones no more; replication goes on with the new one. */
  const isRotated = async (old: Logins): Promise<void> => {
    const now = saved()
    expect(now.monitor).to.not.equal(old.monitor)
    expect(now.replication).to.not.equal(old.replication)
    for (const node of databases.nodes) {
      expect(await opens(node, 'monitor', now.monitor), `${node.name}: new`).to.equal(true)
      expect(await opens(node, 'repl', now.replication), `${node.name}: new, replication`).to.equal(true)
      expect(await opens(node, 'monitor', old.monitor), `${node.name}: old`).to.equal(false)
      expect(await opens(node, 'repl', old.replication), `${node.name}: old, replication`).to.equal(false)
    }
    await isWhole()
    // What the source definition holds shows when the connection is made anew.
    for (const node of databases.nodes.slice(1)) {
      await node.sql('STOP SLAVE; START SLAVE')
      await eventually(
        async () => (await threads(node)) === 'Yes Yes 0',
        () => `${node.name} replicates\n${node.log().slice(-2_000)}`,
        PATIENCE_MS,
      )
    }
  }

  it('changes them on every server while replication and writes go on', async () => {
    const old = saved()
    const ended = await begin(true)
    expect(ended.phase, `${ended.message}\n${log()}`).to.equal('succeeded')
    expect(ended.renewed).to.have.length(3)
    await isRotated(old)
    const [primary] = databases.nodes
    const ways = await primary?.sql(
      "SELECT Host AS host, COALESCE(JSON_LENGTH(Priv, '$.auth_or'), 1) AS ways, " +
        "JSON_VALUE(Priv, '$.authentication_string') AS hash FROM mysql.global_priv WHERE User = 'monitor' ORDER BY Host",
    )
    expect(ways?.map(({ host, ways: count }) => `${host} ${count}`)).to.deep.equal([
      '127.0.0.1 1',
      '127.0.0.2 1',
      '192.0.2.1 1',
    ])
    const [first, second, other] = (ways ?? []).map(({ hash }) => hash)
    expect(second).to.equal(first)
    expect(other).to.not.equal(first)
  })

  it('keeps passwords out of logs and records, and encrypted in its files', async () => {
    const now = saved()
    const folder = path.join(manager.dataDirectory, 'story')
    const files = [savedFile(), manager.logFile, path.join(manager.dataDirectory, 'security.log')]
    for (const file of readdirSync(folder).filter((name) => name.startsWith('rotation.json')))
      files.push(path.join(folder, file))
    for (const file of files)
      for (const password of Object.values(now)) expect(readFileSync(file, 'utf8'), file).to.not.contain(password)
    expect(readFileSync(recordFile(), 'utf8')).to.not.contain('secrets')
    expect(readFileSync(path.join(manager.dataDirectory, 'security.log'), 'utf8')).to.contain('passwords-rotated')
  })

  it('goes on when the manager is killed, wherever it was', async () => {
    let kills = 0
    // The accounts are open to both, a replica has its turn, the old passwords go; lib/decide looks at all the others.
    for (const cut of [2, 5, 9]) {
      const old = saved()
      const killed = killAfter(recordFile(), cut, () => manager.signal('SIGKILL'))
      // A replica that is connecting just now is not well yet; a manager that is killed does not answer.
      const begun = begin(false).then(
        () => undefined,
        (error: Error) => error,
      )
      const wasKilled = await Promise.race([killed.done, begun.then(async (error) => failed(error, killed.done))])
      await begun
      if (wasKilled) {
        kills += 1
        await manager.end('SIGKILL')
        manager.start()
        await manager.alive()
      }
      await succeeds()
      await isRotated(old)
    }
    expect(kills).to.be.above(1)
  })

  it('waits for a server that is down, and goes on when it is back', async () => {
    const old = saved()
    const [, , last] = databases.nodes
    if (!last) throw new Error('there are three nodes')
    const stopped = killAfter(recordFile(), 2, () => void last.kill('SIGKILL'))
    await begin(false)
    expect(await stopped.done).to.equal(true)
    await eventually(
      async () => (await rotation())?.waitsFor !== undefined,
      () => `it waits\n${log()}`,
      PATIENCE_MS,
    )
    const refused = await manager.post(`${C}/actions/rotate-passwords`)
    expect(refused.status).to.equal(409)
    expect(refused.body).to.contain('being rotated')
    last.start(...asReplica)
    await last.waitUp()
    await succeeds()
    await isRotated(old)
  })

  it('is cancelled while it waits: both passwords stay good, which is told, and the next one takes the old ones away', async () => {
    const old = saved()
    const [first, , last] = databases.nodes
    if (!first || !last) throw new Error('there are three nodes')
    const none = await manager.post(`${C}/actions/cancel-rotate-passwords`)
    expect(none.status).to.equal(409)
    const stopped = killAfter(recordFile(), 2, () => void last.kill('SIGKILL'))
    await begin(false)
    expect(await stopped.done).to.equal(true)
    await eventually(
      async () => (await rotation())?.waitsFor !== undefined,
      () => `it waits\n${log()}`,
      PATIENCE_MS,
    )
    const cancelled = await manager.post(`${C}/actions/cancel-rotate-passwords`)
    expect(cancelled.status, cancelled.body).to.equal(200)
    expect(JSON.parse(cancelled.body)).to.have.property('cancelledBy', 'admin')
    await eventually(
      async () => ['cancelled', 'stopped'].includes((await rotation())?.phase ?? ''),
      () => `it ends\n${log()}`,
      PATIENCE_MS,
    )
    const ended = await rotation()
    expect(await opens(first, 'monitor', saved().monitor)).to.equal(true)
    if (ended?.phase === 'stopped') {
      expect(ended.message).to.contain('cancelled by admin').and.contain(String(last.port))
      expect(await opens(first, 'repl', old.replication)).to.equal(true)
    }
    last.start(...asReplica)
    await last.waitUp()
    await isWhole()
    expect((await begin(true)).phase, log()).to.equal('succeeded')
    await isRotated(old)
  })

  it('is refused while a server is down, and says which', async () => {
    const [, , last] = databases.nodes
    await last?.kill('SIGKILL')
    let body = ''
    await eventually(
      async () => {
        const refused = await manager.post(`${C}/actions/rotate-passwords`)
        body = refused.body
        return refused.status === 409 && body.includes('does not answer')
      },
      () => `it is refused: ${body}`,
      PATIENCE_MS,
    )
    expect(body).to.contain(`:${last?.port}`)
  })

  it('never broke the replication or a write', async () => {
    await writers.stop()
    await watched.stop()
    expect(writers.errors).to.deep.equal([])
    expect(writers.acknowledged).to.have.length.above(100)
    expect(watched.errors).to.deep.equal([])
  })

  describe('that stand in the configuration file', () => {
    const view = async () => {
      const settings = await manager.get<readonly { name: string; origin: string; replaces?: string }[]>(
        `${C}/settings?detail=true`,
      )
      return settings.find(({ name }) => name === 'db-servers-credential')
    }
    const finding = async () => {
      const { warnings } = await manager.get<{ warnings: { number: string; desc: string }[] }>(`${C}/topology/alerts`)
      return warnings.find(({ number }) => number === 'WARN0323')?.desc
    }
    const isPrimary = () =>
      eventually(
        async () => (await manager.get<readonly { state: string }[]>(`${C}/topology/servers`))[0]?.state === 'Master',
        () => `it is looked at\n${log()}`,
        PATIENCE_MS,
      )
    const configure = ({ monitor, replication }: Logins) =>
      manager.configure({
        settings: { 'monitoring-key-path': path.join(manager.directory, 'key') },
        clusters: {
          story: {
            'db-servers-hosts': databases.nodes
              .slice(0, 1)
              .map(({ host, port }) => `${host}:${port}`)
              .join(),
            'prov-db-tags': 'innodb',
            'db-servers-credential': `monitor:${monitor}`,
            'replication-credential': `repl:${replication}`,
          },
        },
      })

    before(async () => {
      await manager.end('SIGKILL')
      configure(saved())
      manager.start()
      await manager.alive()
      await isPrimary()
    })

    it('change too: the saved ones hold while the old ones stand there, which is told', async () => {
      const old = saved()
      expect(await view()).to.include({ origin: 'file' })
      expect((await begin(true)).phase, log()).to.equal('succeeded')
      expect(saved().monitor).to.not.equal(old.monitor)
      expect(await opens(databases.node(0), 'monitor', old.monitor)).to.equal(false)
      expect(await view()).to.include({ origin: 'rotated' })
      expect((await view())?.replaces).to.contain(manager.configFile)
      await eventually(
        async () => (await finding())?.includes(`${manager.configFile}:`) === true,
        () => `it is told where\n${log()}`,
        PATIENCE_MS,
      )
    })

    it('come out right when the manager is killed wherever it was, and after a reload', async () => {
      for (const cut of [2, 3]) {
        const killed = killAfter(recordFile(), cut, () => manager.signal('SIGKILL'))
        const old = saved()
        const begun = begin(false).catch(() => undefined)
        if (await killed.done) await manager.end('SIGKILL')
        await begun
        if (manager.pid === 0) manager.start()
        await manager.alive()
        await succeeds()
        expect(saved().monitor).to.not.equal(old.monitor)
        expect(await opens(databases.node(0), 'monitor', saved().monitor)).to.equal(true)
        expect(await opens(databases.node(0), 'monitor', old.monitor)).to.equal(false)
        expect((await manager.post(`${C}/settings/actions/reload`)).status).to.equal(200)
        expect(await view()).to.include({ origin: 'rotated' })
        await isPrimary()
      }
    })

    it('are left to the file as soon as it gives others', async () => {
      configure(saved())
      expect((await manager.post(`${C}/settings/actions/reload`)).status).to.equal(200)
      expect(await view()).to.include({ origin: 'file' })
      expect(readFileSync(savedFile(), 'utf8')).to.not.contain('credential')
      expect(manager.log()).to.contain('dropped')
      await eventually(
        async () => (await finding()) === undefined,
        () => `nothing is left to tell\n${log()}`,
        PATIENCE_MS,
      )
      await isPrimary()
    })
  })
})

/** A rotation that could not be begun ends the wait for its steps; one that was cut short is waited for. */
async function failed(error: Error | undefined, done: Promise<boolean>): Promise<boolean> {
  if (error?.message.includes('it begins')) throw error
  return done
}

async function threads(node: Node): Promise<string> {
  const [row = {}] = await node.sql('SHOW SLAVE STATUS')
  return `${row.Slave_IO_Running} ${row.Slave_SQL_Running} ${row.Last_IO_Errno}`
}

/**
 * Calls `then` in the turn in which it sees the record at its `cut`-th state from now on. `done`: whether it came to
 * that before the rotation ended.
 */
function killAfter(file: string, cut: number, then: () => void): { readonly done: Promise<boolean> } {
  const seen = new Set([read(file)])
  return {
    done: new Promise((resolve) => {
      const watcher = watch(path.dirname(file), () => {
        const text = read(file)
        if (text === '' || seen.has(text)) return
        seen.add(text)
        const isOver = text.includes('"succeeded"') || text.includes('"stopped"')
        if (!isOver && seen.size <= cut) return
        watcher.close()
        if (!isOver) then()
        resolve(!isOver)
      })
    }),
  }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Looks at replicas without pause for errors of their receivers and appliers. */
class Sampler {
  readonly errors: string[] = []
  readonly #running: Promise<unknown>
  #stopping = false

  constructor(nodes: readonly Node[]) {
    this.#running = Promise.all(nodes.map((node) => this.#look(node)))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  async #look(node: Node): Promise<void> {
    while (!this.#stopping) {
      const [row = {}] = await node.sql('SHOW SLAVE STATUS').catch(() => [])
      for (const kind of ['IO', 'SQL']) {
        const code = String(row[`Last_${kind}_Errno`] ?? '0')
        if (code !== '0') this.errors.push(`${node.name} ${kind} ${code}: ${row[`Last_${kind}_Error`]}`)
      }
      await sleep(10)
    }
  }
}
