import { expect } from 'chai'
import { loadedPackages } from '../../../bin/artefact/bundled.js'
import { closureOf, type LockFile, nameAt, readLockFile, resolveFrom } from '../../../bin/artefact/lock-file.js'

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
})
