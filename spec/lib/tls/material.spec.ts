// The certificates of a cluster, held against OpenSSL: who verifies whom before, during and after a rotation.
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { lutimes, mkdir, readdir, readFile, readlink, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../lib/base/result.js'
import { DAY } from '../../../lib/base/time.js'
import {
  expiryOf,
  extendMaterial,
  isRotating,
  judgeMaterial,
  type Material,
  makeMaterial,
  missingHosts,
  readMaterial,
  retireMaterial,
  rotateMaterial,
  splitPem,
  writeMaterial,
} from '../../../lib/tls/index.js'
import { newDirectory } from '../../support/machine/directories.js'

const at = Date.now()
const holder = { cluster: 'shop', hosts: ['db1.example', '10.0.0.2'] }

/** What OpenSSL says of `cert` (with its chain) to a client that trusts `ca`. */
async function verify(cert: string, ca: string, purpose: string): Promise<string> {
  const folder = newDirectory('verify')
  const [leaf = '', ...chain] = splitPem(cert)
  await writeFile(path.join(folder, 'leaf.pem'), leaf)
  await writeFile(path.join(folder, 'chain.pem'), chain.join('') || leaf)
  await writeFile(path.join(folder, 'ca.pem'), ca)
  const files = ['-CAfile', 'ca.pem', '-untrusted', 'chain.pem', '-purpose', purpose, '-x509_strict', 'leaf.pem']
  try {
    return execFileSync('openssl', ['verify', ...files], { cwd: folder, stdio: 'pipe' })
      .toString()
      .trim()
  } catch (error) {
    return String((error as { stderr: Buffer }).stderr)
  }
}

describe('TLS material', () => {
  let first: Material
  let second: Material
  before(async () => {
    first = await makeMaterial(holder, at)
    second = await rotateMaterial(first, holder, at)
  })

  it('is strong, lasts 3650 days and is signed with SHA-256', () => {
    expect(judgeMaterial(first, at)).to.equal(undefined)
    for (const text of [first.ca, first.server.cert, first.client.cert]) {
      const certificate = new X509Certificate(text)
      expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).to.equal('secp384r1')
      expect(Date.parse(certificate.validTo)).to.be.within(at + 3_649 * DAY, at + 3_650 * DAY)
      expect(execFileSync('openssl', ['x509', '-noout', '-text'], { input: text }).toString()).to.contain(
        'ecdsa-with-SHA256',
      )
    }
  })

  it('lets servers be servers and clients, clients only clients, and only the authority sign', async () => {
    expect(await verify(first.server.cert, first.ca, 'sslserver')).to.equal('leaf.pem: OK')
    expect(await verify(first.server.cert, first.ca, 'sslclient')).to.equal('leaf.pem: OK')
    expect(await verify(first.client.cert, first.ca, 'sslclient')).to.equal('leaf.pem: OK')
    expect(await verify(first.client.cert, first.ca, 'sslserver')).to.match(/unsuitable certificate purpose/)
    expect(new X509Certificate(first.server.cert).ca).to.equal(false)
    expect(new X509Certificate(first.ca).ca).to.equal(true)
  })

  it('names every host of the cluster, and is extended by those that join, under the same authority', async () => {
    expect(missingHosts(first, ['db1.example', '10.0.0.2', 'localhost', '::1'])).to.deep.equal([])
    expect(await extendMaterial(first, holder, at)).to.equal(undefined)
    const grown = await extendMaterial(first, { ...holder, hosts: [...holder.hosts, 'db3'] }, at)
    expect(grown && missingHosts(grown, ['db1.example', 'db3'])).to.deep.equal([])
    expect(grown?.ca).to.equal(first.ca)
    expect(grown?.client).to.equal(first.client)
  })

  it('is verified both ways while some servers have moved to the new authority and some have not', async () => {
    expect(isRotating(second)).to.equal(true)
    expect(await verify(second.server.cert, first.ca, 'sslserver')).to.equal('leaf.pem: OK')
    expect(await verify(second.client.cert, first.ca, 'sslclient')).to.equal('leaf.pem: OK')
    expect(await verify(first.server.cert, second.ca, 'sslserver')).to.equal('leaf.pem: OK')
    expect(await verify(second.server.cert, second.ca, 'sslserver')).to.equal('leaf.pem: OK')
  })

  it('trusts the former authority no more once it is retired', async () => {
    const retired = retireMaterial(second)
    expect(isRotating(retired)).to.equal(false)
    expect(judgeMaterial(retired, at)).to.equal(undefined)
    expect(await verify(retired.server.cert, retired.ca, 'sslserver')).to.equal('leaf.pem: OK')
    expect(await verify(first.server.cert, retired.ca, 'sslserver')).to.match(/unable to get local issuer/)
  })

  it('keeps one former authority only, however often it is rotated', async () => {
    const third = await rotateMaterial(second, holder, at)
    expect(splitPem(third.ca)).to.have.lengthOf(2)
    expect(await verify(second.server.cert, third.ca, 'sslserver')).to.equal('leaf.pem: OK')
  })

  it('is extended during a rotation without losing what leads to the former authority', async () => {
    const grown = await extendMaterial(second, { ...holder, hosts: ['db9'] }, at)
    expect(await verify(grown?.server.cert ?? '', first.ca, 'sslserver')).to.equal('leaf.pem: OK')
  })

  it('is refused by name when it is old, or its parts do not belong together', async () => {
    const other = await makeMaterial(holder, at)
    expect(judgeMaterial(first, at + 4_000 * DAY)).to.match(/^CA certificate: expired/)
    expect(judgeMaterial({ ...first, server: other.server }, at)).to.equal(
      'server certificate: the CA certificate did not sign it',
    )
    expect(judgeMaterial({ ...first, client: { ...first.client, key: other.client.key } }, at)).to.equal(
      'client certificate: the key belongs to another certificate',
    )
    expect(judgeMaterial({ ...first, ca: 'nonsense' }, at)).to.match(/^CA certificate: cannot be read/)
    expect(expiryOf(first)).to.be.closeTo(at + 3_650 * DAY, 1_000)
  })
})

describe('the folder of TLS material', () => {
  it('changes in one step, keeps the former generation, and lets only its owner read', async () => {
    const directory = newDirectory('cluster')
    expect(unwrap(await readMaterial(directory))).to.equal(undefined)
    const first = await makeMaterial(holder, at)
    unwrap(await writeMaterial(directory, first))
    expect(unwrap(await readMaterial(directory))).to.deep.equal(first)
    const files = await readdir(path.join(directory, 'ssl'))
    expect(files).to.have.members([
      ...['ca-cert.pem', 'ca-key.pem', 'server-cert.pem', 'server-key.pem', 'client-cert.pem', 'client-key.pem'],
    ])
    for (const name of files) expect((await stat(path.join(directory, 'ssl', name))).mode & 0o777).to.equal(0o600)
    expect((await stat(path.join(directory, 'ssl/'))).mode & 0o777).to.equal(0o700)

    const second = await rotateMaterial(first, holder, at)
    unwrap(await writeMaterial(directory, second))
    unwrap(await writeMaterial(directory, second))
    expect(unwrap(await readMaterial(directory))).to.deep.equal(second)
    expect(await readFile(path.join(directory, 'old_certs/ca-cert.pem'), 'utf8')).to.equal(first.ca)
    unwrap(await writeMaterial(directory, retireMaterial(second)))
    const generations = (await readdir(directory)).filter((name) => name.startsWith('.'))
    expect(generations).to.have.members([
      await readlink(path.join(directory, 'ssl')),
      await readlink(path.join(directory, 'old_certs')),
    ])
  })

  it('removes what a killed manager left half-way, and nothing that may still be written', async () => {
    const directory = newDirectory('tls')
    for (const name of ['.draft-ssl-old', '.draft-ssl-new']) await mkdir(path.join(directory, name))
    await symlink('.ssl-gone', path.join(directory, 'ssl.17.5'))
    const long = new Date(Date.now() - DAY)
    await utimes(path.join(directory, '.draft-ssl-old'), long, long)
    await lutimes(path.join(directory, 'ssl.17.5'), long, long)
    unwrap(await writeMaterial(directory, await makeMaterial(holder, at)))
    const left = (await readdir(directory)).filter((name) => !name.startsWith('.ssl-'))
    expect(left).to.deep.equal(['.draft-ssl-new', 'ssl'])
  })

  it('says when it cannot be written or is incomplete', async () => {
    const directory = newDirectory('cluster')
    const material = await makeMaterial(holder, at)
    await writeFile(path.join(directory, 'file'), '')
    const refused = await writeMaterial(path.join(directory, 'file'), material)
    expect(!refused.ok && refused.failure.code).to.equal('file-unwritable')
    await mkdir(path.join(directory, 'half'))
    unwrap(await writeMaterial(path.join(directory, 'half'), material))
    await rm(path.join(directory, 'half/ssl/server-key.pem'))
    const half = await readMaterial(path.join(directory, 'half'))
    expect(!half.ok && half.failure.message).to.match(/half\/ssl: .*server-key\.pem/)
  })
})
