// A server of its own on the manager's host, into which backups are restored: on a loopback port, small, and always removed; it
// ends with the process that started it.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { modeOf } from '../../base/files/modes.js'
import { fail, ok, type Result } from '../../base/result.js'
import { MINUTE, SECOND, sleep } from '../../base/time.js'
import { bindProgram } from '../../connect/shell/bound.js'
import { runProgram } from '../../connect/shell/program.js'
import { openSession } from '../../connect/sql/mysql2-session.js'
import type { SqlTarget } from '../../connect/sql/session.js'
import { type Flavour, parseVersion } from '../../model/server/version.js'
import {
  type Daemon,
  findProcess,
  hasEnded,
  spawnDaemon,
  stopProcess,
} from '../../orchestrator/local/process/process.js'
import { chooseUser, findPrograms } from '../../orchestrator/local/process/programs.js'

export interface ScratchRequest {
  /** Absolute; created, and removed with the server. */
  readonly directory: string
  readonly flavour: Flavour
  /** Of the server that was backed up, as it names it. */
  readonly versionText: string
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

export interface Scratch {
  readonly directory: string
  readonly data: string
  readonly target: SqlTarget
  /** Version of the server program. */
  readonly version: string
  /** Starts the server on its data. */
  start(): Promise<Result<void>>
  /** Ends it; its data stay. */
  stop(): Promise<void>
  /** Ends the server and removes everything. */
  remove(): Promise<void>
}

const START_MS = 10 * MINUTE
const STOP_MS = 30 * SECOND
const BUFFER_POOL = '64M'
/** What a copy of files needs to be read, by its own option file. */
const inherited =
  /^(innodb_(page_size|data_file_path|undo_\w+|data_home_dir|checksum_algorithm|log_file\w*|encrypt\w*)|lower_case_table_names)\s*=/

/** Prepares a directory; nothing is started. Failure: `restore-failed` where no server of the version is installed. */
export async function openScratch(request: ScratchRequest): Promise<Result<Scratch>> {
  const { directory, flavour, versionText } = request
  const programs = await findPrograms(flavour)
  if (!programs.ok) return fail('restore-failed', `a scratch server cannot be started: ${programs.failure.message}`)
  const { server } = programs.value
  const asked = await runProgram({ file: server, args: ['--version'], timeoutMs: MINUTE })
  const version = /(\d+\.\d+\.\d+)/.exec(asked.ok ? asked.value.lastLines.join(' ') : '')?.[1] ?? ''
  const [have, want] = [parseVersion(version), parseVersion(versionText)]
  if (have.major !== want.major || have.minor !== want.minor)
    return fail('restore-failed', `${server} is ${version}, the backup is of ${versionText}: install the same release`)
  await rm(directory, { recursive: true, force: true })
  const data = path.join(directory, 'data')
  await mkdir(data, { recursive: true, mode: modeOf('scratch') })
  const port = await freePort()
  const password = randomBytes(24).toString('hex')
  const target = { host: '127.0.0.1', port, user: 'scratch', password, connectTimeoutMs: 10 * SECOND, anyKey: true }
  return ok({
    ...{ directory, data, target, version },
    start: () => startScratch({ request, server, data, target }),
    stop: async () => void (await stopProcess(daemonOf(directory), STOP_MS, new AbortController().signal)),
    remove: () => removeScratch(directory),
  })
}

interface Starting {
  readonly request: ScratchRequest
  readonly server: string
  readonly data: string
  readonly target: SqlTarget
}

async function startScratch({ request, server, data, target }: Starting): Promise<Result<void>> {
  const { directory, flavour, signal, log } = request
  const user = chooseUser()
  if (!user.ok) return user
  const file = optionFile(directory)
  await writeFile(path.join(directory, 'init.sql'), initText(target), { mode: modeOf('login') })
  await writeFile(file, await optionText(request, { data, port: target.port, user: user.value.user }), {
    mode: modeOf('login'),
  })
  const daemon = daemonOf(directory)
  const started = await spawnDaemon(daemon, server, [`--defaults-file=${file}`])
  if (!started.ok) return started
  const pid = started.value
  bindProgram(pid)
  try {
    os.setPriority(pid, 10)
  } catch {
    // It has ended already, which is noticed below.
  }
  void runProgram({ file: 'ionice', args: ['-c', '3', '-p', String(pid)], timeoutMs: SECOND })
  log(`scratch server of ${flavour} runs on port ${target.port} (process ${pid})`)
  const until = performance.now() + START_MS
  while (!signal.aborted && performance.now() < until) {
    const opened = await openSession({ ...target, connectTimeoutMs: 2 * SECOND })
    if (opened.ok) {
      opened.value.close()
      return ok(undefined)
    }
    if (await hasEnded(pid, daemon))
      return fail('restore-failed', `the restored server does not start: ${await lastErrors(directory)}`)
    await sleep(100, signal)
  }
  return fail('restore-failed', `the restored server does not answer: ${await lastErrors(directory)}`)
}

const optionFile = (directory: string): string => path.join(directory, 'scratch.cnf')

/** One statement a line; it runs before the port opens. */
const initText = ({ user, password }: SqlTarget): string =>
  [
    'SET SESSION sql_log_bin=0;',
    `DROP USER IF EXISTS ${user}@'127.0.0.1';`,
    `CREATE USER ${user}@'127.0.0.1' IDENTIFIED BY '${password}';`,
    `GRANT ALL ON *.* TO ${user}@'127.0.0.1' WITH GRANT OPTION;`,
    '',
  ].join('\n')

async function optionText(
  { directory, flavour }: ScratchRequest,
  { data, port, user }: { readonly data: string; readonly port: number; readonly user: string },
): Promise<string> {
  const own = await readFile(path.join(data, 'backup-my.cnf'), 'utf8').catch(() => '')
  return [
    '[mysqld]',
    ...own
      .split('\n')
      .filter((line) => inherited.test(line))
      .map((line) => `loose_${line}`),
    ...[`datadir=${data}`, `port=${port}`, `user=${user}`, 'bind-address=127.0.0.1', `socket=${directory}/s.sock`],
    ...[
      `pid-file=${directory}/pid`,
      `log-error=${directory}/error.log`,
      `tmpdir=${directory}`,
      `init-file=${directory}/init.sql`,
    ],
    // Nothing is replicated to it or from it, and no event runs.
    ...['server-id=4294967290', 'skip-log-bin', 'skip-slave-start', 'event-scheduler=OFF', 'skip-name-resolve'],
    ...[`innodb-buffer-pool-size=${BUFFER_POOL}`, 'max-connections=20', 'performance-schema=OFF', 'key-buffer-size=8M'],
    ...['innodb-buffer-pool-load-at-startup=OFF', 'innodb-buffer-pool-dump-at-shutdown=OFF', 'max-allowed-packet=1G'],
    ...(flavour === 'mariadb'
      ? ['loose-plugin-maturity=unknown']
      : ['mysqlx=OFF', 'secure-file-priv=NULL', 'gtid-mode=ON', 'enforce-gtid-consistency=ON']),
    '',
  ].join('\n')
}

/** Creates the system tables of an empty server, for dumps. */
export async function initialise(scratch: Scratch, flavour: Flavour, signal: AbortSignal): Promise<Result<void>> {
  const programs = await findPrograms(flavour)
  if (!programs.ok) return programs
  const user = chooseUser()
  if (!user.ok) return user
  const { server, installer } = programs.value
  const args = ['--no-defaults', `--user=${user.value.user}`, `--datadir=${scratch.data}`]
  const made =
    installer === undefined
      ? await runProgram({
          file: server,
          args: [...args, '--initialize-insecure'],
          timeoutMs: START_MS,
          signal,
          bound: true,
        })
      : await runProgram({
          file: installer,
          args: [...args, '--auth-root-authentication-method=normal', '--skip-test-db'],
          ...{ timeoutMs: START_MS, signal, bound: true },
        })
  return made.ok
    ? ok(undefined)
    : fail('restore-failed', `the scratch server has no system tables: ${made.failure.message}`)
}

function daemonOf(directory: string): Daemon {
  return {
    name: 'scratch server',
    pidFile: path.join(directory, 'pid'),
    outputFile: path.join(directory, 'output.log'),
    ...{ home: directory, workDir: directory },
    isOwn: (words) => words.includes(`--defaults-file=${optionFile(directory)}`),
  }
}

async function removeScratch(directory: string): Promise<void> {
  await stopProcess(daemonOf(directory), STOP_MS, new AbortController().signal)
  await rm(directory, { recursive: true, force: true })
}

/** Ends and removes what a manager left that was killed. Answers how many there were. */
export async function removeScratches(root: string): Promise<number> {
  const names = await readdir(root).catch(() => [])
  for (const name of names) {
    const directory = path.join(root, name)
    if ((await findProcess(daemonOf(directory))) !== undefined || name !== '') await removeScratch(directory)
  }
  return names.length
}

async function lastErrors(directory: string): Promise<string> {
  const texts = await Promise.all(
    ['error.log', 'output.log'].map((name) => readFile(path.join(directory, name), 'utf8').catch(() => '')),
  )
  const lines = texts.join('\n').split('\n').filter(Boolean)
  const errors = lines.filter((line) => /\[ERROR\]|unknown (option|variable)/i.test(line))
  return (errors.length > 0 ? errors : lines).slice(-3).join('; ') || 'it wrote no reason'
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
