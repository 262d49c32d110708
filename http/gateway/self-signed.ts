// A certificate for the API server when none is configured: ECDSA on P-384 with SHA-256, made anew at each start.
import { randomBytes, webcrypto } from 'node:crypto'
import { hostname } from 'node:os'
import { DAY } from '../../lib/base/time.js'
import type { KeyPair } from './certificate.js'

const VALID_DAYS = 3_650

/** Made for this host's name and the loopback addresses. */
export async function makeCertificate(at: number): Promise<KeyPair> {
  // Loaded only where it is needed, since it takes a tenth of a second; it wants the polyfill first.
  await import('reflect-metadata')
  const { SubjectAlternativeNameExtension, X509CertificateGenerator } = await import('@peculiar/x509')
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
  const cert = await X509CertificateGenerator.createSelfSigned(
    {
      // A positive number of 16 bytes.
      serialNumber: `7${randomBytes(16).toString('hex').slice(1)}`,
      name: [{ CN: [hostname()] }],
      notBefore: new Date(at - DAY),
      notAfter: new Date(at + VALID_DAYS * DAY),
      signingAlgorithm,
      keys,
      extensions: [
        new SubjectAlternativeNameExtension([
          { type: 'dns', value: hostname() },
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
          { type: 'ip', value: '::1' },
        ]),
      ],
    },
    webcrypto,
  )
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return { cert: cert.toString('pem'), key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` }
}
