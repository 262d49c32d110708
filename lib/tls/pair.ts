// A certificate with its key as PEM texts, and whether the two can be used.
import { createPrivateKey, X509Certificate } from 'node:crypto'

/** PEM texts, ready for a TLS server. */
export interface KeyPair {
  /** The certificate, then the chain to its authority. */
  readonly cert: string
  readonly key: string
}

const MIN_RSA_BITS = 2_048
const curves: readonly string[] = ['secp384r1', 'secp521r1', 'brainpoolP384r1', 'brainpoolP512r1']

/** Why the pair cannot be used at time `at`; undefined when it can. */
export function judgePair({ cert, key }: KeyPair, at: number): string | undefined {
  const weak = judgeCertificate(cert, at)
  if (weak !== undefined) return weak
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
      ? undefined
      : 'the key belongs to another certificate'
  } catch (error) {
    return unreadable(error)
  }
}

/** Why the first certificate of a PEM text cannot be used at time `at`: its dates, the strength of its key. */
export function judgeCertificate(cert: string, at: number): string | undefined {
  try {
    const leaf = new X509Certificate(cert)
    if (Date.parse(leaf.validTo) <= at) return `expired on ${leaf.validTo}`
    if (Date.parse(leaf.validFrom) > at) return `not valid before ${leaf.validFrom}`
    return judgeStrength(leaf)
  } catch (error) {
    return unreadable(error)
  }
}

const unreadable = (error: unknown): string =>
  `cannot be read (${error instanceof Error ? error.message : String(error)})`

function judgeStrength({ publicKey }: X509Certificate): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = publicKey
  if (type === 'rsa' || type === 'rsa-pss') {
    const bits = details.modulusLength ?? 0
    return bits < MIN_RSA_BITS ? `RSA key of ${bits} bits, at least ${MIN_RSA_BITS} are needed` : undefined
  }
  if (type === 'ec') {
    const curve = details.namedCurve ?? 'unknown'
    return curves.includes(curve) ? undefined : `EC key on ${curve}, secp384r1 or stronger is needed`
  }
  return `${type} key, RSA or EC is needed`
}
