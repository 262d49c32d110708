// `manager keygen` and `manager encrypt` as people run them.
import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { packageRoot } from '../../../lib/base/package-root.js'
import { unwrap } from '../../../lib/base/result.js'
import { reveal, type Secret } from '../../../lib/base/secret.js'
import { decryptSecret, readKeyFile } from '../../../lib/settings/index.js'
import { newDirectory } from '../../support/machine/directories.js'

const program = path.join(packageRoot, 'bin/manager')

interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(words: readonly string[], input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, [program, ...words])
  const outcome = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      outcome[name] += chunk
    })
  child.stdin.end(input)
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, ...outcome })))
}

describe('manager', () => {
  const key = path.join(newDirectory('keys'), 'manager.key')
  const keyOf = async (): Promise<Secret> => {
    const read = unwrap(await readKeyFile(key))
    if (!read) throw new Error('no key')
    return read
  }
  before(async () => {
    expect(await run(['keygen', key])).to.deep.equal({ status: 0, stdout: '', stderr: `${key} created, mode 0600\n` })
  })

  it('makes a key of mode 0600, and never replaces one', async () => {
    expect((statSync(key).mode & 0o777).toString(8)).to.equal('600')
    const again = await run(['keygen', key])
    expect(again).to.deep.include({ status: 1, stderr: `${key}: the file exists already\n` })
  })

  it('encrypts what standard input gives, without the newline at its end', async () => {
    const { status, stdout } = await run(['encrypt', key], 'manager:pässword\n')
    expect(status).to.equal(0)
    expect(stdout).to.match(/^aes256gcm:\S+\n$/)
    expect(reveal(unwrap(decryptSecret(stdout.trim(), await keyOf())))).to.equal('manager:pässword')
  })

  it('never gives the same text for the same secret', async () => {
    const [one, two] = [await run(['encrypt', key], 'same'), await run(['encrypt', key], 'same')]
    expect(one.stdout).not.to.equal(two.stdout)
  })

  it('asks for the secret on a terminal, and shows nothing of it', async () => {
    const command = `'${process.execPath}' '${program}' encrypt '${key}'`
    const child = spawn('script', ['-qec', command, '/dev/null'])
    let seen = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (!seen.includes('Secret: ') && `${seen}${chunk}`.includes('Secret: ')) child.stdin.write('hush\r')
      seen += chunk
    })
    const status = await new Promise((resolve) => child.once('close', resolve))
    expect(status).to.equal(0)
    expect(seen).not.to.contain('hush')
    const [encrypted = ''] = /aes256gcm:\S+/.exec(seen) ?? []
    expect(reveal(unwrap(decryptSecret(encrypted, await keyOf())))).to.equal('hush')
  })

  it('reports what is missing: the key, or the secret', async () => {
    const lost = await run(['encrypt', '/nowhere/key'], 'x')
    expect(lost).to.deep.include({ status: 1, stdout: '' })
    expect(lost.stderr).to.contain('/nowhere/key').and.contain('manager keygen')
    expect(await run(['encrypt', key], '\n')).to.deep.include({ status: 1, stdout: '' })
  })

  it('reports an unknown word and a --config without a file with status 2', async () => {
    for (const words of [['monitr'], ['--config']]) {
      const { status, stderr } = await run(words)
      expect(status, stderr).to.equal(2)
    }
  })
})
