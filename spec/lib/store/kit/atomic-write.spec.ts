import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { unwrap } from '../../../../lib/base/result.js'
import { atomicWrite } from '../../../../lib/store/index.js'
import { newDirectory } from '../../../support/machine/directories.js'

describe('atomicWrite', () => {
  it('makes a file that only its owner may read', async () => {
    const file = path.join(newDirectory('atomic'), 'a')
    unwrap(await atomicWrite(file, 'one'))
    expect(await readFile(file, 'utf8')).to.equal('one')
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('sets the requested permissions, whatever the umask', async () => {
    const file = path.join(newDirectory('atomic'), 'a')
    unwrap(await atomicWrite(file, 'one', { mode: 0o666 }))
    expect((await stat(file)).mode & 0o777).to.equal(0o666)
  })

  it('keeps the previous content when asked to', async () => {
    const file = path.join(newDirectory('atomic'), 'a')
    for (const text of ['one', 'two', 'three']) unwrap(await atomicWrite(file, text, { keepPrevious: true }))
    expect(await readFile(file, 'utf8')).to.equal('three')
    expect(await readFile(`${file}.old`, 'utf8')).to.equal('two')
  })

  it('leaves the old content and no draft behind when it fails', async () => {
    const directory = newDirectory('atomic')
    await writeFile(path.join(directory, 'file'), 'x')
    const result = await atomicWrite(path.join(directory, 'file', 'below'), 'one')
    expect(result).to.have.nested.property('failure.code', 'file-unwritable')
    expect(await readdir(directory)).to.deep.equal(['file'])
  })

  it('lets overlapping writes each be whole', async () => {
    const file = path.join(newDirectory('atomic'), 'a')
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000))
    for (const result of await Promise.all(texts.map((text) => atomicWrite(file, text)))) unwrap(result)
    expect(texts).to.include(await readFile(file, 'utf8'))
    expect(await readdir(path.dirname(file))).to.deep.equal(['a'])
  })
})
