// Creates keys and certificates: ECDSA on P-384 with SHA-256, at least what the interface contract requires.
import { createHash, KeyObject, randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import type { KeyPair } from './pair.js'
import { type CertificateParams, type Extension, loadX509 } from './x509.js'

/** The content of a certificate. */
export interface CertificateRequest {
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

/** A parsed authority, ready to sign: parsing costs as much as a certificate, so it is done once for many. */
export interface Issuer {
  readonly name: CertificateParams['issuer']
  /** Identifies its key in what it signs. */
  readonly keyId: string
  readonly key: webcrypto.CryptoKey
}

/** Parses an authority. */
export async function openIssuer({ cert, key }: KeyPair): Promise<Issuer> {
  const { X509Certificate } = await loadX509()
  const certificate = new X509Certificate(cert)
  const der = Buffer.from(key.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  return {
    name: certificate.subjectName,
    keyId: Buffer.from(await certificate.publicKey.getKeyIdentifier(webcrypto)).toString('hex'),
    key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
  }
}

/** A new key with its certificate: signed by the issuer given, else self-signed. */
export async function issuePair(request: CertificateRequest, issuer?: Issuer): Promise<KeyPair> {
  const { publicKey, privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const cert = await certify(request, {
    publicKey,
    signingKey: issuer?.key ?? privateKey,
    ...(issuer ? { issuer } : {}),
  })
  return { cert, key: String(KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' })) }
}

/** The authority `next` certified by `issuer`: clients that trust only the latter then trust what `next` has signed. */
export async function crossSign(
  next: Pick<KeyPair, 'cert'>,
  issuer: Issuer,
  period: Pick<CertificateRequest, 'from' | 'until'>,
): Promise<string> {
  const { X509Certificate } = await loadX509()
  const certificate = new X509Certificate(next.cert)
  return certify(
    { ...period, name: certificate.subjectName.getField('CN')[0] ?? '', use: 'authority' },
    { publicKey: await certificate.publicKey.export(webcrypto), signingKey: issuer.key, issuer },
  )
}

interface Parts {
  readonly publicKey: webcrypto.CryptoKey
  readonly signingKey: webcrypto.CryptoKey
  /** Absent: it signs itself. */
  readonly issuer?: Issuer
}

async function certify(request: CertificateRequest, { publicKey, signingKey, issuer }: Parts): Promise<string> {
  const { Name, X509CertificateGenerator } = await loadX509()
  const subject = new Name([{ CN: [request.name.slice(0, 64)] }])
  const params: CertificateParams = {
    // A positive number of 16 bytes.
    serialNumber: `7${randomBytes(16).toString('hex').slice(1)}`,
    subject,
    issuer: issuer?.name ?? subject,
    notBefore: new Date(request.from),
    notAfter: new Date(request.until),
    ...{ signingAlgorithm: algorithm, publicKey, signingKey },
    extensions: await extensionsOf(request, await keyIdOf(publicKey), issuer?.keyId),
  }
  return `${(await X509CertificateGenerator.create(params, webcrypto)).toString('pem')}\n`
}

/** The first method of RFC 5280, 4.2.1.2: a digest of the bits of the key. */
const keyIdOf = async (key: webcrypto.CryptoKey): Promise<string> =>
  createHash('sha1')
    .update(new Uint8Array(await webcrypto.subtle.exportKey('raw', key)))
    .digest('hex')

async function extensionsOf(
  { use, hosts = [] }: CertificateRequest,
  keyId: string,
  issuerKeyId?: string,
): Promise<Extension[]> {
  const { AuthorityKeyIdentifierExtension, SubjectAlternativeNameExtension, SubjectKeyIdentifierExtension } =
    await loadX509()
  const names = hosts.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const)
  return [
    ...(await usageExtensions(use)),
    ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
    new SubjectKeyIdentifierExtension(keyId),
    ...(issuerKeyId === undefined ? [] : [new AuthorityKeyIdentifierExtension(issuerKeyId)]),
  ]
}

const usages = new Map<CertificateRequest['use'], readonly Extension[]>()

/** What a certificate may be used for, the same for all of one use. */
async function usageExtensions(use: CertificateRequest['use']): Promise<readonly Extension[]> {
  const known = usages.get(use)
  if (known !== undefined) return known
  const x509 = await loadX509()
  const { digitalSignature, keyAgreement, keyCertSign, cRLSign } = x509.KeyUsageFlags
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage
  const isAuthority = use === 'authority'
  const made = [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    new x509.KeyUsagesExtension(isAuthority ? keyCertSign | cRLSign : digitalSignature | keyAgreement, true),
    // A server is also a client: of the server it replicates from.
    ...(isAuthority
      ? []
      : [new x509.ExtendedKeyUsageExtension(use === 'server' ? [serverAuth, clientAuth] : [clientAuth])]),
  ]
  usages.set(use, made)
  return made
}
