// Stories of passwords that are rotated under a writer: replication goes on, new logins work, old ones do not, and a
// manager that is killed at any step goes on where it was.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { sleep } from '../../lib/base/time.js'
import type { Rotation } from '../../lib/model/operation/rotation.js'
import { accounts, type Databases, type Node, replicate, startDatabases } from '../support/databases/database.js'
import { prepareWrites, Writers } from '../support/databases/writers.js'
import { TcpGate } from '../support/machine/tcp-gate.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { PassingUser } from '../support/manager/passing-user.js'
import { type Logins, opens, RotationDesk } from '../support/manager/rotation.js'
import { asReplica } from '../support/stories/story.js'
import { eventually } from '../support/wait.js'

const C = '/api/clusters/story'

describe('passwords that are rotated', function () {
  this.timeout(900_000)
  let databases: Databases
  let manager: ManagerProcess
  let writers: Writers
  let watched: Sampler
  let desk: RotationDesk
  let gates: readonly TcpGate[] = []

  before(async () => {
    databases = await startDatabases({ count: 3 })
    const [primary, ...replicas] = databases.nodes
    if (!primary) throw new Error('there are three nodes')
    await prepareWrites(primary)
    gates = await Promise.all(databases.nodes.map(({ port }) => TcpGate.to(port)))
    const [gate] = gates
    await replicate(primary, replicas, { at: { host: '127.0.0.1', port: gate?.port ?? 0 } })
    // Another account of the name, with a password of its own: it belongs to another user.
    await primary.sql("CREATE USER monitor@'192.0.2.1' IDENTIFIED BY 'of another one'")
    await primary.sql("CREATE USER monitor@'127.0.0.2' IDENTIFIED BY 'monitor'")
    const hosts = gates.map(({ address }) => address).join(',')
    manager = await ManagerProcess.create({ clusters: { story: { 'db-servers-hosts': hosts } } })
    desk = await RotationDesk.open(manager, gates)
    manager.configure({
      settings: { 'monitoring-key-path': desk.keyFile },
      clusters: { story: { 'db-servers-hosts': hosts, 'failover-mode': 'manual', 'prov-db-tags': 'innodb' } },
    })
    const directory = path.join(manager.dataDirectory, 'story')
    mkdirSync(directory, { recursive: true })
    const own = [
      ['db-servers-credential', accounts.monitor],
      ['replication-credential', accounts.replication],
    ] as const
    const lines = own.map(([name, { user, password }]) => `${name} = "${user}:${password}"`)
    writeFileSync(desk.savedFile, `[saved-story]\n${lines.join('\n')}\n`, { mode: 0o600 })
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
    for (const gate of gates) await gate.close()
  })

  /** By which the manager knows it. */
  const portOf = (node: Node): string => String(gates[databases.nodes.indexOf(node)]?.port)

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
      () => `one primary, two replicas\n${desk.log()}`,
    )

  /** Every server opens with the new passwords and with the old ones no more; replication goes on with the new one. */
  const isRotated = async (old: Logins): Promise<void> => {
    const now = desk.saved()
    expect(now.monitor).to.not.equal(old.monitor)
    expect(now.replication).to.not.equal(old.replication)
    for (const node of databases.nodes) {
      expect(await opens(node, 'monitor', now.monitor), `${node.name}: new`).to.equal(true)
      expect(await opens(node, 'repl', now.replication), `${node.name}: new, replication`).to.equal(true)
      expect(await opens(node, 'monitor', old.monitor), `${node.name}: old`).to.equal(false)
      expect(await opens(node, 'repl', old.replication), `${node.name}: old, replication`).to.equal(false)
    }
    await isWhole()
    // What the source definition holds shows when the connection is opened again.
    for (const node of databases.nodes.slice(1)) {
      await node.sql('STOP SLAVE; START SLAVE')
      await eventually(
        async () => (await threads(node)) === 'Yes Yes 0',
        () => `${node.name} replicates\n${node.log().slice(-2_000)}`,
      )
    }
  }

  it('changes them on every server while replication and writes go on', async () => {
    const old = desk.saved()
    const ended = await desk.begin(true)
    expect(ended.phase, `${ended.message}\n${desk.log()}`).to.equal('succeeded')
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
    const now = desk.saved()
    const folder = path.join(manager.dataDirectory, 'story')
    const files = [desk.savedFile, manager.logFile, path.join(manager.dataDirectory, 'security.log')]
    for (const file of readdirSync(folder).filter((name) => name.startsWith('rotation.json')))
      files.push(path.join(folder, file))
    for (const file of files)
      for (const password of Object.values(now)) expect(readFileSync(file, 'utf8'), file).to.not.contain(password)
    expect(readFileSync(desk.recordFile, 'utf8')).to.not.contain('secrets')
    expect(readFileSync(path.join(manager.dataDirectory, 'security.log'), 'utf8')).to.contain('passwords-rotated')
  })

  /** spec/lib/decide covers all the others. */
  const moments: Readonly<Record<string, (rotation: Rotation) => boolean>> = {
    'the accounts are open to both': ({ phase }) => phase !== 'admitting',
    'a replica has its turn': ({ turn }) => turn !== undefined,
    'the old passwords go': ({ phase }) => phase === 'narrowing',
  }

  for (const [moment, isDue] of Object.entries(moments))
    it(`goes on when the manager is killed as ${moment}`, async () => {
      const old = desk.saved()
      await desk.cut(isDue, () => manager.signal('SIGKILL'))
      await manager.end('SIGKILL')
      manager.start()
      await manager.alive()
      await desk.succeeds()
      await isRotated(old)
    })

  /** A rotation under which this server dies; resolves when it waits for it, with the logins from before. */
  const waitsFor = async (last: Node): Promise<Logins> => {
    const old = desk.saved()
    let gone: Promise<void> | undefined
    await desk.cut(
      ({ phase }) => phase !== 'admitting',
      () => {
        gone = last.kill('SIGKILL')
      },
    )
    await gone
    await desk.waits(portOf(last))
    return old
  }

  it('waits for a server that is down, and goes on when it is back', async () => {
    const [, , last] = databases.nodes
    if (!last) throw new Error('there are three nodes')
    const old = await waitsFor(last)
    const refused = await manager.post(`${C}/actions/rotate-passwords`)
    expect(refused.status).to.equal(409)
    expect(refused.body).to.contain('being rotated')
    last.start(...asReplica)
    await last.waitUp()
    await desk.succeeds()
    await isRotated(old)
  })

  it('is cancelled while it waits: both passwords stay valid, which is reported, and the next one takes the old ones away', async () => {
    const [first, , last] = databases.nodes
    if (!first || !last) throw new Error('there are three nodes')
    const none = await manager.post(`${C}/actions/cancel-rotate-passwords`)
    expect(none.status).to.equal(409)
    const old = await waitsFor(last)
    const cancelled = await manager.post(`${C}/actions/cancel-rotate-passwords`)
    expect(cancelled.status, cancelled.body).to.equal(200)
    expect(JSON.parse(cancelled.body)).to.have.property('cancelledBy', 'admin')
    await eventually(
      async () => ['cancelled', 'stopped'].includes((await desk.rotation())?.phase ?? ''),
      () => `it ends\n${desk.log()}`,
    )
    const ended = await desk.rotation()
    expect(await opens(first, 'monitor', desk.saved().monitor)).to.equal(true)
    if (ended?.phase === 'stopped') {
      expect(ended.message).to.contain('cancelled by admin').and.contain(portOf(last))
      expect(await opens(first, 'repl', old.replication)).to.equal(true)
    }
    last.start(...asReplica)
    await last.waitUp()
    await isWhole()
    expect((await desk.begin(true)).phase, desk.log()).to.equal('succeeded')
    await isRotated(old)
  })

  it('ends with its user while a replica has not applied the first step: the old passwords are in force', async () => {
    const [primary, , last] = databases.nodes
    if (!primary || !last) throw new Error('there are three nodes')
    const old = desk.saved()
    const ann = await PassingUser.add(manager, 'ann')
    await last.sql('FLUSH TABLES WITH READ LOCK')
    await ann.asks('actions/rotate-passwords')
    await eventually(
      async () => {
        const ways = "SELECT MIN(JSON_LENGTH(Priv, '$.auth_or')) FROM mysql.global_priv WHERE User = 'repl'"
        return Number(await primary.value(ways)) > 1
      },
      () => `the primary is open to both\n${desk.log()}`,
    )
    await ann.drop()
    await last.sql('UNLOCK TABLES')
    await eventually(
      async () => ['cancelled', 'succeeded', 'stopped'].includes((await desk.rotation())?.phase ?? ''),
      () => `it ends\n${desk.log()}`,
    )
    const ended = await desk.rotation()
    expect(ended, desk.log()).to.include({ phase: 'cancelled', cancelledBy: 'the manager' })
    expect(desk.saved()).to.deep.equal(old)
    await ann.isNamed()
    expect(await opens(last, 'repl', old.replication)).to.equal(true)
    await isWhole()
  })

  it('is refused while a server is down, and says which', async () => {
    const [, , last] = databases.nodes
    if (!last) throw new Error('there are three nodes')
    await last.kill('SIGKILL')
    // Asked for before that is seen, it would begin and wait.
    await eventually(
      async () => {
        const servers = await manager.get<readonly { port: string; state: string }[]>(`${C}/topology/servers`)
        return servers.some(({ port, state }) => port === portOf(last) && state === 'Failed')
      },
      () => `its death is seen\n${desk.log()}`,
    )
    let body = ''
    await eventually(
      async () => {
        const refused = await manager.post(`${C}/actions/rotate-passwords`)
        body = refused.body
        return refused.status === 409 && body.includes('does not answer')
      },
      () => `it is refused: ${body}`,
    )
    expect(body).to.contain(`:${portOf(last)}`)
  })

  it('never broke the replication or a write', async () => {
    await writers.stop()
    await watched.stop()
    expect(writers.errors).to.deep.equal([])
    expect(writers.acknowledged).to.have.length.above(0)
    expect(watched.errors).to.deep.equal([])
  })
})

async function threads(node: Node): Promise<string> {
  const [row = {}] = await node.sql('SHOW SLAVE STATUS')
  return `${row.Slave_IO_Running} ${row.Slave_SQL_Running} ${row.Last_IO_Errno}`
}

/** Checks replicas without pause for errors of their receivers and appliers. */
class Sampler {
  readonly errors: string[] = []
  readonly #running: Promise<unknown>
  #stopping = false

  constructor(nodes: readonly Node[]) {
    this.#running = Promise.all(nodes.map((node) => this.#probe(node)))
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#running
  }

  async #probe(node: Node): Promise<void> {
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
