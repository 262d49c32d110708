// Makes keys and certificates: ECDSA on P-384 with SHA-256, as the interface contract asks for at least. The certificates
// are written here rather than by a library: a fleet needs thousands, and those take eight times as long.
import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { promisify } from 'node:util'
import {
  bitString,
  contentOf,
  element,
  elementsOf,
  identifier,
  integer,
  moment,
  numbered,
  sequence,
  text,
  truth,
} from './der.js'
import type { KeyPair } from './pair.js'

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

const makeKeys = promisify(generateKeyPair)

/** A new key with its certificate: by the authority given, else by itself. */
export async function issuePair(wish: Wish, authority?: KeyPair): Promise<KeyPair> {
  const { publicKey, privateKey } = await makeKeys('ec', { namedCurve: 'secp384r1' })
  const bearer = { subject: nameOf(wish), publicKey: publicKey.export({ type: 'spki', format: 'der' }) }
  const cert = certify(wish, bearer, authority ? signerOf(authority) : { ...bearer, key: privateKey })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** The authority `next` certified by `authority`: who trusts only the latter then trusts what `next` has signed. */
export function crossSign(
  next: Pick<KeyPair, 'cert'>,
  authority: KeyPair,
  period: Pick<Wish, 'from' | 'until'>,
): string {
  return certify({ ...period, name: '', use: 'authority' }, bearerOf(next.cert), signerOf(authority))
}

/** Whom a certificate is about, as it says so itself. */
interface Bearer {
  /** Its name, DER. */
  readonly subject: Buffer
  /** Its key with the key's kind, DER. */
  readonly publicKey: Buffer
}

interface Signer extends Bearer {
  readonly key: KeyObject
}

const signerOf = ({ cert, key }: KeyPair): Signer => ({ ...bearerOf(cert), key: createPrivateKey(key) })

/** The name is taken as it stands: others compare its bytes. */
function bearerOf(cert: string): Bearer {
  const { raw, publicKey } = new X509Certificate(cert)
  const [body = Buffer.alloc(0)] = elementsOf(contentOf(raw))
  const subject = elementsOf(contentOf(body))[SUBJECT] ?? Buffer.alloc(0)
  return { subject, publicKey: publicKey.export({ type: 'spki', format: 'der' }) }
}

/** Place of the subject in a certificate's body (RFC 5280, 4.1): version, number, algorithm, issuer, period, subject. */
const SUBJECT = 5

const ecdsaWithSha256 = sequence(identifier('1.2.840.10045.4.3.2'))
const commonName = identifier('2.5.4.3')

const nameOf = ({ name }: Wish): Buffer =>
  sequence(element('set', sequence(commonName, text([...name].slice(0, 64).join('')))))

/** PEM text of the certificate. */
function certify(wish: Wish, bearer: Bearer, signer: Signer): string {
  const body = sequence(
    element(numbered(0, true), integer(Buffer.from([2]))), // the third version
    integer(serialNumber()),
    ecdsaWithSha256,
    signer.subject,
    sequence(moment(wish.from), moment(wish.until)),
    bearer.subject,
    bearer.publicKey,
    element(numbered(3, true), sequence(...extensionsOf(wish, bearer, signer))),
  )
  return toPem(sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, signer.key))))
}

/** A positive number of 16 bytes. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x0f) | 0x70)
  return bytes
}

/** RFC 5280, 4.2.1. */
function extensionsOf({ use, hosts = [] }: Wish, bearer: Bearer, signer: Signer): readonly Buffer[] {
  const isAuthority = use === 'authority'
  const byItself = signer.publicKey === bearer.publicKey
  return [
    extension('2.5.29.19', sequence(...(isAuthority ? [truth()] : [])), { isCritical: true }),
    extension('2.5.29.15', isAuthority ? keyUses.authority : keyUses.other, { isCritical: true }),
    // A server is also a client: of the server it replicates from.
    ...(isAuthority ? [] : [extension('2.5.29.37', sequence(...(use === 'server' ? [toServe, toAsk] : [toAsk])))]),
    ...(hosts.length === 0 ? [] : [extension('2.5.29.17', sequence(...hosts.map(hostName)))]),
    extension('2.5.29.14', element('octets', keyDigest(bearer.publicKey))),
    ...(byItself ? [] : [extension('2.5.29.35', sequence(element(numbered(0, false), keyDigest(signer.publicKey))))]),
  ]
}

/** Signs certificates and their revocation; signs, and agrees on keys. */
const keyUses = {
  authority: bitString(Buffer.from([0b0000_0110]), 1),
  other: bitString(Buffer.from([0b1000_1000]), 3),
} as const

const toServe = identifier('1.3.6.1.5.5.7.3.1')
const toAsk = identifier('1.3.6.1.5.5.7.3.2')

const extension = (name: string, value: Buffer, { isCritical = false } = {}): Buffer =>
  sequence(identifier(name), ...(isCritical ? [truth()] : []), element('octets', value))

const hostName = (host: string): Buffer =>
  isIP(host) === 0 ? element(numbered(2, false), Buffer.from(host)) : element(numbered(7, false), addressBytes(host))

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // As an URL it has one spelling: groups of hexadecimal digits, zeros left out once.
  const [head = '', tail = ''] = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (part: string) => part.split(':').filter((group) => group !== '')
  const [before, after] = [groupsOf(head), groupsOf(tail)]
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** The first method of RFC 5280, 4.2.1.2: the digest of the key without its kind. */
function keyDigest(publicKey: Buffer): Buffer {
  const [, bits = Buffer.alloc(0)] = elementsOf(contentOf(publicKey))
  return createHash('sha1').update(contentOf(bits).subarray(1)).digest()
}

const toPem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
