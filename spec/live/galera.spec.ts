// Three servers that stand alone become one Galera cluster on request: really started, filled and proven by a write.
import { chmod } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../lib/base/result.js'
import { openSession } from '../../lib/connect/mysql2-session.js'
import { eventually } from '../support/database.js'
import { ManagerProcess } from '../support/manager-process.js'
import { freeBlock, freePorts } from '../support/ports.js'

const isRoot = process.getuid?.() === 0
const C = '/api/clusters/story'
const FORM = `${C}/actions/replication/bootstrap/multi-master-wsrep`

describe('servers that are to be one Galera cluster', function () {
  this.timeout(300_000)
  let manager: ManagerProcess
  let ports: readonly number[]

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
    manager.start()
    await manager.alive()
    if (isRoot) for (const folder of [path.dirname(manager.directory), manager.directory]) await chmod(folder, 0o755)
    expect((await manager.post(`${C}/services/actions/provision?wait=true`)).status).to.equal(200)
  })
  after(async () => {
    await manager?.post(`${C}/services/actions/unprovision?force=true`).catch(() => undefined)
    await manager?.destroy()
  })

  const ask = async (port: number | undefined, sql: string) => {
    const login = { user: 'monitor', password: 'monitors', connectTimeoutMs: 2_000 }
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
      // Servers that nobody has looked at yet are no reason to give up.
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
    expect((await manager.post(FORM)).status).to.equal(200)
    expect(await uptime()).to.be.at.least(before)
    await eventually(
      async () => (await manager.get<{ topology: string }>(C)).topology === 'multi-master-wsrep',
      'the manager sees what they are',
    )
  })
})
