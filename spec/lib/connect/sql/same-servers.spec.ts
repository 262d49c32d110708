// Programs that log in on their own, on real servers behind an address that turns.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { fail, ok, unwrap } from '../../../../lib/base/result.js'
import { clientOptions } from '../../../../lib/connect/sql/client-options.js'
import { withSameServers } from '../../../../lib/connect/sql/same-servers.js'
import type { SqlTarget } from '../../../../lib/connect/sql/session.js'
import { onThisServerOnly } from '../../../../lib/dialect/index.js'
import { readInstance } from '../../../../lib/effect/reads/server-instance.js'
import type { ServerInstance } from '../../../../lib/model/server/instance.js'
import { type Databases, startDatabases } from '../../../support/databases/database.js'
import { TcpGate } from '../../../support/machine/tcp-gate.js'
import { eventually } from '../../../support/wait.js'

const exec = promisify(execFile)

describe('withSameServers', () => {
  let databases: Databases
  let gate: TcpGate
  let target: SqlTarget
  before(async () => {
    databases = await startDatabases({ count: 2, prefix: 'same' })
    gate = await TcpGate.create()
  })
  beforeEach(async () => {
    await gate.lead(databases.node(0).port)
    target = { ...databases.node(0).target(), port: gate.port }
  })
  after(async () => {
    await gate?.close()
    await databases?.teardown()
  })

  const turnAway = () => gate.turn(databases.node(1).port)

  it('answers what the program made, and gives it who answers', async () => {
    const run = async ([own]: readonly (ServerInstance | undefined)[]) => ok(own?.port)
    expect(await withSameServers([target], run)).to.deep.equal(ok(databases.node(0).port))
    expect(await withSameServers([], async () => ok('alone'))).to.deep.equal(ok('alone'))
  })

  it('does not start it where another server answers than the one that was seen', async () => {
    const seen = { instance: unwrap(await readInstance(target)), at: Number.MAX_SAFE_INTEGER }
    turnAway()
    let isStarted = false
    const refused = await withSameServers([{ ...target, expected: seen }], async () => {
      isStarted = true
      return ok('made')
    })
    expect(refused).to.have.nested.property('failure.code', 'sql-rejected')
    expect(isStarted).to.equal(false)
  })

  it('does not use what it made where the address has turned meanwhile, and names both servers', async () => {
    const refused = await withSameServers([databases.node(1).target(), target], async () => {
      turnAway()
      return ok('made')
    })
    expect(refused).to.have.nested.property('failure.code', 'sql-rejected')
    expect(refused)
      .to.have.nested.property('failure.message')
      .that.includes(`:${databases.node(1).port} (`)
      .and.includes(`instead of`)
  })

  it('says that another server answers where the program failed by that, and else why it failed', async () => {
    const failed = fail('script-failed', 'ERROR 1242')
    expect(await withSameServers([target], async () => failed)).to.deep.equal(failed)
    const refused = await withSameServers([target], async () => {
      turnAway()
      return failed
    })
    expect(refused).to.have.nested.property('failure.code', 'sql-rejected')
  })

  it('asks a server again that is silent afterwards, as long as its work is not ended, unless it may be the only copy', async () => {
    let begun = 0
    let closing: Promise<void> | undefined
    const bothBegin = async () => {
      begun += 1
      await eventually(
        () => begun === 2,
        () => 'both have begun',
      )
      closing ??= gate.close()
      await closing
      return ok('made')
    }
    const patient = withSameServers([target], bothBegin)
    const ended = await withSameServers([target], bothBegin, { signal: AbortSignal.abort() })
    expect(ended).to.have.nested.property('failure.code', 'sql-refused')
    await gate.lead(databases.node(0).port)
    expect(await patient).to.deep.equal(ok('made'))
    const silent = async () => {
      await gate.close()
      return ok('made')
    }
    expect(await withSameServers([target], silent, { mayBeOnlyCopy: true })).to.deep.equal(ok('made'))
  })

  it('takes a restart for another server as soon as it answers again, unless what it made may be the only copy', async () => {
    // Starts are exact to seconds.
    await eventually(
      async () => Number((await databases.node(0).sql("SHOW GLOBAL STATUS LIKE 'Uptime'"))[0]?.Value) > 3,
      () => 'its start differs from the next one',
    )
    const run = async () => {
      await databases.node(0).stop()
      await databases.node(0).start()
      return ok('made')
    }
    expect(await withSameServers([target], run)).to.have.nested.property('failure.code', 'sql-rejected')
    const kept = await withSameServers(
      [target],
      async () => {
        const made = await run()
        await databases.node(0).waitUp()
        return made
      },
      { mayBeOnlyCopy: true },
    )
    expect(kept).to.deep.equal(ok('made'))
  })

  it('lets a client of the database begin on the server of its initial command only', async () => {
    const file = path.join(databases.node(0).dir, 'client.cnf')
    writeFileSync(file, clientOptions(target), { mode: 0o600 })
    const init = onThisServerOnly(unwrap(await readInstance(target)) ?? expect.fail('it says who it is'))
    const load = (schema: string) =>
      exec('mariadb', [`--defaults-file=${file}`, `--init-command=SET ${init}`, '-e', `CREATE DATABASE ${schema}`])
    await load('one')
    turnAway()
    const error = await load('two').then(
      () => '',
      ({ stderr }: { readonly stderr: string }) => stderr,
    )
    expect(error).to.include('1242')
    for (const node of [0, 1])
      expect(await databases.node(node).sql("SHOW DATABASES LIKE 'two'"), node.toString()).to.deep.equal([])
  })
})
