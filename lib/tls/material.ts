// The TLS material of a cluster: authority, server and client pairs; created, renewed, rotated, checked. Texts in, texts out.
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { DAY } from '../base/time.js'
import { crossSign, type Issuer, issuePair, openIssuer } from './issue.js'
import { judgeCertificate, judgePair, type KeyPair } from './pair.js'

/** What a cluster's servers and their clients need, PEM. */
export interface Material {
  /** The authority in force; during a rotation also the previous one. Both are trusted. */
  readonly ca: string
  /** Key of the authority in force; absent when the files came from outside. Never leaves the manager. */
  readonly caKey?: string
  /** Contains all hosts of the cluster as names. */
  readonly server: KeyPair
  readonly client: KeyPair
}

/** The cluster and servers of the material. */
export interface Holder {
  readonly cluster: string
  /** Host names and addresses of the servers. */
  readonly hosts: readonly string[]
}

export const VALID_DAYS = 3_650

/** Clocks of hosts differ: certificates are valid from the day before. */
const period = (at: number) => ({ from: at - DAY, until: at + VALID_DAYS * DAY })

/** New authority, server and client pairs. */
export async function makeMaterial(holder: Holder, at: number): Promise<Material> {
  const authority = await makeAuthority(holder.cluster, at)
  const leaves = await issueLeaves(await openIssuer(authority), holder, { at, chain: '' })
  return { ca: authority.cert, caKey: authority.key, ...leaves }
}

/** Everything new. The previous authority stays trusted, and certifies the new one for clients that know only it. */
export async function rotateMaterial(before: Material, holder: Holder, at: number): Promise<Material> {
  const authority = await makeAuthority(holder.cluster, at)
  const former = before.caKey === undefined ? before.ca : first(before.ca)
  const until = Math.min(Date.parse(new X509Certificate(former).validTo), period(at).until)
  const chain =
    before.caKey === undefined || until <= at
      ? ''
      : await crossSign(authority, await openIssuer({ cert: former, key: before.caKey }), { from: at - DAY, until })
  const leaves = await issueLeaves(await openIssuer(authority), holder, { at, chain })
  return { ca: authority.cert + former, caKey: authority.key, ...leaves }
}

/** Trusts the authority in force alone: to be done when every server has moved. */
export function retireMaterial(before: Material): Material {
  return {
    ...before,
    ca: first(before.ca),
    server: { ...before.server, cert: first(before.server.cert) },
    client: { ...before.client, cert: first(before.client.cert) },
  }
}

/** The server's certificate recreated for the current hosts; undefined when it names them already or cannot be created. */
export async function extendMaterial(before: Material, holder: Holder, at: number): Promise<Material | undefined> {
  const { caKey } = before
  if (caKey === undefined || missingHosts(before, holder.hosts).length === 0) return undefined
  const [authority = ''] = splitPem(before.ca)
  const [, ...chain] = splitPem(before.server.cert)
  const issuer = await openIssuer({ cert: authority, key: caKey })
  return { ...before, server: await issueServer(issuer, holder, { at, chain: chain.join('') }) }
}

/** Hosts that the server's certificate does not name. */
export function missingHosts({ server }: Pick<Material, 'server'>, hosts: readonly string[]): readonly string[] {
  const leaf = new X509Certificate(server.cert)
  return hosts.filter((host) => (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) === undefined)
}

/** True while the previous authority is trusted as well. */
export const isRotating = ({ ca, caKey }: Material): boolean => caKey !== undefined && splitPem(ca).length > 1

/** Why the material cannot be used at time `at`: dates, strength, keys, and whether the authority signed the pairs. */
export function judgeMaterial({ ca, server, client }: Material, at: number): string | undefined {
  const weak = judgeCertificate(ca, at)
  if (weak !== undefined) return `CA certificate: ${weak}`
  for (const [name, pair] of [
    ['server certificate', server],
    ['client certificate', client],
  ] as const) {
    const reason = judgePair(pair, at) ?? judgeIssuer(pair.cert, ca)
    if (reason !== undefined) return `${name}: ${reason}`
  }
  return undefined
}

function judgeIssuer(cert: string, ca: string): string | undefined {
  const [leaf = '', ...between] = splitPem(cert)
  const issuers = [...between, ...splitPem(ca)].map((text) => new X509Certificate(text))
  const certificate = new X509Certificate(leaf)
  const isSigned = issuers.some((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
  return isSigned ? undefined : 'the CA certificate did not sign it'
}

/** When the first of the certificates in force expires, milliseconds since the epoch. */
export const expiryOf = ({ ca, server, client }: Material): number =>
  Math.min(...[ca, server.cert, client.cert].map((text) => Date.parse(new X509Certificate(text).validTo)))

/** The certificates of a PEM text, each with its line end. */
export const splitPem = (text: string): readonly string[] =>
  (text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map((each) => `${each}\n`)

const first = (text: string): string => splitPem(text)[0] ?? ''

/** Each authority has a distinct name, so that they cannot be confused. */
const makeAuthority = (cluster: string, at: number): Promise<KeyPair> =>
  issuePair({ ...period(at), name: `CA ${new Date(at).toISOString()} ${cluster}`, use: 'authority' })

interface Leaves {
  readonly at: number
  /** Appended to each certificate: the chain to an authority that others still trust. */
  readonly chain: string
}

async function issueLeaves(issuer: Issuer, holder: Holder, leaves: Leaves) {
  const { at, chain } = leaves
  const server = await issueServer(issuer, holder, leaves)
  const client = await issuePair({ ...period(at), name: `client ${holder.cluster}`, use: 'client' }, issuer)
  return { server, client: { ...client, cert: client.cert + chain } }
}

async function issueServer(issuer: Issuer, { cluster, hosts }: Holder, { at, chain }: Leaves): Promise<KeyPair> {
  const names = [...new Set([...hosts, 'localhost', '127.0.0.1', '::1'])]
  const server = await issuePair({ ...period(at), name: `server ${cluster}`, use: 'server', hosts: names }, issuer)
  return { ...server, cert: server.cert + chain }
}
