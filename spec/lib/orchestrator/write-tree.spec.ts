// The tree that is written is the one that a reader of every kind of archive would write.
import { link, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { create, x as extract } from 'tar'
import { writePlainTree } from '../../../lib/orchestrator/write-tree.js'
import { newDirectory } from '../../support/directories.js'

async function packed(cwd: string, names = ['.']): Promise<string> {
  const file = path.join(newDirectory('packed'), 'tree.tar.gz')
  await create({ file, cwd, gzip: true, portable: true }, names)
  return file
}

/** Kind, mode and content of everything in a folder, by its path. */
async function listing(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  const lines = names.map(async (name) => {
    const place = path.join(folder, name)
    const stats = await lstat(place)
    if (stats.isSymbolicLink()) return [name, `link to ${await readlink(place)}`]
    const mode = (stats.mode & 0o777).toString(8)
    return [name, stats.isDirectory() ? `folder ${mode}` : `file ${mode} ${await readFile(place, 'utf8')}`]
  })
  return Object.fromEntries(await Promise.all(lines))
}

describe('writePlainTree', () => {
  it('writes files, folders and links with their modes', async () => {
    const tree = newDirectory('tree')
    await mkdir(path.join(tree, 'etc/empty'), { recursive: true })
    await mkdir(path.join(tree, 'private'), { mode: 0o700 })
    await writeFile(path.join(tree, 'etc/nothing'), '')
    await writeFile(path.join(tree, 'etc/block'), 'b'.repeat(512))
    await writeFile(path.join(tree, 'private/key'), 'k'.repeat(700), { mode: 0o600 })
    await symlink('../private/key', path.join(tree, 'etc/link'))
    const file = await packed(tree, ['etc', 'private'])
    const [plain, other] = [newDirectory('plain'), newDirectory('other')]
    expect(writePlainTree(gunzipSync(await readFile(file)), plain)).to.equal(true)
    await extract({ file, cwd: other })
    expect(await listing(plain)).to.deep.equal(await listing(other))
    expect(Object.keys(await listing(plain))).to.have.length(7)
  })

  it('writes nothing of an archive that holds what is not plain', async () => {
    const tree = newDirectory('tree')
    await writeFile(path.join(tree, 'one'), '1')
    await link(path.join(tree, 'one'), path.join(tree, 'two'))
    const plain = newDirectory('plain')
    expect(writePlainTree(gunzipSync(await readFile(await packed(tree, ['one', 'two']))), plain)).to.equal(false)
    expect(await readdir(plain)).to.deep.equal([])
  })

  it('writes nothing of an archive that is cut off or leads out of the tree', async () => {
    const tree = newDirectory('tree')
    await writeFile(path.join(tree, 'one'), '1'.repeat(2_000))
    const tar = gunzipSync(await readFile(await packed(tree, ['one'])))
    const plain = newDirectory('plain')
    expect(writePlainTree(tar.subarray(0, 1_024), plain)).to.equal(false)
    tar.write('../one\0', 0)
    expect(writePlainTree(tar, plain)).to.equal(false)
    expect(await readdir(path.dirname(plain))).not.to.include('one')
  })
  it('writes nothing of an archive with an entry behind a link of its own', async () => {
    const [tree, away] = [newDirectory('tree'), newDirectory('away')]
    await symlink(away, path.join(tree, 'etc'))
    await writeFile(path.join(tree, 'one'), '1')
    const tar = gunzipSync(await readFile(await packed(tree, ['etc', 'one'])))
    tar.write('etc/one\0', tar.indexOf('one\0'))
    expect(writePlainTree(tar, newDirectory('plain'))).to.equal(false)
    expect(await readdir(away)).to.deep.equal([])
  })
})
