// The tool that makes licenses: what it signs counts, and it replaces nothing.
import { execFile } from 'node:child_process'
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { runLicenses } from '../../../bin/licenses/licenses.js'
import { packageRoot } from '../../../lib/base/package-root.js'
import { newDirectory } from '../../support/machine/directories.js'

const sign = (folder: string) => ['sign', '--key', `${folder}/signing.pem`, '--uri', 'acme.paris.a', '--out', folder]

describe('runLicenses', () => {
  const folder = newDirectory('licenses')
  const verify = (uri: string) =>
    runLicenses(['verify', '--key', `${folder}/license.pub`, '--uri', uri, `${folder}/license.json`])

  it('makes keys of which only its user can read the private one, and signs what counts for one manager', async () => {
    expect((await runLicenses(['keygen', '--out', folder])).status).to.equal(0)
    expect((await stat(`${folder}/signing.pem`)).mode & 0o777).to.equal(0o600)
    expect((await runLicenses([...sign(folder), '--plan', 'support'])).status).to.equal(0)
    expect((await readFile(`${folder}/license.sig`)).length).to.equal(64)
    expect(await verify('acme.paris.a')).to.deep.equal({
      ...{ text: `${folder}/license.json counts for acme.paris.a: support`, status: 0 },
    })
    expect(await verify('acme.paris.b')).to.deep.include({ status: 1 })
  })

  it('replaces no key and no license', async () => {
    const before = await readFile(`${folder}/signing.pem`, 'utf8')
    for (const words of [
      ['keygen', '--out', folder],
      [...sign(folder), '--plan', 'partner'],
    ])
      expect(await runLicenses(words)).to.deep.include({ status: 1 })
    expect(await readFile(`${folder}/signing.pem`, 'utf8')).to.equal(before)
    expect((await verify('acme.paris.a')).text).to.match(/: support$/)
  })

  it('finds the signature under its other name, and says what is missing', async () => {
    await rename(`${folder}/license.sig`, `${folder}/license.json.sig`)
    expect(await verify('acme.paris.a')).to.deep.include({ status: 0 })
    await rename(`${folder}/license.json.sig`, `${folder}/elsewhere`)
    expect(await verify('acme.paris.a')).to.deep.equal({
      text: `${folder}/license.sig: there is no such file`,
      status: 1,
    })
  })

  it('refuses a plan that there is not, a key that is none, and a license without end', async () => {
    expect(await runLicenses([...sign(folder), '--plan', 'gold'])).to.deep.include({ status: 2 })
    await writeFile(`${folder}/signing.pem`, 'no key')
    const refused = await runLicenses([...sign(folder), '--plan', 'free'])
    expect(refused).to.deep.equal({ text: `${folder}/signing.pem: it contains no Ed25519 key`, status: 1 })
    await writeFile(`${folder}/license.json`, 'x'.repeat(100_000))
    expect((await verify('acme.paris.a')).text).to.equal(`${folder}/license.json: longer than 16384 bytes`)
  })
})

describe('bin/license', () => {
  it('runs as a program, with its verbs in its help', async () => {
    const folder = newDirectory('license-program')
    const run = promisify(execFile)
    const program = path.join(packageRoot, 'bin/license')
    const { stdout } = await run(program, ['--help'])
    for (const verb of ['keygen', 'sign', 'verify']) expect(stdout).to.include(verb)
    await run(program, ['keygen', '--out', folder])
    expect((await readdir(folder)).sort()).to.deep.equal(['license.pub', 'signing.pem'])
  })
})
