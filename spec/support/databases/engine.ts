// The database software a test runs on: how its system tables are made and how it is started.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Place {
  readonly dir: string
  readonly port: number
  /** MariaDB's extra port, MySQL's admin port. */
  readonly extraPort: number
  readonly serverNumber: number
  /** Where it runs when not beside the spec: its address, and what starts a program there. */
  readonly network?: { readonly host: string; readonly prefix: readonly string[] }
}

export interface Engine {
  /** Names the template directory: changes with software and recipe. */
  readonly name: string
  readonly flavour: 'mariadb' | 'mysql'
  /** MySQL before 8.0.22, whose statements have the words of MariaDB. */
  readonly oldWords?: true
  /** Fills a directory (existing, empty) with the system tables; root may log in without a password. */
  install(directory: string): Promise<void>
  /** Program and arguments that serve `place`. Later arguments win over these. */
  command(place: Place): readonly string[]
  /** Program and arguments that read this option file and nothing else of the harness. */
  bare(file: string): readonly string[]
}

/** Options a server of a test gets: small, and safe only as long as the machine does not lose power. */
const small = [
  'innodb-flush-log-at-trx-commit=0',
  'innodb-buffer-pool-size=16M',
  'innodb-buffer-pool-load-at-startup=OFF',
  'innodb-buffer-pool-dump-at-shutdown=OFF',
  'innodb-fast-shutdown=2',
  'sync-binlog=0',
  'skip-name-resolve',
  'key-buffer-size=1M',
  'max-connections=50',
  'binlog-format=ROW',
  'bind-address=127.0.0.1',
  'report-host=127.0.0.1',
]

/** What both flavours are started with. */
export const placeOptions = ({ dir, port, serverNumber }: Place): readonly string[] =>
  [
    ...small,
    `datadir=${dir}/data`,
    // A server that starts removes the temporary tables of all that share its folder.
    `tmpdir=${dir}`,
    `port=${port}`,
    `report-port=${port}`,
    `socket=${dir}/s.sock`,
    `pid-file=${dir}/pid`,
    `server-id=${serverNumber}`,
    'log-bin=bin',
  ].map((option) => `--${option}`)

/** How MariaDB's own files are made, at installation and later. */
export const mariadbFiles = ['innodb-log-file-size=4M', 'innodb-data-file-path=ibdata1:10M:autoextend']

/** MariaDB's own options on top of `placeOptions`. */
export const mariadbOptions = ({ extraPort }: Place): readonly string[] =>
  [
    ...mariadbFiles,
    'log-slave-updates=ON',
    'gtid-strict-mode=ON',
    `extra-port=${extraPort}`,
    'extra-max-connections=5',
    'aria-pagecache-buffer-size=1M',
    'performance-schema=OFF',
  ].map((option) => `--${option}`)

/** The server may not run as root unless configured so. */
export const asRoot: readonly string[] = process.getuid?.() === 0 ? ['--user=root'] : []

/** MariaDB as installed on this machine. */
export const installedMariadb: Engine = {
  name: 'mariadb',
  flavour: 'mariadb',

  async install(directory) {
    const file = path.join(directory, 'install.cnf')
    const options = [...mariadbFiles, 'innodb-flush-log-at-trx-commit=0', 'innodb-buffer-pool-size=32M']
    await writeFile(file, `[mariadbd]\n${[...options, 'performance-schema=OFF'].join('\n')}\n`)
    await run('mariadb-install-db', [
      `--defaults-file=${file}`,
      ...asRoot,
      `--datadir=${directory}/data`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ])
  },

  bare: (file) => ['/usr/sbin/mariadbd', `--defaults-file=${file}`, ...asRoot],

  command: (place) => [
    '/usr/sbin/mariadbd',
    '--no-defaults',
    ...asRoot,
    ...placeOptions(place),
    ...mariadbOptions(place),
  ],
}
