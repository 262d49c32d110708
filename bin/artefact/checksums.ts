// SHA256SUMS of the artefacts, and its signature by a key of the operator.
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { modeOf } from '../../lib/base/files/modes.js'
import { capture } from './programs.js'

export const SUMS = 'SHA256SUMS'
/** The namespace of signatures by a key of OpenSSH: a signature for another purpose is not valid for a release. */
export const NAMESPACE = 'manager-release'

/** In the format of sha256sum. */
export async function writeSums(folder: string, names: readonly string[]): Promise<void> {
  const lines = await Promise.all(
    [...names].sort().map(async (name) => {
      const digest = createHash('sha256').update(await readFile(path.join(folder, name)))
      return `${digest.digest('hex')}  ${name}\n`
    }),
  )
  await writeFile(path.join(folder, SUMS), lines.join(''), { mode: modeOf('packaged') })
}

/** By ssh-keygen for a key of OpenSSH; for a PEM key the signature that openssl verifies. Answers the file of the signature. */
export async function signSums(folder: string, keyFile: string): Promise<string> {
  const key = await readFile(keyFile, 'utf8')
  const file = path.join(folder, SUMS)
  const signature = `${SUMS}.sig`
  if (key.includes('BEGIN OPENSSH PRIVATE KEY'))
    await capture('ssh-keygen', ['-Y', 'sign', '-q', '-f', keyFile, '-n', NAMESPACE, file])
  else {
    const pem = createPrivateKey(key)
    const algorithm = /^ed/.test(pem.asymmetricKeyType ?? '') ? null : 'sha256'
    await writeFile(`${file}.sig.new`, sign(algorithm, await readFile(file), pem), { mode: modeOf('packaged') })
    await rename(`${file}.sig.new`, `${file}.sig`)
  }
  return signature
}
