// The demo's databases and manager, started and ended as bin/quickstart does it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { configurationFile, type Demo, writeDemo } from '../../../bin/demo/configuration.js'
import { endManager, startManager } from '../../../bin/demo/daemon.js'
import { startDatabases, stopDemo } from '../../../bin/demo/databases.js'
import { unwrap } from '../../../lib/base/result.js'
import { openSession } from '../../../lib/connect/sql/mysql2-session.js'
import { newDirectory } from '../../support/machine/directories.js'
import { freePorts } from '../../support/machine/ports.js'
import { next } from '../../support/wait.js'

describe('startDatabases', () => {
  let demo: Demo
  let file = ''

  const query = async (port: number, statement: string): Promise<string> => {
    const { databasePassword: password } = demo
    const opened = await openSession({ host: '127.0.0.1', port, user: 'manager', password, connectTimeoutMs: 30_000 })
    if (!opened.ok) return opened.failure.code
    const rows = unwrap(await opened.value.run(statement, [], 60_000)).at(-1) ?? []
    opened.value.close()
    return String(Object.values(rows[0] ?? {})[0] ?? '')
  }

  before(async () => {
    const directory = path.join(newDirectory('demo'), 'data')
    const [api = 0, http = 0, db1 = 0, db2 = 0, db3 = 0] = await freePorts(5)
    demo = { directory, ports: { api, http, db1, db2, db3 }, password: 'secret', databasePassword: 'databases' }
    await writeDemo(demo)
    file = configurationFile(directory)
  })
  after(() => stopDemo(file))

  it('provisions every server, stops them, and finds their data again', async () => {
    const { db1, db2, db3 } = demo.ports
    const first = unwrap(await startDatabases(file))
    expect(first.servers.map(({ port }) => port)).to.deep.equal([db1, db2, db3])
    for (const port of [db1, db2, db3]) expect(await query(port, 'SELECT @@port')).to.equal(String(port))
    await query(db1, 'SET GLOBAL read_only=0')
    await query(db1, 'CREATE DATABASE kept')
    await first.stop()
    expect(await query(db1, 'SELECT 1')).to.equal('sql-refused')

    const second = unwrap(await startDatabases(file))
    expect(await query(db1, "SHOW DATABASES LIKE 'kept'")).to.equal('kept')
    await stopDemo(file)
    for (const { port } of second.servers) expect(await query(port, 'SELECT 1')).to.equal('sql-refused')
  })

  it('reports a file without the cluster', async () => {
    const none = await startDatabases('/nowhere/config.toml')
    expect(none).to.nested.include({ ok: false, 'failure.code': 'bad-configuration' })
  })

  it('ends the manager of an earlier run', async () => {
    const { directory } = demo
    const manager = await startManager({ directory, logFile: path.join(directory, 'manager.log') })
    const gone = once(manager, 'exit')
    await endManager(directory)
    const [status, signal] = await gone
    expect([status, signal]).to.be.deep.oneOf([
      [0, null],
      [null, 'SIGTERM'],
    ])
  })

  it('leaves another process alone that has the number of an earlier manager', async () => {
    const other = spawn('sleep', ['60'])
    await next(other, 'spawn', 'the start of the process')
    writeFileSync(path.join(demo.directory, 'manager.pid'), `${other.pid}\n`)
    await endManager(demo.directory)
    expect(other.kill(0)).to.equal(true)
    other.kill('SIGKILL')
    await next(other, 'exit', 'the end of the process')
    expect(other.signalCode).to.equal('SIGKILL')
  })
})
