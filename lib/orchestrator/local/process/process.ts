// The processes of local services: started detached from the manager, found again by their command line.
import { spawn } from 'node:child_process'
import { open, readdir, readFile } from 'node:fs/promises'
import { modeOf } from '../../../base/files/modes.js'
import { fail, ok, type Result } from '../../../base/result.js'
import { sleep } from '../../../base/time.js'

/** A program that runs detached from the manager, and how it is recognised. */
export interface Daemon {
  /** For messages. */
  readonly name: string
  readonly pidFile: string
  /** Its output before its own log is open. */
  readonly outputFile: string
  readonly home: string
  readonly workDir: string
  /** Whether a process with this command line is the daemon: it names a file that belongs to this service alone. */
  readonly isOwn: (words: readonly string[]) => boolean
}

/**
 * The pid of the service's process, undefined when it does not run. The pid file is only trusted when that process was
 * started on this service's configuration; without it (a start in progress, a lost file) all processes are checked.
 */
export async function findProcess(daemon: Daemon): Promise<number | undefined> {
  const written = Number((await readFile(daemon.pidFile, 'utf8').catch(() => '')).trim())
  if (Number.isInteger(written) && written > 1 && (await isRunning(written, daemon))) return written
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) if (await isRunning(pid, daemon)) return pid
  return undefined
}

/** A zombie process has no command line, so it does not count. */
export async function isRunning(pid: number, { isOwn }: Daemon): Promise<boolean> {
  return isOwn((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0'))
}

/** Starts the program in a separate session: it outlives the manager. Its output goes to a file. Returns the pid. */
export async function spawnDaemon(daemon: Daemon, program: string, args: readonly string[]): Promise<Result<number>> {
  const output = await open(daemon.outputFile, 'w', modeOf('log'))
  try {
    const child = spawn(program, args, {
      ...{ detached: true, cwd: daemon.workDir, stdio: ['ignore', output.fd, output.fd] },
      env: { PATH: process.env.PATH ?? '', HOME: daemon.home, LANG: 'C.UTF-8' },
    })
    child.unref()
    if (child.pid !== undefined) return ok(child.pid)
    const reason = await new Promise<string>((resolve) => child.once('error', ({ message }) => resolve(message)))
    return fail('orchestrator-failed', `${daemon.name}: ${program} cannot be started: ${reason}`)
  } finally {
    await output.close()
  }
}

/** The result of a stop. */
export type Stopped = 'was-not-running' | 'cleanly' | 'killed'

export const stopTexts: Readonly<Record<Stopped, string>> = {
  'was-not-running': 'it was not running',
  cleanly: 'it has ended',
  killed: 'it did not stop in time and was killed',
}

/** SIGTERM, then SIGKILL after `graceMs`; each only to a process that still is this one. */
export async function stopProcess(daemon: Daemon, graceMs: number, signal: AbortSignal): Promise<Result<Stopped>> {
  const pid = await findProcess(daemon)
  if (pid === undefined) return ok('was-not-running')
  sendSignal(pid, 'SIGTERM')
  if (await gone(pid, { daemon, withinMs: graceMs, signal })) return ok('cleanly')
  if (signal.aborted) return fail('deadline-passed', `${daemon.name} was asked to stop and has not stopped yet`)
  sendSignal(pid, 'SIGKILL')
  if (await gone(pid, { daemon, withinMs: KILL_MS, signal })) return ok('killed')
  return fail('orchestrator-failed', `${daemon.name}: process ${pid} does not end, not even by SIGKILL`)
}

const KILL_MS = 10_000
const CHECK_INTERVAL_MS = 10

interface Waiting {
  readonly daemon: Daemon
  readonly withinMs: number
  readonly signal: AbortSignal
}

async function gone(pid: number, { daemon, withinMs, signal }: Waiting): Promise<boolean> {
  const until = performance.now() + withinMs
  while (!(await hasEnded(pid, daemon))) {
    if (signal.aborted || performance.now() > until) return false
    await sleep(CHECK_INTERVAL_MS, signal)
  }
  return true
}

/**
 * A process loses its command line first and its ports, files and locks after that: it has ended when there is none of its
 * number, when another one has it, or when all that is left is a zombie entry (state Z of proc(5)). One that
 * is just being started has no command line for a moment either.
 */
export async function hasEnded(pid: number, { isOwn }: Daemon): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  if (line === undefined) return true
  if (line !== '') return !isOwn(line.split('\0'))
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat === undefined || (threads.length <= 1 && stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z'))
}

function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between, as requested. Without permission the wait that follows reports it.
  }
}
