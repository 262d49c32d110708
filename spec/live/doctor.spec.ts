// `manager doctor` on a real server: both accounts sound, a login that is refused, a privilege that is missing.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { runDoctor } from '../../bin/doctor/doctor.js'
import type { Verdict } from '../../bin/doctor/verdict.js'
import { accounts, type Databases, startDatabases } from '../support/databases/database.js'
import { newDirectory } from '../support/machine/directories.js'

describe('the doctor on a real server', () => {
  let databases: Databases
  before(async () => {
    databases = await startDatabases({ count: 1 })
    await databases.node(0).sql("CREATE USER weak@'127.0.0.1' IDENTIFIED BY 'weak'")
  })
  after(() => databases.teardown())

  async function examine({ user, password }: { readonly user: string; readonly password: string }) {
    const { host, port } = databases.node(0)
    const place = newDirectory('doctor')
    const file = path.join(place, 'config.toml')
    const lines = [
      ...['[Default]', `monitoring-datadir = "${place}/data"`, 'api-port = 0', 'http-port = 0', '[shop]'],
      `db-servers-hosts = "${host}:${port}"`,
      `db-servers-credential = "${user}:${password}"`,
      `replication-credential = "${accounts.replication.user}:${accounts.replication.password}"`,
    ]
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    const { status, text } = await runDoctor({ file, flags: ['--output=json'] })
    const verdicts = JSON.parse(text) as readonly Verdict[]
    return { status, of: (check: string) => verdicts.filter((verdict) => verdict.check === check) }
  }

  it('finds nothing where both accounts have what they need', async () => {
    const { status, of } = await examine(accounts.monitor)
    expect(status).to.equal(0)
    for (const check of ['server', 'clock', 'accounts'])
      expect(of(check).map(({ state }) => state)).to.deep.equal(['ok'])
  })

  it('says that the server is alive when it refuses the login', async () => {
    const { status, of } = await examine({ user: 'nobody', password: 'x' })
    expect(status).to.equal(1)
    expect(of('server')[0]?.remedy).to.contain('is alive and refuses the login')
  })

  it('gives the statement for each privilege that is missing', async () => {
    const weak = { user: 'weak', password: 'weak' }
    expect((await examine(weak)).of('server')[0]?.remedy).to.contain('share/doc/accounts.md')
    await databases.node(0).sql("GRANT SLAVE MONITOR, BINLOG MONITOR ON *.* TO weak@'127.0.0.1'")
    const { status, of } = await examine(weak)
    expect(status).to.equal(1)
    const remedies = [...of('accounts'), ...of('server')].map(({ remedy }) => remedy ?? '')
    expect(remedies.join('\n')).to.match(/GRANT [A-Z ]+ ON \*\.\* TO .*weak/)
  })
})
