// A program whose standard input and output are streams: it is started at once, and its end is heard, whatever becomes of its pipes.
import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { isSecret, reveal, type Secret } from '../../base/secret.js'
import { now } from '../../base/time.js'
import { keepOutput } from './kept-output.js'
import { keepLast, readLines } from './lines.js'
import { plainEnvironment } from './program.js'

export interface PipedRequest {
  readonly file: string
  readonly args: readonly string[]
  /** Added to `PATH`, `HOME` and `LANG` of the manager: nothing else of its environment reaches a program. */
  readonly env?: Readonly<Record<string, string | Secret>>
  readonly cwd?: string
  /** lines: its standard output is read line by line as its standard error is. */
  readonly output: 'pipe' | 'lines'
  readonly onLine?: (line: string) => void
}

export interface PipedProgram {
  readonly file: string
  readonly stdin: Writable
  /** Ends at once where the output is read as lines. */
  readonly stdout: Readable
  /** Never rejects. */
  readonly ended: Promise<ProgramEnded>
  /** Its whole process group is that of the caller: only the program itself is signalled. */
  kill(signal: NodeJS.Signals): void
}

export interface ProgramEnded {
  readonly file: string
  /** -1: it could not be started, or a signal ended it. */
  readonly status: number
  /** In words: `status 2`, `ended by SIGPIPE`. */
  readonly reason: string
  readonly lastLines: readonly string[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

const LAST_LINES = 20
/** Wait for the last lines after the end: a process that it left running may hold the pipe open, milliseconds. */
const DRAIN_MS = 200

export function openProgram(request: PipedRequest): PipedProgram {
  const { file, args, cwd, output, onLine } = request
  const child = spawn(file, args, {
    env: { ...plainEnvironment(), ...revealed(request.env ?? {}) },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  const lastLines: string[] = []
  const take = (line: string) => {
    keepLast(lastLines, line, LAST_LINES)
    onLine?.(line)
  }
  for (const stream of output === 'lines' ? [child.stdout, child.stderr] : [child.stderr]) readLines(stream, take)
  child.stderr.on('error', () => undefined)
  const ended = new Promise<ProgramEnded>((resolve) => {
    child.once('error', (error) => resolve({ file, status: -1, reason: error.message, lastLines, at: now() }))
    child.once('exit', (code, by) => {
      const at = now()
      const reason = by ? `ended by ${by}` : `status ${code}`
      const finish = () => resolve({ file, status: code ?? -1, reason, lastLines, at })
      setTimeout(finish, DRAIN_MS)
      child.stderr.once('close', finish)
    })
  })
  const stdout = output === 'pipe' ? keepOutput(child.stdout) : child.stdout
  return { file, stdin: child.stdin, stdout, ended, kill: (signal) => void child.kill(signal) }
}

const revealed = (env: Readonly<Record<string, string | Secret>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, isSecret(value) ? reveal(value) : value]))

/** `zstd: status 1: /*stdin*\: unsupported format`: the program, how it ended, and its last line. */
export function renderEnded({ file, reason, lastLines }: ProgramEnded): string {
  const words = lastLines.findLast((line) => line.trim() !== '')
  return [file, reason, ...(words === undefined ? [] : [words.trim()])].join(': ')
}
