// Servers of specs that run on a generated configuration: its files on disk, its data folder, one start.
import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { FileTree, Software } from '../../../lib/configure/index.js'
import type { Engine } from '../databases/engine.js'
import { copyTemplate } from '../databases/template.js'
import { newDirectory } from '../machine/directories.js'
import { howEnded } from '../machine/how-ended.js'
import { eventually } from '../wait.js'
import { type TreeRequest, treeFor } from './rules.js'

const run = promisify(execFile)

/** A server of 256 GB takes 5 s to show its variables, and longer beside others; killed, it ends with success and shows none. */
const HANG_MS = 240_000

/** What the specs know the installed servers by. */
export const softwareOf = async (engine: Engine): Promise<Software> => {
  const { stdout } = await run(engine.bare('/dev/null')[0] ?? '', [...engine.bare('/dev/null').slice(1), '--version'])
  const [, major = 0, minor = 0, patch = 0] = /Ver (\d+)\.(\d+)\.(\d+)/.exec(stdout) ?? []
  return { flavour: engine.flavour, version: { major: +major, minor: +minor, patch: +patch } }
}

export async function writeTree(tree: FileTree, folder: string): Promise<void> {
  for (const entry of tree) {
    const target = path.join(folder, 'init', entry.path)
    if (entry.kind === 'directory') await mkdir(target, { recursive: true })
    if (entry.kind === 'file') await writeFile(target, entry.text, { mode: entry.mode })
    if (entry.kind === 'link') await symlink(entry.target, target)
  }
}

/** A folder with the configuration that is requested, as the local orchestrator would place it. */
export async function configured(request: TreeRequest): Promise<string> {
  const directory = newDirectory('generated')
  await writeTree(treeFor({ ...request, context: { kind: 'local', directory } }), directory)
  await mkdir(path.join(directory, 'data/.system/tmp'), { recursive: true })
  return directory
}

const optionFile = (directory: string) => path.join(directory, 'init/etc/mysql/my.cnf')

/** What a server says its variables are on a configuration; throws when it refuses a line of it. */
export async function readBack(engine: Engine, request: TreeRequest): Promise<ReadonlyMap<string, string>> {
  const directory = await configured(request)
  const [program = '', ...args] = [...engine.bare(optionFile(directory)), '--help', '--verbose']
  const { stdout, stderr } = await run(program, args, { maxBuffer: 16 * 1024 * 1024, timeout: HANG_MS })
  await rm(directory, { recursive: true, force: true })
  const refused = stderr.split('\n').filter((line) => /unknown (variable|option)/.test(line) && !line.includes('loose'))
  if (refused.length > 0) throw new Error(refused.join('\n'))
  const lines = stdout.slice(stdout.indexOf('Variables (--variable-name=value)')).split('\n')
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ')).trim()]))
}

/** Where the template's files that have a folder of their own belong, by how their names begin. */
const places: readonly [begin: RegExp, folder: string][] = [
  [/^(ib_logfile|#innodb_redo)/, 'innodb/redo'],
  [/^undo0/, 'innodb/undo'],
  [/^aria_log/, 'aria'],
]

/** What only the template's files ask for. */
const templateOptions = { mariadb: ['--innodb-data-file-path=ibdata1:10M:autoextend'], mysql: [] } as const

/** Fills the data folder of a configuration with system tables, redo log, undo log and Aria's log where it wants them. */
export async function fillData(engine: Engine, directory: string): Promise<void> {
  const data = path.join(directory, 'data')
  await rm(data, { recursive: true, force: true })
  await copyTemplate(engine, data)
  const system = path.join(data, '.system')
  await cp(path.join(directory, 'init/data/.system'), system, { recursive: true })
  await mkdir(path.join(directory, 'run'), { recursive: true })
  const configuration = path.join(directory, 'init/etc/mysql/rc.d')
  if (readdirSync(configuration).some((name) => name.endsWith('nosplitpath.cnf'))) return
  for (const name of readdirSync(data)) {
    const folder = places.find(([begin]) => begin.test(name))?.[1]
    // MySQL keeps its undo tablespaces in the data folder.
    if (folder === undefined || (engine.flavour === 'mysql' && folder === 'innodb/undo')) continue
    await rename(path.join(data, name), path.join(system, folder, name))
  }
}

/** Program and arguments that serve a filled folder. */
export const serving = (engine: Engine, directory: string): readonly string[] => [
  ...engine.bare(optionFile(directory)),
  ...templateOptions[engine.flavour],
]

export interface Start {
  /** The server said that it is ready. */
  readonly ready: boolean
  /** Lines of its log that name an error. */
  readonly errors: readonly string[]
}

/** Starts the server of a filled folder, waits until it is ready or ended, and kills it. */
export async function startOnce(engine: Engine, directory: string, more: readonly string[] = []): Promise<Start> {
  const [program = '', ...args] = [...serving(engine, directory), ...more]
  const child = spawn(program, args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString()
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const log = () => said + ['.system/logs/error.log', 'error.log'].map((name) => textOf(directory, name)).join('')
  const settled = () => /ready for connections/.test(log()) || howEnded(child) !== undefined
  const progress = () => log().length
  try {
    await eventually(settled, () => `it is ready or ends\n${log().slice(-2_000)}`, { everyMs: 50, progress })
  } finally {
    child.kill('SIGKILL')
    await gone
  }
  const text = log()
  return {
    ready: /ready for connections/.test(text),
    errors: text.split('\n').filter((line) => /\[ERROR\]|unknown (variable|option) '(?!loose)/.test(line)),
  }
}

function textOf(directory: string, name: string): string {
  const file = path.join(directory, 'data', name)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Does all, two at a time; the answers keep their order. */
export async function twoAtATime<In, Out>(all: readonly In[], action: (each: In) => Promise<Out>): Promise<Out[]> {
  const answers: Out[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < all.length; index = next++) {
      const each = all[index]
      if (each !== undefined) answers[index] = await action(each)
    }
  }
  await Promise.all([worker(), worker()])
  return answers
}
