// Sessions with hostile and broken servers: every call settles, the thread lives, and no password goes to an unproven key.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { OpenSession, SqlTarget } from '../../../../lib/connect/sql/session.js'
import { openProbeSession } from '../../../../lib/connect/sql/text-protocol/probe-session.js'
import {
  type HostileKind,
  hostileKinds,
  ownPrivateKey,
  startHostileServer,
} from '../../../support/databases/hostile-server.js'
import { newDirectory } from '../../../support/machine/directories.js'
import { eventually } from '../../../support/wait.js'

const PASSWORD = 'a-password-of-its-own'
/** The deadline of what is not to come; the spec waits for the calls, not for a clock. */
const LIMIT_MS = 400
/** Of a login that succeeds, however busy the machine is. */
const LOGIN_MS = 30_000

interface Seen {
  readonly opened: boolean
  readonly message: string
  /** Of two statements: whether both were answered. */
  readonly answered: boolean
  readonly received: Buffer
}

async function meet(kind: HostileKind, open: OpenSession): Promise<Seen> {
  const server = await startHostileServer(kind)
  const login = { user: 'monitor', password: PASSWORD, bare: true as const }
  const connectTimeoutMs = hostileKinds[kind].stage === 'reply' ? LOGIN_MS : LIMIT_MS
  const opened = await open({ host: '127.0.0.1', port: server.port, ...login, connectTimeoutMs })
  const first = opened.ok && (await opened.value.run('SELECT 1', [], LIMIT_MS)).ok
  const second = opened.ok && (await opened.value.run('SELECT 2', [], LIMIT_MS)).ok
  if (opened.ok) opened.value.close()
  await server.close()
  const message = opened.ok ? '' : opened.failure.message
  return { opened: opened.ok, message, answered: first && second, received: server.received() }
}

describe('a hostile server', () => {
  const kinds = Object.keys(hostileKinds) as HostileKind[]
  for (const [name, open] of [
    ['mysql2', openSession],
    ['probe', openProbeSession],
  ] as const) {
    const seen = new Map<HostileKind, Seen>()
    before(async () => {
      // One after the other: their floods share this process.
      for (const kind of kinds) seen.set(kind, await meet(kind, open))
    })
    for (const kind of kinds)
      it(`that ${kind} fails its ${name} session alone`, () => {
        const { opened, message, answered, received } = seen.get(kind) as Seen
        expect(opened, message).to.equal(hostileKinds[kind].stage === 'reply')
        expect(answered).to.equal(false)
        expect(received.includes(PASSWORD)).to.equal(false)
      })
  }

  it('is held in memory up to one bound, however many connections it answers', async () => {
    const server = await startHostileServer('sends 40 MiB of rows and waits')
    const target = { host: '127.0.0.1', port: server.port, user: 'monitor', password: PASSWORD, bare: true as const }
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => openSession({ ...target, connectTimeoutMs: LOGIN_MS })),
    )
    const sessions = opened.map((each) => unwrap(each))
    const failures: string[] = []
    for (const session of sessions)
      void session.run('SELECT 1', [], 10 * LOGIN_MS).then((result) => {
        if (!result.ok) failures.push(result.failure.message)
      })
    // Three of 40 MiB are below the bound of 128 MiB; none of the others is held.
    await eventually(() => failures.length >= 2, 'two of five sessions end')
    for (const failure of failures) expect(failure).to.match(/replies of this server take more than 134217728 bytes/)
    expect(failures).to.have.length(2)
    expect(sessions.filter(({ open }) => open)).to.have.length(3)
    for (const session of sessions) session.close()
    await server.close()
  })

  it('gets no password sealed for an unproven key, but for a pinned one, and for any where that is set', async () => {
    const kind = 'offers a key of its own (sha256_password)'
    const [other, own] = ['other.pem', 'own.pem'].map((name) => path.join(newDirectory('keys'), name)) as [
      string,
      string,
    ]
    writeFileSync(
      other,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }),
    )
    writeFileSync(own, `# of db1\n${createPublicKey(ownPrivateKey).export({ type: 'spki', format: 'pem' })}`)
    const sealed = async (trust: Partial<SqlTarget>, why?: RegExp): Promise<boolean> => {
      const { received, message } = await meet(kind, (target) =>
        openSession({ ...target, ...trust, connectTimeoutMs: 3_000 }),
      )
      if (why) expect(message).to.match(why)
      return received.length > 256
    }
    expect([
      await sealed(
        {},
        /its RSA key \(SHA-256 [0-9a-f]{64}\) is unproven: the password was not sent; .*db-servers-public-keys/,
      ),
      await sealed(
        { publicKeys: other },
        /RSA key of the server \(SHA-256 [0-9a-f]{64}\) is none of .*password was not sent/,
      ),
      await sealed({ publicKeys: other, anyKey: true }, /RSA key of the server .* is none of/),
      await sealed({ publicKeys: own }),
      await sealed({ anyKey: true }),
    ]).to.deep.equal([false, false, false, true, true])
  })
})
