// A certificate authority of a test, and certificates that it signs: real ones, made by openssl.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { newDirectory } from './directories.js'

const run = promisify(execFile)
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp384r1', '-nodes', '-sha256', '-days', '2']

export interface Pair {
  readonly certFile: string
  readonly keyFile: string
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** Its own certificate. */
  readonly caFile: string
  /** A server's certificate for a name as in `IP:127.0.0.1` or `DNS:db1`; a client's, by the subject. */
  issue(subjectAltName: string, options?: { readonly subject: string }): Promise<Pair>
}

export async function makeAuthority(): Promise<Authority> {
  const folder = newDirectory('authority')
  const [caFile, caKey] = [path.join(folder, 'ca.pem'), path.join(folder, 'ca-key.pem')]
  await run('openssl', ['req', '-x509', ...key, '-subj', '/CN=spec authority', '-keyout', caKey, '-out', caFile])
  let issued = 0
  return {
    caFile,
    async issue(subjectAltName, { subject } = { subject: '/CN=spec server' }) {
      issued += 1
      const [certFile, keyFile] = [path.join(folder, `${issued}.pem`), path.join(folder, `${issued}-key.pem`)]
      const [request, names] = [path.join(folder, `${issued}.csr`), path.join(folder, `${issued}.txt`)]
      await writeFile(names, `subjectAltName=${subjectAltName}\n`)
      await run('openssl', ['req', ...key, '-subj', subject, '-keyout', keyFile, '-out', request])
      const signer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-sha384', '-extfile', names]
      await run('openssl', ['x509', '-req', '-in', request, ...signer, '-out', certFile])
      return { certFile, keyFile, cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') }
    },
  }
}
