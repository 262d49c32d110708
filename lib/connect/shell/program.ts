// Runs a program with arguments under a deadline, never through a shell: no argument is interpreted as a command.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fail, ok, type Result } from '../../base/result.js'
import { startTimer, type Timer } from '../../base/time.js'
import { bindProgram } from './bound.js'
import { keepLast, readLines } from './lines.js'

export interface ProgramRequest {
  readonly file: string
  readonly args: readonly string[]
  /** The whole environment of the program; `PATH`, `HOME` and `LANG` of the manager when absent. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** It ends with this process, whatever ends that; otherwise it goes on when this process is killed. */
  readonly bound?: boolean
  /** Written to its standard input, which then ends; absent: it is empty. */
  readonly input?: string
  /** Timeout after which its process group gets SIGTERM, and SIGKILL `graceMs` (2,000) later. */
  readonly timeoutMs: number
  readonly graceMs?: number
  /** What ends it at its timeout; the machine's when absent. */
  readonly timer?: Timer
  /** Ends it early, the same way. */
  readonly signal?: AbortSignal
  /** Called per line of standard output and error, at most `maxLines` (1,000) times; longer lines are cut. */
  readonly onLine?: (line: string) => void
  readonly maxLines?: number
  /** Its status is its answer: one other than 0 is a success, too, with this `code`. */
  readonly answersByStatus?: boolean
  /** Where a line is cut, characters; 2,000 when absent. */
  readonly longestLine?: number
}

export interface ProgramResult {
  /** 0, unless its status is its answer. */
  readonly code: number
  /** The last lines it wrote. */
  readonly lastLines: readonly string[]
}

const LAST_LINES = 20
/** Wait for output after the program ended: a process that it left running may hold the pipes open. */
const DRAIN_MS = 200

/**
 * Resolves when the program has ended, at the latest `timeoutMs + graceMs` plus half a second after the call. A status
 * other than 0, a signal, a missing program or a passed deadline is `script-failed`.
 */
export async function runProgram(request: ProgramRequest): Promise<Result<ProgramResult>> {
  const { file, signal } = request
  if (signal?.aborted) return fail('script-failed', `${file}: not started, the operation was ended`)
  const child = start(request)
  if (typeof child === 'string') return fail('script-failed', `${file}: ${child}`)
  const release = request.bound && child.pid !== undefined ? bindProgram(child.pid, { group: true }) : undefined
  const lastLines: string[] = []
  // A program may end without having read it.
  child.stdin?.on('error', () => undefined).end(request.input)
  collectLines([child.stdout, child.stderr], request, lastLines)
  const end = await untilEnded(child, request)
  release?.()
  const words = lastLines.at(-1)
  if (end.code === 0 || (request.answersByStatus && end.code > 0)) return ok({ code: end.code, lastLines })
  return fail('script-failed', [`${file}: ${end.reason}`, ...(words === undefined ? [] : [words])].join(': '))
}

/** The child, or the failure: `spawn` throws for an invalid file name or argument. */
function start({ file, args, env = plainEnvironment(), cwd }: ProgramRequest) {
  try {
    return spawn(file, args, {
      env,
      detached: true, // its own process group, so that all of it can be ended
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

interface Ending {
  readonly code: number
  readonly reason: string
}

function untilEnded(child: ChildProcess, request: ProgramRequest): Promise<Ending> {
  const { timeoutMs, graceMs = 2_000, signal, timer = startTimer } = request
  return new Promise((resolve) => {
    const timers: NodeJS.Timeout[] = []
    let because: string | undefined
    const settle = (ending: Ending) => {
      cancel()
      for (const each of timers) clearTimeout(each)
      signal?.removeEventListener('abort', abort)
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
      resolve(because === undefined ? ending : { code: -1, reason: because })
    }
    const end = (reason: string) => {
      because ??= reason
      signalGroup(child, 'SIGTERM')
      timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs))
      timers.push(setTimeout(() => settle({ code: -1, reason }), graceMs + 500))
    }
    const abort = () => end('ended with the operation')
    const cancel = timer(timeoutMs, () => end(`not done within ${timeoutMs} ms`))
    signal?.addEventListener('abort', abort, { once: true })
    child.once('error', (error) => settle({ code: -1, reason: error.message }))
    child.once('exit', (code, by) => {
      const ending = { code: code ?? -1, reason: by ? `ended by ${by}` : `status ${code}` }
      timers.push(setTimeout(() => settle(ending), DRAIN_MS))
      child.once('close', () => settle(ending))
    })
  })
}

function collectLines(streams: readonly Readable[], request: ProgramRequest, lastLines: string[]): void {
  const { onLine, maxLines = 1_000 } = request
  let count = 0
  for (const stream of streams) {
    stream.on('error', () => undefined) // destroyed with unread output
    const take = (line: string) => {
      keepLast(lastLines, line, LAST_LINES)
      if (++count <= maxLines) onLine?.(line)
      if (count === maxLines) onLine?.(`(further output is not logged)`)
    }
    readLines(stream, take, request.longestLine)
  }
}

/** The group may have ended already. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // it ended in the meantime
  }
}

/** No secret of the manager's environment is passed to a program. */
export function plainEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', LANG = 'C.UTF-8' } = process.env
  return { PATH, HOME, LANG }
}
