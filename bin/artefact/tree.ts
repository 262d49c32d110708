// The tree that every artefact holds: programs, documents and data, at one time and with two modes, so that equal sources give equal bytes.
import { chmod, cp, lstat, mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isExecutable, modeOf } from '../../lib/base/files/modes.js'
import { packageRoot } from '../../lib/base/package-root.js'
import { loadedPackages } from './bundled.js'
import { closureOf, type LockFile } from './lock-file.js'

/** What is copied of the checkout. */
const parts = [
  ...['bin/manager', 'bin/manager-agent', 'bin/arbitrator', 'bin/manager-cli', 'bin/launch.js'],
  'bin/license',
  ...['dist/bundle', 'dist/client', 'dist/dashboard', 'dist/doc', 'dist/man', 'dist/rules'],
  ...['dist/commit', 'dist/.built', 'share', 'LICENSE', 'README.md', 'CHANGELOG.md'],
] as const

const programs = new Set(['bin/manager', 'bin/manager-agent', 'bin/arbitrator', 'bin/license', 'bin/manager-cli'])

/** Maps of sources that are not there; the parts of packages; what only this repository's own scripts use. */
const isLeftOut = (file: string): boolean =>
  file.endsWith('.map') || /\/bundle\/quickstart\.js$/.test(file) || /\/share\/(package|scripts\/setup\.sh$)/.test(file)

/** Everything but the packages in node_modules: what the npm package holds. */
export async function stageTree(folder: string, lock: LockFile): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  for (const part of parts)
    await cp(path.join(packageRoot, part), path.join(folder, part), {
      recursive: true,
      filter: (source) => !isLeftOut(source),
    })
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(await releaseManifest(lock), null, 2)}\n`, {
    mode: modeOf('packaged'),
  })
}

/** The manifest of a release: only what is not part of the bundles is installed, in the versions that were tested. */
async function releaseManifest(lock: LockFile): Promise<object> {
  const { name, version, description, license, type, engines, bin, exports, directories } = JSON.parse(
    await readFile(path.join(packageRoot, 'package.json'), 'utf8'),
  )
  const dependencies = Object.fromEntries(
    [...loadedPackages].sort().map((each) => [each, lock[`node_modules/${each}`]?.version ?? '']),
  )
  return { name, version, private: true, description, license, type, engines, bin, exports, directories, dependencies }
}

/** Native code that some machine compiled, and what is not read at run time. */
const isNotCopied = (file: string): boolean =>
  /(\/node_modules\/|\/build\/|\.map$|\.d\.[cm]?ts$|\/\.bin\/|\/tests?\/)/.test(file)

/** The packages that the bundles load, from the checkout's node_modules, each in the version of the lock file. */
export async function stagePackages(folder: string, lock: LockFile): Promise<void> {
  for (const place of closureOf(lock, loadedPackages)) {
    const from = path.join(packageRoot, place)
    const { version } = JSON.parse(await readFile(path.join(from, 'package.json'), 'utf8'))
    if (version !== lock[place]?.version)
      throw new Error(`${place} is version ${version}, package-lock.json says ${lock[place]?.version}: run npm ci`)
    await cp(from, path.join(folder, place), {
      recursive: true,
      filter: (source) => !isNotCopied(source.slice(from.length)),
    })
  }
}

/** Gives every file one time (seconds since the epoch), programs mode 0755 and all others 0644. */
export async function settleTree(folder: string, at: number): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) {
    const full = path.join(folder, entry)
    const stat = await lstat(full)
    if (stat.isSymbolicLink()) continue
    await chmod(
      full,
      modeOf(stat.isDirectory() ? 'packageFolder' : isProgram(entry, stat.mode) ? 'program' : 'packaged'),
    )
    await utimes(full, at, at)
  }
  await chmod(folder, modeOf('packageFolder'))
  await utimes(folder, at, at)
}

const isProgram = (entry: string, mode: number): boolean =>
  programs.has(entry.split('/').slice(-2).join('/')) || (isExecutable(mode) && /(^|\/)DEBIAN\//.test(entry))

/** Writes a file with its folders. */
export async function put(file: string, text: string | Uint8Array, mode = modeOf('packaged')): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: modeOf('packageFolder') })
  await writeFile(file, text, { mode })
  await chmod(file, mode)
}

export async function putLink(file: string, target: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: modeOf('packageFolder') })
  await symlink(target, file)
}
