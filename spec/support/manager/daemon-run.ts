// Runs of bin/manager that end by themselves, or are ended here: what they print on each stream, and how they end.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { packageRoot } from '../../../lib/base/package-root.js'

export const daemon: string = path.join(packageRoot, 'bin/manager')

export interface DaemonRun {
  /** The exit status; null when a signal ended it. */
  readonly status: number | null
  readonly out: string
  readonly err: string
}

export interface RunRequest {
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Written to its standard input, which then ends. */
  readonly input?: string
  /** Ended by SIGTERM as soon as its output contains this. */
  readonly until?: string
  /** Gives it a terminal: both streams come as one, in `out`. */
  readonly terminal?: boolean
}

const LIMIT_MS = 120_000

/** Runs `bin/manager` with these words to its end. */
export function runDaemon(words: readonly string[], request: RunRequest = {}): Promise<DaemonRun> {
  const { cwd, environment = {}, input = '', until, terminal = false } = request
  const line = [process.execPath, daemon, ...words]
  const [program = '', ...args] = terminal ? ['script', '-qefc', line.map(quoted).join(' '), '/dev/null'] : line
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      ...(cwd === undefined ? {} : { cwd }),
    })
    const said = { out: '', err: '' }
    const hear = (stream: 'out' | 'err') => (piece: Buffer) => {
      said[stream] += piece.toString()
      if (until !== undefined && `${said.out}${said.err}`.includes(until)) child.kill('SIGTERM')
    }
    child.stdout.on('data', hear('out'))
    child.stderr.on('data', hear('err'))
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, ...said }))
    child.stdin.end(input)
  })
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
