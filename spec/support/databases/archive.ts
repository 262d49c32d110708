// Other versions of the database software, unpacked into a cache directory; nothing is installed on this machine. From
// Debian's other suites, where programs run on the C library that came with them, and from packages of Maven's archive.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const stepLimitMs = 180_000
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** A set of packages of one Debian suite. */
export interface PackageSet {
  readonly suite: string
  /** Fetched with everything they depend on. */
  readonly packages: readonly string[]
  /** Fetched alone, for files that stand in a package whose dependencies are not needed. */
  readonly alone: readonly string[]
}

/** Where the packages are unpacked, and how to run a program of theirs. */
export interface Unpacked {
  readonly root: string
  readonly loader: readonly string[]
}

/** Downloads and unpacks the packages, once per machine; throws with the reason when that cannot be. */
export async function unpack(name: string, set: PackageSet): Promise<Unpacked> {
  const root = path.join(await cacheDirectory(), name)
  if (!existsSync(root)) await fetchInto(root, set)
  return { root, loader: loaderOf(root) }
}

/** Downloads and unpacks a package `group:name:version` of Maven's archive, once per machine; throws with the reason. */
export async function unpackMaven(name: string, artifact: string): Promise<string> {
  const root = path.join(await cacheDirectory(), name)
  if (existsSync(root)) return root
  const draft = await mkdtemp(`${root}-`)
  try {
    const goal = ['dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${draft}/root`]
    await run('mvn', ['-q', '-B', ...goal], { cwd: draft, timeout: stepLimitMs })
    await moveInto(path.join(draft, 'root'), root)
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw absent ? new Error('Maven (mvn), which fetches it, is not installed') : error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return root
}

/** Another process may have been faster: what it unpacked is as good. */
const moveInto = (draft: string, root: string): Promise<void> =>
  rename(draft, root).catch((error: unknown) => {
    if (!existsSync(root)) throw error
  })

async function fetchInto(root: string, set: PackageSet): Promise<void> {
  const draft = await mkdtemp(`${root}-`)
  try {
    const archives = await download(draft, set)
    for (const name of await readdir(archives))
      if (name.endsWith('.deb')) await run('dpkg', ['-x', path.join(archives, name), path.join(draft, 'root')])
    await moveInto(path.join(draft, 'root'), root)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** With an empty package status apt resolves the whole closure, the suite's own C library included. */
async function download(draft: string, { suite, packages, alone }: PackageSet): Promise<string> {
  const archives = path.join(draft, 'cache/archives')
  await mkdir(path.join(archives, 'partial'), { recursive: true })
  await mkdir(path.join(draft, 'lists/partial'), { recursive: true })
  await writeFile(path.join(draft, 'status'), '')
  await writeFile(path.join(draft, 'sources.list'), `deb [signed-by=${keyring}] ${await mirror()} ${suite} main\n`)
  const configuration = path.join(draft, 'apt.conf')
  await writeFile(configuration, aptConfiguration(draft))
  const apt = (...args: readonly string[]) =>
    run('apt-get', ['-c', configuration, '-qq', ...args], { cwd: archives, timeout: stepLimitMs })
  await apt('update')
  await apt('-y', '-d', 'install', ...packages)
  for (const name of alone) await apt('download', name)
  return archives
}

const aptConfiguration = (draft: string) => `Dir::State::Lists "${draft}/lists";
Dir::State::status "${draft}/status";
Dir::Cache "${draft}/cache";
Dir::Etc::sourcelist "${draft}/sources.list";
Dir::Etc::sourceparts "-";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
`

/** The archive this machine installs from. */
async function mirror(): Promise<string> {
  const sources = await readFile('/etc/apt/sources.list.d/debian.sources', 'utf8').catch(() => '')
  const found = /^URIs:\s*(\S+)/m.exec(sources)?.[1]
  if (!found || !existsSync(keyring)) throw new Error('this machine installs from no Debian archive')
  return found
}

/** `/var/cache` when allowed, else the user's cache. */
async function cacheDirectory(): Promise<string> {
  const user = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache')
  for (const parent of ['/var/cache', user]) {
    const directory = path.join(parent, 'manager-test-servers')
    const made = await mkdir(directory, { recursive: true }).then(
      () => true,
      () => false,
    )
    if (made) return directory
  }
  throw new Error('no cache directory is writable')
}

function loaderOf(root: string): readonly string[] {
  const { loader, libraries } =
    process.arch === 'arm64'
      ? { loader: 'usr/lib/ld-linux-aarch64.so.1', libraries: 'usr/lib/aarch64-linux-gnu' }
      : { loader: 'usr/lib64/ld-linux-x86-64.so.2', libraries: 'usr/lib/x86_64-linux-gnu' }
  return [path.join(root, loader), '--library-path', `${root}/${libraries}:${root}/usr/lib/mysql/private`]
}
