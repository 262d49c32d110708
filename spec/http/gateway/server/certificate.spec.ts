// Certificates of real openssl: strong ones are taken, weak ones are named.
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { loadCertificate } from '../../../../http/gateway/server/certificate.js'
import { makeCertificate } from '../../../../http/gateway/server/self-signed.js'
import { DAY } from '../../../../lib/base/time.js'
import { judgePair } from '../../../../lib/tls/index.js'

const run = promisify(execFile)

describe('loadCertificate', () => {
  let folder = ''
  const make = async (...key: readonly string[]) => {
    const certFile = path.join(folder, 'cert.pem')
    const keyFile = path.join(folder, 'key.pem')
    const subject = ['-nodes', '-subj', '/CN=spec', '-days', '2', '-sha256']
    await run('openssl', ['req', '-x509', '-newkey', ...key, ...subject, '-keyout', keyFile, '-out', certFile])
    return { certFile, keyFile }
  }
  /** Judged `laterMs` after it was made: making a key may take seconds. */
  const judge = async (key: readonly string[], laterMs = 0) => {
    const pair = await make(...key)
    const result = await loadCertificate(pair, Date.now() + laterMs)
    return result.ok ? 'taken' : result.failure.message
  }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'certificate-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('takes RSA of 2048 bits and EC on secp384r1 and secp521r1', async () => {
    expect(await judge(['rsa:2048'])).to.equal('taken')
    expect(await judge(['ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1'])).to.equal('taken')
    expect(await judge(['ec', '-pkeyopt', 'ec_paramgen_curve:secp521r1'])).to.equal('taken')
  })

  it('refuses weak keys by name', async () => {
    expect(await judge(['rsa:1024'])).to.include('RSA key of 1024 bits, at least 2048 are needed')
    expect(await judge(['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'])).to.include('EC key on prime256v1')
    expect(await judge(['ed25519'])).to.include('ed25519 key, RSA or EC is needed')
  })

  it('refuses a certificate outside its time', async () => {
    expect(await judge(['rsa:2048'], 3 * DAY)).to.include('expired on')
    expect(await judge(['rsa:2048'], -DAY)).to.include('not valid before')
  })

  it('refuses a key that is not its own', async () => {
    const cert = await makeCertificate(Date.now())
    const { key } = await makeCertificate(Date.now())
    expect(judgePair({ cert: cert.cert, key }, Date.now())).to.equal('the key belongs to another certificate')
  })

  it('names a file that is not there, and one that is no certificate', async () => {
    const missing = await loadCertificate({ certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' }, Date.now())
    expect(missing.ok ? '' : missing.failure.message).to.include('/nowhere/cert.pem')
    expect(judgePair({ cert: 'nonsense', key: 'nonsense' }, Date.now())).to.include('cannot be read')
  })
})

describe('makeCertificate', () => {
  it('makes one that its own judgement takes, good for ten years on this host', async () => {
    const pair = await makeCertificate(Date.now())
    const { validTo, publicKey, subjectAltName, serialNumber } = new X509Certificate(pair.cert)
    expect(judgePair(pair, Date.now())).to.equal(undefined)
    expect(publicKey.asymmetricKeyDetails?.namedCurve).to.equal('secp384r1')
    expect(subjectAltName).to.include('DNS:localhost').and.include('IP Address:127.0.0.1')
    expect(Date.parse(validTo)).to.be.greaterThan(Date.now() + 3_649 * DAY)
    expect(serialNumber).to.match(/^7/)
  })
})
