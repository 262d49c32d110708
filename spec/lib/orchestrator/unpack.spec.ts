// Unpacking replaces a tree in one step, and never leaves half of one.
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { create } from 'tar'
import { unwrap } from '../../../lib/base/result.js'
import { unpackArchive } from '../../../lib/orchestrator/unpack.js'
import { newDirectory } from '../../support/machine/directories.js'

async function archiveOf(directory: string, files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = newDirectory('packed')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true })
    await writeFile(path.join(cwd, name), text)
  }
  const file = path.join(directory, 'config.tar.gz')
  await create({ file, cwd, gzip: true }, Object.keys(files))
  return file
}

for (const sync of [false, true])
  describe(sync ? 'unpackArchive without giving way' : 'unpackArchive', () => {
    it('makes init the content of the archive, and of the next one', async () => {
      const directory = newDirectory('unpack')
      unwrap(await unpackArchive(await archiveOf(directory, { 'etc/one': '1' }), directory, { sync }))
      expect(await readFile(path.join(directory, 'init/etc/one'), 'utf8')).to.equal('1')
      unwrap(await unpackArchive(await archiveOf(directory, { 'etc/two': '2' }), directory, { sync }))
      expect(await readdir(path.join(directory, 'init/etc'))).to.deep.equal(['two'])
    })

    it('keeps the tree before for its readers, and no older one', async () => {
      const directory = newDirectory('unpack')
      for (const text of ['1', '2', '3', '4']) {
        unwrap(await unpackArchive(await archiveOf(directory, { 'etc/one': text }), directory, { sync }))
      }
      expect((await readdir(directory)).filter((name) => name.startsWith('.init-'))).to.have.length(2)
      expect(await readFile(path.join(directory, 'init/etc/one'), 'utf8')).to.equal('4')
    })

    it('leaves the tree as it was when the archive is damaged', async () => {
      const directory = newDirectory('unpack')
      const archive = await archiveOf(directory, { 'etc/one': '1' })
      unwrap(await unpackArchive(archive, directory, { sync }))
      await writeFile(archive, (await readFile(archive)).subarray(0, 60))
      expect((await unpackArchive(archive, directory, { sync })).ok).to.equal(false)
      expect(await readFile(path.join(directory, 'init/etc/one'), 'utf8')).to.equal('1')
      expect((await readdir(directory)).filter((name) => name.startsWith('.unpack-'))).to.deep.equal([])
    })

    for (const [what, change] of [
      ['leads out of the tree', (tar: Buffer) => tar.write('../one\0', tar.indexOf('one\0'))],
      ['lies behind a link of the archive', (tar: Buffer) => tar.write('etc/one\0', tar.indexOf('one\0'))],
    ] as const)
      it(`writes nothing of an archive with an entry that ${what}`, async () => {
        const [directory, cwd, away] = [newDirectory('unpack'), newDirectory('packed'), newDirectory('away')]
        await symlink(away, path.join(cwd, 'etc'))
        await writeFile(path.join(cwd, 'one'), '1')
        const file = path.join(directory, 'config.tar.gz')
        await create({ file, cwd, gzip: true }, ['etc', 'one'])
        const tar = gunzipSync(await readFile(file))
        change(tar)
        await writeFile(file, gzipSync(tar))
        expect((await unpackArchive(file, directory, { sync })).ok).to.equal(false)
        expect(await readdir(away)).to.deep.equal([])
        expect(await readdir(directory)).to.deep.equal(['config.tar.gz'])
      })
  })
