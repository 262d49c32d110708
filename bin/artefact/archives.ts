// Packs trees: a tarball with sorted names and no owner, the npm package, a Debian package.
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { capture } from './programs.js'

/** `folder` below its parent, as a gzipped tarball. */
export async function packTarball(folder: string, file: string, at: number): Promise<void> {
  await capture('tar', [
    ...['--create', '--sort=name', '--format=ustar', `--mtime=@${at}`, '--owner=0', '--group=0', '--numeric-owner'],
    ...['--use-compress-program=gzip -n9', '--directory', path.dirname(folder), '--file', file, path.basename(folder)],
  ])
}

/** npm gives every file one time and one mode; answers the name of the package. */
export async function packNpm(folder: string, out: string): Promise<string> {
  const text = await capture('npm', [
    'pack',
    '--json',
    '--ignore-scripts',
    '--offline',
    '--pack-destination',
    out,
    folder,
  ])
  const [packed] = JSON.parse(text) as readonly { readonly filename: string }[]
  if (!packed) throw new Error('npm pack made no package')
  return packed.filename
}

export async function packDebian(folder: string, file: string, at: number): Promise<void> {
  const draft = `${file}.new`
  await capture('dpkg-deb', ['--root-owner-group', '-Zxz', '--threads-max=1', '--build', folder, draft], {
    SOURCE_DATE_EPOCH: String(at),
  })
  await rename(draft, file)
}
