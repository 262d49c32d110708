// A license of a manager without a way to the hosted service: its bytes, its signature, and whether it counts here (pure).
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { fail, ok, type Result } from '../../base/result.js'
import { type HostedPlan, hostedPlans, isHostedPlan } from '../instance/plan.js'
import { type InstanceUri, renderUri } from '../instance/uri.js'

export interface License {
  readonly uri: InstanceUri
  readonly plan: HostedPlan
  /** Milliseconds since the epoch; for people, it ends nothing. */
  readonly issuedAt: number
}

/** Raw Ed25519: RFC 8032. */
const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
/** What stands before the 32 bytes in the DER form of a public key: RFC 8410. */
const DER_START = Buffer.from('302a300506032b6570032100', 'hex')

/** The bytes of `license.json`: one field a line, in one order. `nonce` sets two licenses of one moment apart. */
export const renderLicense = ({ uri, plan, issuedAt }: License, nonce: string): Buffer =>
  Buffer.from(
    `${JSON.stringify(
      {
        ...{ domain: uri.domain, subDomain: uri.subdomain, subDomainZone: uri.zone, plan },
        ...{ issuedAt: new Date(issuedAt).toISOString(), nonce },
      },
      undefined,
      2,
    )}\n`,
  )

/** The bytes of `license.sig`: over the exact bytes of `license.json`. */
export const signLicense = (bytes: Buffer, key: KeyObject): Buffer => sign(null, bytes, key)

export interface LicenseFiles {
  readonly bytes: Buffer
  readonly signature: Buffer
  /** Of the operator of the hosted service. */
  readonly key: KeyObject
}

/** The license, if it was signed with the key and names this manager. `bad-license`: which of the two, or what it contains. */
export function judgeLicense({ bytes, signature, key }: LicenseFiles, own: InstanceUri): Result<License> {
  if (signature.length !== SIGNATURE_BYTES)
    return fail(
      'bad-license',
      `the signature has ${signature.length} bytes, an Ed25519 signature has ${SIGNATURE_BYTES}`,
    )
  if (!verify(null, bytes, key, signature))
    return fail('bad-license', 'the signature does not belong to this file and the signing key of the package')
  const license = parseLicense(bytes)
  if (!license.ok) return license
  const [named, wanted] = [renderUri(license.value.uri), renderUri(own)]
  return named === wanted ? license : fail('bad-license', `it is for ${named}, this manager is ${wanted}`)
}

function parseLicense(bytes: Buffer): Result<License> {
  const { domain, subDomain, subDomainZone, plan, issuedAt } = parsedObject(bytes) ?? {}
  if (typeof domain !== 'string' || typeof subDomain !== 'string' || typeof subDomainZone !== 'string')
    return fail('bad-license', 'it contains no domain, subDomain and subDomainZone')
  if (!isHostedPlan(plan)) return fail('bad-license', `it contains none of the plans ${hostedPlans.join(', ')}`)
  const at = typeof issuedAt === 'string' ? Date.parse(issuedAt) : Number.NaN
  return ok({
    uri: { domain, subdomain: subDomain, zone: subDomainZone },
    plan,
    issuedAt: Number.isNaN(at) ? 0 : at,
  })
}

function parsedObject(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** A public Ed25519 key: PEM, or its 32 bytes. `bad-license` for anything else. */
export function readPublicKey(bytes: Buffer): Result<KeyObject> {
  return ed25519(() =>
    bytes.length === KEY_BYTES
      ? createPublicKey({ key: Buffer.concat([DER_START, bytes]), format: 'der', type: 'spki' })
      : createPublicKey(bytes),
  )
}

/** A private Ed25519 key in PEM. `bad-license` for anything else; the message contains nothing of it. */
export const readSigningKey = (bytes: Buffer): Result<KeyObject> => ed25519(() => createPrivateKey(bytes))

function ed25519(read: () => KeyObject): Result<KeyObject> {
  try {
    const key = read()
    if (key.asymmetricKeyType === 'ed25519') return ok(key)
  } catch {
    // Not a key at all: the same sentence.
  }
  return fail('bad-license', 'it contains no Ed25519 key')
}
