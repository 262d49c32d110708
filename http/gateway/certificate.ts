// The certificate of the API server: read and judged, weak or expired ones refused by name.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fail, ok, type Result } from '../../lib/base/result.js'

/** PEM texts, ready for a TLS server. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

const MIN_RSA_BITS = 2_048
const curves: readonly string[] = ['secp384r1', 'secp521r1', 'brainpoolP384r1', 'brainpoolP512r1']

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

/** Reads the pair of `monitoring-ssl-cert` and `monitoring-ssl-key`; the failure names the file and what is wrong. */
export async function loadCertificate({ certFile, keyFile }: CertificateFiles, at: number): Promise<Result<KeyPair>> {
  const cert = await readText(certFile)
  if (!cert.ok) return cert
  const key = await readText(keyFile)
  if (!key.ok) return key
  const reason = judgePair({ cert: cert.value, key: key.value }, at)
  return reason === undefined
    ? ok({ cert: cert.value, key: key.value })
    : fail('bad-certificate', `monitoring-ssl-cert ${certFile}: ${reason}`)
}

/** Why the pair cannot be used at time `at`; undefined when it can. */
export function judgePair({ cert, key }: KeyPair, at: number): string | undefined {
  try {
    const leaf = new X509Certificate(cert)
    if (Date.parse(leaf.validTo) <= at) return `expired on ${leaf.validTo}`
    if (Date.parse(leaf.validFrom) > at) return `not valid before ${leaf.validFrom}`
    const weak = judgeStrength(leaf)
    if (weak !== undefined) return weak
    return leaf.checkPrivateKey(createPrivateKey(key)) ? undefined : 'the key of monitoring-ssl-key is not its key'
  } catch (error) {
    return `cannot be read (${error instanceof Error ? error.message : String(error)})`
  }
}

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

async function readText(file: string): Promise<Result<string>> {
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
