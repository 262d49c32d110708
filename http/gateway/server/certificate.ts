// The certificate of the API server: read, and refused by name when it is weak or expired.
import { readFile } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../lib/base/result.js'
import { judgePair, type KeyPair } from '../../../lib/tls/index.js'

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

async function readText(file: string): Promise<Result<string>> {
  try {
    return ok(await readFile(file, 'utf8'))
  } catch (error) {
    return fail('file-unreadable', `${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
