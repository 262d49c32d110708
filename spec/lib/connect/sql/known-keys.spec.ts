// The RSA key that an address showed first: remembered before a password is sealed for it, and no other key gets one.
import { createPublicKey } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import {
  acceptKey,
  forgetKey,
  type KnownKeys,
  keyFingerprint,
  knownKey,
} from '../../../../lib/connect/sql/known-keys.js'
import { openSession } from '../../../../lib/connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../../../lib/connect/sql/session.js'
import { ownPrivateKey, startHostileServer } from '../../../support/databases/hostile-server.js'
import { newDirectory } from '../../../support/machine/directories.js'

const shown = keyFingerprint(createPublicKey(ownPrivateKey).export({ type: 'spki', format: 'pem' }).toString())
const other = 'ab'.repeat(32)
/** The server answers nothing after the password. */
const LIMIT_MS = 3_000

interface Met {
  readonly sealed: boolean
  readonly code: string
  readonly message: string
}

describe('the RSA key of a server without TLS', () => {
  let server: Awaited<ReturnType<typeof startHostileServer>>
  let keys: KnownKeys
  let address: string
  let before = 0

  beforeEach(async () => {
    server = await startHostileServer('offers a key of its own (sha256_password)')
    keys = { directory: path.join(newDirectory('known-keys'), 'public-keys'), learn: true }
    address = `127.0.0.1:${server.port}`
    before = 0
  })
  afterEach(() => server.close())

  const login = (trust: Partial<SqlTarget>) =>
    openSession({
      ...{ host: '127.0.0.1', port: server.port, user: 'monitor', password: 'a-password-of-its-own', bare: true },
      ...{ connectTimeoutMs: LIMIT_MS, ...trust },
    })

  async function meet(trust: Partial<SqlTarget> = { knownKeys: keys }): Promise<Met> {
    const opened = await login(trust)
    if (opened.ok) opened.value.close()
    const length = server.received().length
    const sealed = length - before > 256
    before = length
    return { sealed, ...(opened.ok ? { code: '', message: '' } : opened.failure) }
  }

  it('is remembered at its first use, in a file of mode 0600, and counts from then on', async () => {
    expect((await meet()).sealed).to.equal(true)
    expect(knownKey(keys, address)).to.equal(shown)
    const [name = ''] = readdirSync(keys.directory)
    expect(readdirSync(keys.directory)).to.have.length(1)
    expect(statSync(path.join(keys.directory, name)).mode & 0o777).to.equal(0o600)
    expect(readFileSync(path.join(keys.directory, name), 'utf8')).to.equal(`${shown}\n`)
    expect((await meet()).sealed).to.equal(true)
  })

  it('gets no password where another one is remembered; the failure names both', async () => {
    unwrap(acceptKey(keys, address, other))
    const met = await meet()
    expect([met.sealed, met.code]).to.deep.equal([false, 'sql-key-unproven'])
    expect(met.message).to.include(`SHA-256 ${shown} instead of ${other}`)
    expect(knownKey(keys, address)).to.equal(other)
  })

  it('gets it again when it is accepted, and only its fingerprint is', async () => {
    unwrap(acceptKey(keys, address, other))
    expect(acceptKey(keys, address, 'anything')).to.have.nested.property('failure.code', 'wrong-value')
    expect((await meet()).sealed).to.equal(false)
    unwrap(acceptKey(keys, address, shown))
    expect((await meet()).sealed).to.equal(true)
  })

  it('is the first one again when the address was forgotten', async () => {
    unwrap(acceptKey(keys, address, other))
    forgetKey(keys, address)
    forgetKey(keys, address)
    expect((await meet()).sealed).to.equal(true)
    expect(knownKey(keys, address)).to.equal(shown)
  })

  it('is remembered once by sessions that meet it together', async () => {
    await Promise.all(Array.from({ length: 8 }, () => login({ knownKeys: keys })))
    expect(readdirSync(keys.directory)).to.have.length(1)
    expect(knownKey(keys, address)).to.equal(shown)
  })

  it('is not remembered by who only reads, and gets no password', async () => {
    const met = await meet({ knownKeys: { ...keys, learn: false } })
    expect([met.sealed, met.code, knownKey(keys, address)]).to.deep.equal([false, 'sql-key-unproven', undefined])
  })

  it('gets no password where the memory is damaged or cannot be written', async () => {
    mkdirSync(keys.directory)
    writeFileSync(path.join(keys.directory, encodeURIComponent(address)), 'half of a fing')
    const damaged = await meet()
    expect([damaged.sealed, damaged.code]).to.deep.equal([false, 'sql-key-unproven'])
    writeFileSync(`${keys.directory}-file`, '')
    const unwritable = await meet({ knownKeys: { directory: `${keys.directory}-file`, learn: true } })
    expect([unwritable.sealed, unwritable.code]).to.deep.equal([false, 'sql-key-unproven'])
  })

  it('is the one that is pinned, whatever was shown first', async () => {
    unwrap(acceptKey(keys, address, other))
    const pinned = path.join(newDirectory('known-keys'), 'keys.pem')
    writeFileSync(pinned, createPublicKey(ownPrivateKey).export({ type: 'spki', format: 'pem' }))
    expect((await meet({ publicKeys: pinned, knownKeys: keys })).sealed).to.equal(true)
  })

  it('is one for the server where it is reached at another port of it', async () => {
    unwrap(acceptKey(keys, 'db1:3306', other))
    expect((await meet({ knownKeys: keys, server: 'db1:3306' })).sealed).to.equal(false)
  })
})
