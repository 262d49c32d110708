// TLS of sessions, against a real server with its own certificate.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { sqlLimits } from '../../../../lib/connect/sql/limits.js'
import { openBoundedSession, openSession as openOnMysql2 } from '../../../../lib/connect/sql/mysql2-session.js'
import type { OpenSession, SqlTarget } from '../../../../lib/connect/sql/session.js'
import { openProbeSession, openProbeSessionWith } from '../../../../lib/connect/sql/text-protocol/probe-session.js'
import { type Databases, startDatabases } from '../../../support/databases/database.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const limits = { ...sqlLimits, packetBytes: 10_000, replyBytes: 100_000 }
const packetTooLong = /packet longer than 10000 bytes/
const kinds: readonly [name: string, open: OpenSession, openBounded: OpenSession, reason: RegExp][] = [
  ['openSession with TLS', openOnMysql2, (target) => openBoundedSession(target, limits), packetTooLong],
  ['openProbeSession with TLS', openProbeSession, (target) => openProbeSessionWith(target, { limits }), packetTooLong],
  [
    'openProbeSession with TLS and a mysql2 that hides its stream',
    (target) => openProbeSessionWith(target, { find: () => undefined }),
    // Decrypted bytes are not seen then: what the socket receives is counted.
    (target) => openProbeSessionWith(target, { limits, find: () => undefined }),
    /reply longer than 100000 bytes/,
  ],
]

for (const [name, open, openBounded, reason] of kinds) conform(name, { openSession: open, openBounded, reason })

interface Kind {
  readonly openSession: OpenSession
  readonly openBounded: OpenSession
  readonly reason: RegExp
}

function conform(title: string, { openSession, openBounded, reason }: Kind): void {
  describe(title, () => {
    let databases: Databases
    let ca: string
    const target = (tls: SqlTarget['tls']) => ({ ...databases.node(0).target(), ...(tls ? { tls } : {}) })
    const cipher = async (tls: SqlTarget['tls']) => {
      const session = unwrap(await openSession(target(tls)))
      const [rows = []] = unwrap(await session.run("SHOW STATUS LIKE 'Ssl_cipher'", [], 60_000))
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

    it('encrypts without verification when so configured', async () => {
      expect(await cipher({ skipVerify: true }))
        .to.be.a('string')
        .and.not.equal('')
    })

    it('does not encrypt unless asked', async () => {
      expect(await cipher(undefined)).to.equal('')
    })

    it('sends COM_QUIT to the server', async () => {
      const watch = unwrap(await openSession(target(undefined)))
      const aborted = async () => unwrap(await watch.run("SHOW GLOBAL STATUS LIKE 'Aborted_clients'", [], 60_000))[0]
      const before = await aborted()
      const session = unwrap(await openSession(target({ ca })))
      session.close()
      const shown = `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ${session.threadId}`
      await eventually(
        async () => unwrap(await watch.run(shown, [], 60_000))[0]?.length === 0,
        'the server has ended the session',
      )
      expect(await aborted()).to.deep.equal(before)
      watch.close()
    })

    it('keeps the limits', async () => {
      const session = unwrap(await openBounded(target({ ca })))
      const [wide, next] = await Promise.all([
        session.run("SELECT REPEAT('x', 200000)", [], 60_000),
        session.run('SELECT 1', [], 60_000),
      ])
      const [failure, lost] = [wide, next].map((result) => (result.ok ? undefined : result.failure))
      expect(failure?.code).to.equal('sql-failed')
      expect(failure?.message).to.match(reason)
      expect([lost?.code, session.open]).to.deep.equal(['sql-refused', false])
    })

    it('is rejected when the authority is not the one expected', async () => {
      const result = await openSession(target({}))
      expect(result.ok ? 'ok' : result.failure.code).to.equal('sql-rejected')
    })
  })
}
