// Makes keys and certificates: ECDSA on P-384 with SHA-256, as the interface contract asks for at least.
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import type { KeyPair } from './pair.js'
import { type CertificateParams, type Extension, loadX509 } from './x509.js'

/** What a certificate is to say. */
export interface Wish {
  /** Its common name: 64 characters at most, what is longer is cut off. */
  readonly name: string
  readonly use: 'authority' | 'server' | 'client'
  /** Host names and addresses that a server is reached by. */
  readonly hosts?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-256' }

/** A new key with its certificate: by the authority given, else by itself. */
export async function issuePair(wish: Wish, authority?: KeyPair): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const signer = authority && (await importSigner(authority))
  const cert = await certify(wish, { publicKey: keys.publicKey, signer: signer ?? { key: keys.privateKey } })
  return { cert, key: toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)) }
}

/** The authority `next` certified by `authority`: who trusts only the latter then trusts what `next` has signed. */
export async function crossSign(
  next: Pick<KeyPair, 'cert'>,
  authority: KeyPair,
  period: Pick<Wish, 'from' | 'until'>,
): Promise<string> {
  const { X509Certificate } = await loadX509()
  const certificate = new X509Certificate(next.cert)
  return certify(
    { ...period, name: certificate.subjectName.getField('CN')[0] ?? '', use: 'authority' },
    { publicKey: await certificate.publicKey.export(webcrypto), signer: await importSigner(authority) },
  )
}

interface Parts {
  readonly publicKey: webcrypto.CryptoKey
  /** Without a certificate it signs itself. */
  readonly signer: { readonly key: webcrypto.CryptoKey; readonly cert?: string }
}

async function certify(wish: Wish, { publicKey, signer }: Parts): Promise<string> {
  const { X509Certificate, X509CertificateGenerator } = await loadX509()
  const subject = [{ CN: [wish.name.slice(0, 64)] }]
  const params: CertificateParams = {
    // A positive number of 16 bytes.
    serialNumber: `7${randomBytes(16).toString('hex').slice(1)}`,
    subject,
    issuer: signer.cert === undefined ? subject : new X509Certificate(signer.cert).subjectName.toJSON(),
    notBefore: new Date(wish.from),
    notAfter: new Date(wish.until),
    ...{ signingAlgorithm: algorithm, publicKey, signingKey: signer.key },
    extensions: await extensionsOf(wish, publicKey, signer.cert),
  }
  return `${(await X509CertificateGenerator.create(params, webcrypto)).toString('pem')}\n`
}

async function extensionsOf(wish: Wish, publicKey: webcrypto.CryptoKey, issuer?: string): Promise<Extension[]> {
  const x509 = await loadX509()
  const { digitalSignature, keyAgreement, keyCertSign, cRLSign } = x509.KeyUsageFlags
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage
  const isAuthority = wish.use === 'authority'
  const names = (wish.hosts ?? []).map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const)
  return [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    new x509.KeyUsagesExtension(isAuthority ? keyCertSign | cRLSign : digitalSignature | keyAgreement, true),
    // A server is also a client: of the server it replicates from.
    ...(isAuthority
      ? []
      : [new x509.ExtendedKeyUsageExtension(wish.use === 'server' ? [serverAuth, clientAuth] : [clientAuth])]),
    ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
    ...(issuer === undefined
      ? []
      : [
          await x509.AuthorityKeyIdentifierExtension.create(
            await new x509.X509Certificate(issuer).publicKey.export(webcrypto),
            false,
            webcrypto,
          ),
        ]),
  ]
}

async function importSigner({ cert, key }: KeyPair): Promise<{ key: webcrypto.CryptoKey; cert: string }> {
  const der = Buffer.from(key.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  return { cert, key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']) }
}

const toPem = (title: string, der: ArrayBuffer): string => {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${title}-----\n${lines.join('\n')}\n-----END ${title}-----\n`
}
