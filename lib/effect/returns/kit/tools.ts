// Client programs of a return: found, run with their output read line by line or piped, both ends heard.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { access, constants, readdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fail, ok, type Result } from '../../../base/result.js'
import { keepOutput } from '../../../connect/shell/kept-output.js'
import { plainEnvironment } from '../../../connect/shell/program.js'
import type { Flavour } from '../../../model/server/version.js'

export type Tool = 'binlog' | 'dump' | 'client'

const names: Readonly<Record<Tool, Readonly<Record<'mariadb' | 'mysql', readonly string[]>>>> = {
  binlog: { mariadb: ['mariadb-binlog', 'mysqlbinlog'], mysql: ['mysqlbinlog'] },
  dump: { mariadb: ['mariadb-dump', 'mysqldump'], mysql: ['mysqldump'] },
  client: { mariadb: ['mariadb', 'mysql'], mysql: ['mysql'] },
}

/** The configured program, else the first of the flavour's own that is installed; a failure names what was searched. */
export async function findTool(tool: Tool, flavour: Flavour, configured = ''): Promise<Result<string>> {
  if (configured !== '') return ok(configured)
  const wanted = names[tool][flavour === 'mariadb' ? 'mariadb' : 'mysql']
  const folders = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  for (const name of wanted)
    for (const folder of folders) {
      const file = path.join(folder, name)
      if (await isProgram(file)) return ok(file)
    }
  return fail('script-failed', `${wanted.join(' or ')} is not installed on the host of the manager`)
}

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

export interface Started {
  readonly output: Readable
  /** Resolves when it has ended; a failure has its last words. */
  readonly ended: Promise<Result<void>>
  kill(): void
}

/** Starts a program whose standard output is read; times in it are UTC. */
export function startTool(file: string, args: readonly string[], signal: AbortSignal): Started {
  const child = spawn(file, args, { env: { ...plainEnvironment(), TZ: 'UTC' }, stdio: ['ignore', 'pipe', 'pipe'] })
  return { output: keepOutput(child.stdout), ended: endOf(child, file, signal), kill: () => void child.kill('SIGKILL') }
}

/** Resolves with its exit; it is killed with the signal. */
export function endOf(
  child: ChildProcessByStdio<never, never, Readable> | ReturnType<typeof spawn>,
  file: string,
  signal: AbortSignal,
): Promise<Result<void>> {
  let words = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    words = `${words}${bytes}`.slice(-4_000)
  })
  const kill = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  return new Promise((resolve) => {
    const settle = (result: Result<void>) => {
      signal.removeEventListener('abort', kill)
      resolve(result)
    }
    child.once('error', ({ message }) => settle(fail('script-failed', `${path.basename(file)}: ${message}`)))
    child.once('close', (code, by) => {
      if (code === 0) return settle(ok(undefined))
      const lines = words
        .trim()
        .split('\n')
        .filter((line) => line !== '' && !/warning/i.test(line))
      const last = lines.at(-1)
      const how = by ? `ended by ${by}` : `status ${code}`
      settle(fail('script-failed', `${path.basename(file)}: ${how}${last === undefined ? '' : `: ${last}`}`))
    })
  })
}

/** The lines of a program's output; reading as slowly as they are used. */
export const linesOf = (output: Readable): AsyncIterable<string> =>
  createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })

/** The raw binary logs of a folder, in order: what save-tail copied besides its own files. */
export async function savedLogs(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory)
  return names
    .filter((name) => /\.\d+$/.test(name))
    .sort()
    .map((name) => path.join(directory, name))
}
