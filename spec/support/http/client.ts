// The command line client: run in this process, or as a child process: piped, or on a terminal that `script` makes.
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'
import { newDirectory } from '../machine/directories.js'
import { eventually } from '../wait.js'
import { type Outcome, runInProcess } from './in-process.js'

const program = path.join(packageRoot, 'bin/manager-cli')

export interface RunningClient {
  readonly child: ChildProcess
  readonly ended: Promise<Outcome>
  /** Resolves as soon as its output holds the text; throws when it ends without. */
  said(text: string): Promise<void>
  /** Its output so far. */
  heard(): string
}

export interface ClientPlace {
  readonly port: number
  readonly user: string
  readonly password?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Clients of one manager; they share one file of tokens, as those of a person do. */
export class Client {
  readonly home = newDirectory('client')
  readonly #environment: NodeJS.ProcessEnv

  constructor({ port, user, password, environment = {} }: ClientPlace) {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.startsWith('MANAGER_') && name !== 'NO_COLOR',
    )
    this.#environment = {
      ...Object.fromEntries(inherited),
      XDG_CONFIG_HOME: this.home,
      XDG_CACHE_HOME: this.home,
      TERM: 'xterm',
      MANAGER_PORT: String(port),
      MANAGER_USER: user,
      ...(password === undefined ? {} : { MANAGER_PASSWORD: password }),
      ...environment,
    }
  }

  /** In this process, from its words to its status. */
  run(...words: readonly string[]): Promise<Outcome> {
    return runInProcess(words, this.#environment)
  }

  /** In a child process, as people and scripts run it. */
  spawn(...words: readonly string[]): Promise<Outcome> {
    return this.start(...words).ended
  }

  /** Runs it and reads its standard output as JSON; throws when it fails. */
  async json<T>(...words: readonly string[]): Promise<T> {
    const { status, stdout, stderr } = await this.run('--output', 'json', ...words)
    if (status !== 0) throw new Error(`manager-cli ${words.join(' ')} ended with ${status}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  start(...words: readonly string[]): RunningClient {
    return watch(spawn(process.execPath, [program, ...words], { env: this.#environment }))
  }

  /** On a terminal of 80 columns, whose standard output and error are one; what is written to its stdin is typed. */
  startOnTerminal(...words: readonly string[]): RunningClient {
    const quoted = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ')
    return this.#terminal(`stty cols 80; ${quoted}`)
  }

  /** The console on a terminal of 100 by 24: writes terminal and process first, status and the terminal's state last. */
  startConsole(): RunningClient {
    const inner = `echo pid $$; exec "${process.execPath}" "${program}" console`
    return this.#terminal(
      `stty cols 100 rows 24; tty; before=$(stty -g); sh -c '${inner}'; echo status $?; [ "$before" = "$(stty -g)" ] && echo terminal as before`,
    )
  }

  #terminal(command: string): RunningClient {
    return watch(spawn('script', ['-qec', command, '/dev/null'], { env: { ...this.#environment, SHELL: '/bin/sh' } }))
  }
}

function watch(child: ChildProcess): RunningClient {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8')
    child[name]?.on('data', (chunk: string) => {
      texts[name] += chunk
    })
  }
  let isClosed = false
  const ended = new Promise<Outcome>((resolve) =>
    child.once('close', (status) => {
      isClosed = true
      resolve({ status, ...texts })
    }),
  )
  const heard = () => `${texts.stdout}${texts.stderr}`
  const said = async (text: string) => {
    await eventually(
      () => heard().includes(text),
      () => `"${text}" in: ${heard()}`,
      { over: () => (isClosed ? 'it ended' : undefined) },
    )
  }
  return { child, ended, said, heard }
}
