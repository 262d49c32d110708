// Three servers that stand alone become one Galera cluster on request: really started, filled and proven by a write. Then
// one of them is killed, and writes are sent to another.
import { chmod, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/sql/mysql2-session.js'
import { freeBlock, freePorts } from '../support/machine/ports.js'
import { ManagerProcess } from '../support/manager/manager-process.js'
import { type HaproxyProcess, startCheckedHaproxy } from '../support/proxies/haproxy.js'
import { eventually, PATIENCE_MS } from '../support/wait.js'

const isRoot = process.getuid?.() === 0
const C = '/api/clusters/story'
const FORM = `${C}/actions/replication/bootstrap/multi-master-wsrep`

describe('servers that are to be one Galera cluster', function () {
  this.timeout(900_000)
  let manager: ManagerProcess
  let ports: readonly number[]
  let haproxy: HaproxyProcess

  before(async () => {
    ports = await freePorts(3)
    manager = await ManagerProcess.create({
      clusters: {
        story: {
          'db-servers-hosts': ports.map((port) => `127.0.0.1:${port}`).join(','),
          'db-servers-credential': 'monitor:monitors',
          'replication-credential': 'repl:replicates',
          'prov-orchestrator': 'local',
          // Root gives its servers to another user, as it must for them to be filled.
          ...(isRoot ? { 'prov-local-user': 'mysql' } : {}),
          'prov-db-memory': 128,
          'prov-db-tags': 'row,innodb,noquerycache,readonly,gtidstrict,linux,pkg',
          'replication-multi-master-wsrep-sst-method': 'rsync',
          'replication-multi-master-wsrep-port': await freeBlock(23),
        },
      },
    })
    haproxy = await startCheckedHaproxy({ managerPort: manager.httpPort, cluster: 'story', databasePorts: ports })
    manager.start()
    await manager.alive()
    if (isRoot) for (const folder of [path.dirname(manager.directory), manager.directory]) await chmod(folder, 0o755)
    expect((await manager.post(`${C}/services/actions/provision?wait=true`)).status).to.equal(200)
  })
  after(async () => {
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
    await haproxy?.stop()
  })

  const ask = async (port: number | undefined, sql: string) => {
    const login = { user: 'monitor', password: 'monitors', connectTimeoutMs: PATIENCE_MS }
    const session = unwrap(await openSession({ host: '127.0.0.1', port: port ?? 0, ...login }))
    try {
      const [rows = []] = unwrap(await session.run(sql, [], 60_000))
      return rows
    } finally {
      session.close()
    }
  }
  const status = async (port: number, name: string) => {
    const [row] = await ask(port, `SHOW GLOBAL STATUS LIKE '${name}'`)
    return row?.Value
  }

  it('are restarted, filled from the first, and see each other', async () => {
    let reply = { status: 0, text: '' }
    await eventually(async () => {
      const { status: code, body } = await manager.post(FORM)
      reply = { status: code, text: body }
      // Servers that were not probed yet are no reason to give up.
      return code !== 409
    }, 'it is done')
    expect(reply, manager.log()).to.deep.equal({ status: 200, text: '' })
    for (const port of ports) {
      expect(await status(port, 'wsrep_cluster_size')).to.equal('3')
      expect(await status(port, 'wsrep_cluster_status')).to.equal('Primary')
      expect(await status(port, 'wsrep_ready')).to.equal('ON')
    }
  })

  it('have on each what is written on any', async () => {
    const [first, second, third] = ports
    await ask(first, 'CREATE DATABASE spec')
    // A member may not have applied yet what another one has committed.
    const accepts = (port: number | undefined, sql: string) =>
      eventually(
        () =>
          ask(port, sql).then(
            () => true,
            () => false,
          ),
        sql,
      )
    await accepts(second, 'CREATE TABLE IF NOT EXISTS spec.kept (entry INT PRIMARY KEY)')
    await accepts(third, 'REPLACE INTO spec.kept VALUES (7)')
    await eventually(
      async () =>
        (await Promise.all(ports.map((port) => ask(port, 'SELECT entry FROM spec.kept').catch(() => [])))).every(
          ([row]) => row?.entry === 7,
        ),
      'every member has the row',
    )
  })

  it('are left as they are when it is asked again', async () => {
    const uptime = async () => Number(await status(ports[1] ?? 0, 'Uptime'))
    const before = await uptime()
    // Refused as long as a member was not probed since it was restarted.
    await eventually(async () => (await manager.post(FORM)).status === 200, 'it is done')
    expect(await uptime()).to.be.at.least(before)
    await eventually(
      async () => (await manager.get<{ topology: string }>(C)).topology === 'multi-master-wsrep',
      'the manager sees what they are',
    )
  })

  interface ServerView {
    readonly port: string
    readonly state: string
    readonly isWsrepSync: boolean
    readonly isWsrepPrimary: boolean
  }
  const servers = () => manager.get<readonly ServerView[]>(`${C}/topology/servers`)
  const stateOf = async (port: number) => (await servers()).find((server) => server.port === String(port))?.state
  const target = async () => Number((await manager.get<{ port: string } | null>(`${C}/topology/master`))?.port ?? 0)
  const shows = (port: number, state: string) =>
    eventually(async () => (await stateOf(port)) === state, `${port} is ${state}`)
  const isTarget = async (port: number) =>
    (await fetch(`http://127.0.0.1:${manager.httpPort}${C}/servers/127.0.0.1:${port}/is-master`)).status === 200
  /** The member that a client of the proxy's write port gets; 0 for none. */
  const written = async () => {
    const [row] = await ask(haproxy.writePort, 'SELECT @@port AS port').catch(() => [])
    return Number(row?.port ?? 0)
  }
  const agrees = (...gone: readonly number[]) =>
    eventually(async () => {
      const port = await target()
      const targets = await Promise.all(ports.map(isTarget))
      return ports.every((each, index) => targets[index] === (each === port)) && !gone.includes(port)
    }, 'load balancers get its port')
  /** Through the proxy: the target may move again while members come and go. */
  const reaches = (...members: readonly number[]) =>
    eventually(async () => {
      const [port, wanted] = [await written(), await target()]
      return port === wanted && members.includes(port)
    }, 'the proxy sends writes there')
  const kill = async (port: number) => {
    const [row] = await ask(port, 'SELECT @@pid_file AS file, @@datadir AS folder')
    const file = path.resolve(String(row?.folder), String(row?.file))
    process.kill(Number(await readFile(file, 'utf8')), 'SIGKILL')
  }
  /** For members that are about to lose others: how soon they give up a silent one; 10 s by default. */
  const giveUpSoon = (members: readonly number[]) =>
    Promise.all(
      members.map((port) =>
        ask(port, "SET GLOBAL wsrep_provider_options='evs.suspect_timeout=PT2S;evs.inactive_timeout=PT4S'"),
      ),
    )
  const othersThan = (...gone: readonly number[]) => ports.filter((port) => !gone.includes(port))

  it('are shown as members, and writes are sent to one of them', async () => {
    await eventually(
      async () =>
        (await servers())
          .map(({ state }) => state)
          .sort()
          .join() === 'Master,Wsrep,Wsrep',
      'their states',
    )
    for (const { isWsrepSync, isWsrepPrimary } of await servers())
      expect({ isWsrepSync, isWsrepPrimary }).to.deep.equal({ isWsrepSync: true, isWsrepPrimary: true })
    await agrees()
    await reaches(...ports)
  })

  it('take the writes over on request, and no server is closed for it', async () => {
    const [old, next = 0] = [await target(), othersThan(await target())[0]]
    const asked = (query = '') => manager.post(`${C}/servers/127.0.0.1:${next}/actions/switchover${query}`)
    expect(JSON.parse((await asked('?plan=true')).body)).to.include({ possible: true, expectedBlockedMs: 0 })
    const { status: code, body } = await asked()
    expect(code, body).to.equal(200)
    await agrees(old)
    await reaches(next)
    for (const port of ports) expect((await ask(port, 'SELECT @@read_only AS closed'))[0]?.closed).to.equal(0)
    expect((await asked()).body).to.contain('already')
  })

  it('take over from each other when one is killed, which comes back as another', async () => {
    const old = await target()
    await giveUpSoon(othersThan(old))
    await kill(old)
    await eventually(async () => othersThan(old).includes(await target()), 'another one is the target')
    await reaches(...othersThan(old))
    await eventually(
      // The others wait with commits until they have given up the one that was killed.
      () =>
        ask(haproxy.writePort, 'REPLACE INTO spec.kept VALUES (8)').then(
          () => true,
          () => false,
        ),
      'it takes writes',
    )
    await agrees(old)
    await shows(old, 'Failed')
    expect((await manager.post(`${C}/servers/127.0.0.1:${old}/actions/start?wait=true`)).status).to.equal(200)
    await shows(old, 'Wsrep')
    // Who gave it the data was a donor meanwhile, and not written to.
    await reaches(...othersThan(old))
    const rows = await ask(old, 'SELECT entry FROM spec.kept ORDER BY entry')
    expect(rows.map(({ entry }) => entry)).to.deep.equal([7, 8])
    for (const port of ports) expect((await ask(port, 'SELECT @@read_only AS closed'))[0]?.closed).to.equal(0)
  })

  it('are not written to while the last one is cut off from the others', async () => {
    const last = await target()
    await giveUpSoon([last])
    await Promise.all(othersThan(last).map(kill))
    await shows(last, 'WsrepUnsync')
    await eventually(async () => !(await isTarget(last)), 'role checks report it')
    await ask(last, "SET GLOBAL wsrep_provider_options='pc.bootstrap=YES'")
    await shows(last, 'Master')
    await eventually(() => isTarget(last), 'it takes writes again')
  })
})
