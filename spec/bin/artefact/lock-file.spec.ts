import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadedPackages } from '../../../bin/artefact/bundled.js'
import { closureOf, type LockFile, nameAt, readLockFile, resolveFrom } from '../../../bin/artefact/lock-file.js'
import { packageRoot } from '../../../lib/base/package-root.js'

/** A new one is judged first: what it does when it is installed, and what is missing without that. */
const knownScripts = ['@scarf/scarf', 'cpu-features', 'esbuild', 'ssh2']

const registry = /^https:\/\/registry\.npmjs\.org\//

const lock: LockFile = {
  'node_modules/a': { version: '1.0.0', dependencies: { b: '^1', '@s/c': '^1' } },
  'node_modules/a/node_modules/b': { version: '1.5.0' },
  'node_modules/b': { version: '2.0.0' },
  'node_modules/@s/c': { version: '3.0.0', dependencies: { b: '^2' } },
}

describe('lock file', () => {
  it('finds the nearest version of a package, as Node.js does', () => {
    expect(resolveFrom(lock, 'node_modules/a', 'b')).to.equal('node_modules/a/node_modules/b')
    expect(resolveFrom(lock, 'node_modules/@s/c', 'b')).to.equal('node_modules/b')
    expect(() => resolveFrom(lock, '', 'd')).to.throw('package-lock.json has no d')
  })

  it('lists packages with all that they need', () => {
    expect(closureOf(lock, ['a'])).to.deep.equal(Object.keys(lock).sort())
    expect(nameAt('node_modules/a/node_modules/@s/c')).to.equal('@s/c')
  })

  it('knows every package that the bundles load', async () => {
    const real = await readLockFile()
    expect(closureOf(real, loadedPackages).filter((folder) => real[folder]?.dev)).to.deep.equal([])
  })

  it('names the sum of every package, but for programs of other platforms that only a build would use', async () => {
    const without = Object.entries(await readLockFile()).filter(([folder, { integrity }]) => folder && !integrity)
    expect(without.filter(([, { dev, optional }]) => !(dev && optional)).map(([folder]) => folder)).to.deep.equal([])
    for (const [folder, { integrity = 'sha512-' }] of Object.entries(await readLockFile()))
      expect(integrity, folder).to.match(/^sha512-/)
  })

  it('takes no package from elsewhere than the registry: no address, no git, no file', async () => {
    const elsewhere = Object.entries(await readLockFile()).filter(
      ([folder, { resolved, link }]) => folder !== '' && (link || (resolved && !registry.test(resolved))),
    )
    expect(elsewhere.map(([folder]) => folder)).to.deep.equal([])
  })

  it('has these packages with an install script, and none of them runs it', async () => {
    const scripted = Object.entries(await readLockFile()).filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(scripted.map(([folder]) => nameAt(folder)).sort()).to.deep.equal(knownScripts)
    expect(readFileSync(path.join(packageRoot, '.npmrc'), 'utf8')).to.match(/^ignore-scripts=true$/m)
    const { scripts } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    expect(Object.keys(scripts).filter((name) => /^(pre|post)|install$|^prepare$/.test(name))).to.deep.equal([])
  })
})
