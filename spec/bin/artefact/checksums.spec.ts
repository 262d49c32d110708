// Checksums and signatures, verified by the programs that a person would use.
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { NAMESPACE, SUMS, signSums, writeSums } from '../../../bin/artefact/checksums.js'
import { newDirectory } from '../../support/machine/directories.js'

async function signed(): Promise<string> {
  const folder = newDirectory('sums')
  for (const name of ['b.txt', 'a.txt']) writeFileSync(path.join(folder, name), name)
  await writeSums(folder, ['b.txt', 'a.txt'])
  return folder
}

describe('checksums', () => {
  it('are read by sha256sum', async () => {
    const folder = await signed()
    expect(execFileSync('sha256sum', ['-c', SUMS], { cwd: folder, encoding: 'utf8' })).to.equal(
      'a.txt: OK\nb.txt: OK\n',
    )
  })

  it('are signed by a key of OpenSSH; a changed list is refused', async () => {
    const folder = await signed()
    const key = path.join(folder, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    await signSums(folder, key)
    writeFileSync(path.join(folder, 'signers'), `release ${readFileSync(`${key}.pub`, 'utf8')}`)
    const verify = () =>
      execFileSync(
        'ssh-keygen',
        ['-Y', 'verify', '-f', 'signers', '-I', 'release', '-n', NAMESPACE, '-s', `${SUMS}.sig`],
        {
          cwd: folder,
          input: readFileSync(path.join(folder, SUMS)),
          encoding: 'utf8',
          stdio: ['pipe', 'pipe', 'pipe'],
        },
      )
    expect(verify()).to.contain('Good')
    writeFileSync(path.join(folder, SUMS), 'another list\n')
    expect(verify).to.throw()
  })

  it('are signed by a PEM key of RSA, verified by openssl', async () => {
    const folder = await signed()
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(path.join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(path.join(folder, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    await signSums(folder, path.join(folder, 'key.pem'))
    const words = ['dgst', '-sha256', '-verify', 'public.pem', '-signature', `${SUMS}.sig`, SUMS]
    expect(execFileSync('openssl', words, { cwd: folder, encoding: 'utf8' })).to.equal('Verified OK\n')
  })
})
