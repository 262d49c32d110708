// TLS of sessions, against a real server with a certificate of its own.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../../../lib/connect/sql/session.js'
import { type Databases, eventually, startDatabases } from '../../../support/databases/database.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('openSession with TLS', () => {
  let databases: Databases
  let ca: string
  const target = (tls: SqlTarget['tls']) => ({ ...databases.node(0).target(), ...(tls ? { tls } : {}) })
  const cipher = async (tls: SqlTarget['tls']) => {
    const session = unwrap(await openSession(target(tls)))
    const [rows = []] = unwrap(await session.run("SHOW STATUS LIKE 'Ssl_cipher'", [], 5_000))
    session.close()
    return rows[0]?.Value
  }

  before(async () => {
    const directory = newDirectory('tls')
    const [key, cert] = [path.join(directory, 'key.pem'), path.join(directory, 'cert.pem')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert]
    await promisify(execFile)('openssl', [...request, ...subject])
    ca = await readFile(cert, 'utf8')
    databases = await startDatabases({ count: 1, prefix: 'tls', options: [`--ssl-cert=${cert}`, `--ssl-key=${key}`] })
  })
  after(() => databases.teardown())

  it('encrypts when the authority is known', async () => {
    expect(await cipher({ ca }))
      .to.be.a('string')
      .and.not.equal('')
  })

  it('encrypts without checking when told so', async () => {
    expect(await cipher({ skipVerify: true }))
      .to.be.a('string')
      .and.not.equal('')
  })

  it('does not encrypt unless asked', async () => {
    expect(await cipher(undefined)).to.equal('')
  })

  it('takes leave of the server', async () => {
    const watch = unwrap(await openSession(target(undefined)))
    const aborted = async () => unwrap(await watch.run("SHOW GLOBAL STATUS LIKE 'Aborted_clients'", [], 5_000))[0]
    const before = await aborted()
    const session = unwrap(await openSession(target({ ca })))
    session.close()
    const shown = `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ${session.threadId}`
    await eventually(
      async () => unwrap(await watch.run(shown, [], 5_000))[0]?.length === 0,
      'the server has ended the session',
    )
    expect(await aborted()).to.deep.equal(before)
    watch.close()
  })

  it('is rejected when the authority is not the one expected', async () => {
    const result = await openSession(target({}))
    expect(result.ok ? 'ok' : result.failure.code).to.equal('sql-rejected')
  })
})
